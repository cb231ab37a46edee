import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkedLock, installLibraries, type Lock, NpmError, type WriteLimits } from '../src/index.js';
import { type Published, RegistryStandIn, tarHeader } from '../src/registry-stand-in.js';

const MB = 1024 * 1024;
const registry = new RegistryStandIn();
let folder: string;

beforeAll(() => registry.open());
afterAll(() => registry.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-hostile-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Publishes packages and installs them into `folder/lock`. */
async function install(packages: Record<string, Published>, limits: WriteLimits) {
  const entries: Record<string, object> = {};
  for (const [name, published] of Object.entries(packages)) {
    registry.publish(name, published);
    const list: any = await (await fetch(new URL(name, registry.url))).json();
    entries[`node_modules/${name}`] = { version: '1.0.0', integrity: list.versions['1.0.0'].dist.integrity };
  }
  const lock: Lock = checkedLock({
    '': { dependencies: Object.fromEntries(Object.keys(packages).map(n => [n, '*'])) },
    ...entries,
  });
  const at = join(folder, 'lock');
  await mkdir(join(at, 'cache'), { recursive: true });
  const from = { registry: registry.url, node: '24.21.0' };
  const options = { folder: at, cache: join(at, 'cache'), ...from, timeLimitMs: 280_000, limits };
  return installLibraries(lock, options);
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    error => (error instanceof NpmError ? error.failure : error),
  );

const filesIn = (path: string): string[] => readdirSync(path, { recursive: true, encoding: 'utf8' });
const kilobytesIn = (path: string): number => Number(execFileSync('du', ['-sk', path]).toString().split('\t')[0]);

const PACKAGE_JSON = '{"name":"hostile","version":"1.0.0"}';
const header = Buffer.concat([
  tarHeader('package/package.json', PACKAGE_JSON.length),
  Buffer.from(PACKAGE_JSON.padEnd(512, '\0')),
]);
const zeros = (bytes: number) => gzipSync(Buffer.alloc(bytes));
/** gzip lets archives follow each other, so a short list of compressed parts makes a huge archive. */
const archive = (...parts: Buffer[]) => Buffer.concat([gzipSync(header), ...parts, zeros(1_024)]);
const repeat = (part: Buffer, times: number): Buffer[] => Array.from({ length: times }, () => part);
const entries = (count: number, nameOf: (n: number) => string) =>
  gzipSync(Buffer.concat(Array.from({ length: count }, (_, n) => tarHeader(`package/${nameOf(n)}`, 0))));

test('the counted files and bytes of installed libraries match those on the disk', async () => {
  const files = Object.fromEntries(
    Array.from({ length: isFullTest ? 21_000 : 300 }, (_, n) => [`lib/${n % 100}/${n}.js`, 'x'.repeat(n % 9_000)]),
  );
  const written = await install({ many: { files } }, { bytes: 300 * MB, entries: 30_000 });
  const installed = join(folder, 'lock', 'node_modules');
  expect(Math.abs(written.entries - filesIn(installed).length)).toBeLessThan(5);
  expect(Math.abs(written.bytes / 1024 - kilobytesIn(installed))).toBeLessThan(kilobytesIn(installed) / 10);
});

// npm itself ends the first one, because it unpacks to more than a thousand times its size.
const bombs: [string, Buffer][] = [
  ['zeros', zeros(16 * MB)],
  ['some noise', gzipSync(Buffer.concat([randomBytes(32_768), Buffer.alloc(16 * MB - 32_768)]))],
];
test.each(isFullTest ? bombs : bombs.slice(1))(
  'installing libraries stops at an archive of %s that unpacks to a gigabyte, and names library and limit',
  async (_, part) => {
    const bomb = archive(gzipSync(tarHeader('package/zeros', 1024 * MB)), ...repeat(part, 64));
    expect(bomb.length).toBeLessThan(5 * MB);
    const packages = { harmless: {}, bomb: { archive: bomb } };
    expect(await failure(install(packages, { bytes: 20 * MB, entries: 1_000 }))).toMatchObject({
      code: 'size_limit',
      library: 'bomb',
      text: expect.stringContaining('disk space'),
    });
    expect(kilobytesIn(folder)).toBeLessThan(45 * 1024);
  },
);

test('installing libraries stops at an archive of a million empty files, and names the library', async () => {
  const million = archive(
    ...repeat(
      entries(10_000, n => `f${n}`),
      100,
    ),
  );
  expect(await failure(install({ million: { archive: million } }, { bytes: 200 * MB, entries: 300 }))).toMatchObject({
    code: 'file_limit',
    library: 'million',
  });
  expect(filesIn(folder).length).toBeLessThan(400);
});

test('installing libraries counts each folder of a deep path towards the limit of files', async () => {
  const path = `package/${'d/'.repeat(900)}file`;
  const long = Buffer.concat([
    tarHeader('././@LongLink', path.length + 1, 'L'),
    Buffer.from(path.padEnd(Math.ceil((path.length + 1) / 512) * 512, '\0')),
    tarHeader('package/short', 0),
  ]);
  const deep = { deep: { archive: archive(gzipSync(long)) } };
  expect(await failure(install(deep, { bytes: 200 * MB, entries: 500 }))).toMatchObject({ code: 'file_limit' });
});

test('archives of libraries cannot write through a link or outside of their folder', async () => {
  const outside = join(folder, 'outside');
  await writeFile(outside, 'untouched', { mode: 0o666 });
  const text = (name: string) => Buffer.concat([tarHeader(name, 4), Buffer.from('evil'.padEnd(512, '\0'))]);
  const links = Buffer.concat([
    tarHeader('package/symbolic', 0, '2', folder),
    text('package/symbolic/outside'),
    tarHeader('package/hard', 0, '1', outside),
    text('package/hard'),
    tarHeader('package/file', 0, '2', outside),
    text('package/file'),
    text('package/../../../../outside'),
    text(outside),
  ]);
  await install({ linked: { archive: archive(gzipSync(links)) } }, { bytes: 20 * MB, entries: 1_000 });
  expect(await readFile(outside, 'utf8')).toBe('untouched');
  const installed = join(folder, 'lock', 'node_modules');
  expect(execFileSync('find', [installed, '-type', 'l', '-o', '-links', '+1', '-type', 'f']).toString()).toBe('');
});

test('a file that its archive marks as setuid root is installed without these rights', async () => {
  const setuid = tarHeader('package/tool', 0);
  setuid.write('0006777', 100);
  setuid.write('        ', 148);
  setuid.write(
    `${setuid
      .reduce((total, byte) => total + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  await install({ tool: { archive: archive(gzipSync(setuid)) } }, { bytes: 20 * MB, entries: 1_000 });
  expect(execFileSync('find', [join(folder, 'lock', 'node_modules'), '-perm', '/6022']).toString()).toBe('');
});
