import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  hashOfLock,
  installLibraries,
  isTransient,
  type Lock,
  lockText,
  NpmError,
  packagesOf,
  packagesWithInstallScript,
  parseLock,
  resolveLibraries,
} from '../src/index.js';
import { RegistryStandIn } from '../src/registry-stand-in.js';

let registry: RegistryStandIn;
const folders: string[] = [];

beforeEach(async () => {
  registry = new RegistryStandIn();
  await registry.open();
});

afterEach(async () => {
  await registry.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** `npm test` runs one of several cases of the same kind, which the seed chooses: each starts npm's code anew. */
const sampleOf = <Case>(cases: Case[]): Case[] =>
  isFullTest ? cases : cases.filter((_, index) => index === testSeed % cases.length);

async function options() {
  const folder = await mkdtemp(join(tmpdir(), 'trawl-npm-test-'));
  folders.push(folder);
  const cache = join(folder, 'cache');
  await mkdir(cache);
  return { folder, cache, registry: registry.url, node: '24.21.0', timeLimitMs: 250_000 };
}

const resolve = async (wanted: Record<string, string>, previous: Lock | null = null) =>
  resolveLibraries(wanted, previous, await options());

const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof NpmError ? error.failure : error;
};

test('a lock contains hashes but no addresses, and installs exactly its versions', async () => {
  registry.publish('inner', { files: { 'index.js': 'module.exports = 42;' } });
  registry.publish('@scope/outer', {
    files: { 'index.js': "module.exports = require('inner');" },
    manifest: { dependencies: { inner: '^1.0.0' } },
  });
  const lock = await resolve({ '@scope/outer': '*' });
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@scope/outer', 'node_modules/inner']);
  const text = lockText(lock);
  expect(text).not.toContain('127.0.0.1');
  expect(lockText(parseLock(text))).toBe(text);
  // Publish a newer version. The lock must keep the old one.
  registry.publish('inner', { version: '1.5.0', files: { 'index.js': 'module.exports = 43;' } });
  const at = await options();
  await installLibraries(parseLock(text), at);
  expect(readFileSync(join(at.folder, 'node_modules/inner/index.js'), 'utf8')).toContain('42');
  expect(existsSync(join(at.folder, 'node_modules/.package-lock.json'))).toBe(false);
});

test('resolving libraries says how many packages npm has found, while it waits for the others', async () => {
  registry.publish('outer', { manifest: { dependencies: { one: '1', two: '1', silent: '1' } } });
  for (const name of ['one', 'two', 'silent']) registry.publish(name);
  const abort = new AbortController();
  registry.answer = ({ url }, response) => url === '/silent' && registry.drip(response);
  const found: number[] = [];
  const onFound = (packages: number) => {
    found.push(packages);
    if (packages === 3) abort.abort(new Error('found three'));
  };
  const resolving = resolveLibraries({ outer: '1' }, null, { ...(await options()), onFound, signal: abort.signal });
  await expect(resolving).rejects.toThrow('found three');
  expect(found).toEqual([...found].sort());
});

test('line separators in the texts of a package split no message between npm and this process', async () => {
  const text = 'a\u2028\u2028123456789012345\u2029b';
  const manifest = { license: text, deprecated: text, engines: { node: `>=18 || ${text}` } };
  registry.publish('separated', { manifest });
  const onFound = jest.fn();
  const onSlow = jest.fn();
  const lock = await resolveLibraries({ separated: '*' }, null, { ...(await options()), onFound, onSlow });
  expect(packagesOf(lock)).toMatchObject([['node_modules/separated', { engines: manifest.engines }]]);
  const at = await options();
  await installLibraries(lock, at);
  expect(existsSync(join(at.folder, 'node_modules/separated/package.json'))).toBe(true);
  expect(onSlow).not.toHaveBeenCalled();
  expect(onFound.mock.calls.flat().filter(packages => packages > 1)).toEqual([]);
});

test('resolving libraries keeps the versions of the previous lock unless a version range changes', async () => {
  registry.publish('a');
  registry.publish('b');
  const first = await resolve({ a: '^1.0.0', b: '^1.0.0' });
  registry.publish('a', { version: '1.1.0' });
  registry.publish('b', { version: '1.1.0' });
  expect(hashOfLock(lockText(await resolve({ a: '^1.0.0', b: '^1.0.0' }, first)))).toBe(hashOfLock(lockText(first)));
  const second = await resolve({ a: '^1.0.0', b: '^1.1.0' }, first);
  expect(packagesOf(second).map(([, { version }]) => version)).toEqual(['1.0.0', '1.1.0']);
});

test('a library’s install script is reported and does not run', async () => {
  const scripts = { install: 'touch ../../ran', postinstall: 'touch ../../ran' };
  registry.publish('scripted', { manifest: { scripts } });
  const lock = await resolve({ scripted: '1.0.0' });
  expect(packagesWithInstallScript(lock)).toEqual(['scripted']);
  const at = await options();
  await installLibraries(lock, at);
  expect(existsSync(join(at.folder, 'node_modules/scripted/package.json'))).toBe(true);
  expect(existsSync(join(at.folder, 'ran'))).toBe(false);
});

test.each(
  sampleOf([
    ['git', 'git+https://git.example/x.git', 'x@git+https://git.example/x.git'],
    ['an address', `http://127.0.0.1:9/x.tgz`, 'x@http://127.0.0.1:9/x.tgz'],
    ['a folder', 'file:../../../../etc', 'x'],
  ]),
)('a dependency from %s is refused without a request for it', async (_, spec, library) => {
  registry.publish('honest-looking', { manifest: { dependencies: { x: spec } } });
  const answer = await failure(resolve({ 'honest-looking': '1.0.0' }));
  expect(answer).toMatchObject({
    library,
    text: expect.stringMatching(/does not come from the npm registry \(honest-looking needs it\)/),
  });
  expect(registry.asked).toEqual(['/honest-looking']);
});

/** Files with which a library names the exact packages that it wants, and where they are. */
const shrinkwraps = (elsewhere: string): [string, object][] => [
  [
    'version 1',
    {
      lockfileVersion: 1,
      dependencies: {
        inner: { version: '1.0.0', resolved: `${elsewhere}inner.tgz`, integrity: `sha512-${'A'.repeat(86)}==` },
        other: { version: `${elsewhere}other.tgz` },
        gitty: { version: 'git+ssh://git@127.0.0.1/x.git#abc' },
      },
    },
  ],
  [
    'version 3',
    {
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { inner: '1.0.0' } },
        'node_modules/inner': { version: '1.0.0', resolved: `${elsewhere}inner.tgz` },
        'node_modules/linked': { resolved: '../../../../../etc', link: true },
      },
    },
  ],
];

test('a lock file inside a library makes npm contact no other host and install nothing outside node_modules', async () => {
  const other = new RegistryStandIn();
  await other.open();
  try {
    registry.publish('inner');
    for (const [name, file] of sampleOf(shrinkwraps(other.url))) {
      const wrapped = { name: 'wrapped', version: '1.0.0', requires: true, ...file };
      registry.publish('wrapped', {
        files: { 'npm-shrinkwrap.json': JSON.stringify(wrapped) },
        manifest: { dependencies: { inner: '1.0.0' } },
        listed: { _hasShrinkwrap: true },
      });
      const lock = await resolve({ wrapped: '1.0.0' });
      expect([name, lockText(lock)]).toEqual([name, expect.not.stringMatching(/http|git\+ssh|link/)]);
      const at = await options();
      await installLibraries(lock, at);
      expect(readdirSync(join(at.folder, 'node_modules')).sort()).toEqual(['inner', 'wrapped']);
    }
    expect(other.asked).toEqual([]);
  } finally {
    await other.close();
  }
});

test('resolving libraries names a library or version that does not exist', async () => {
  registry.publish('ms');
  expect(await failure(resolve({ 'no-such-library': '1' }))).toMatchObject({
    code: 'E404',
    library: 'no-such-library@1',
    text: expect.stringContaining('has no library no-such-library'),
  });
  expect(await failure(resolve({ ms: '^9.0.0' }))).toMatchObject({ code: 'ETARGET', library: 'ms@^9.0.0' });
});

test('resolving libraries names two libraries that conflict with each other', async () => {
  registry.publish('core');
  registry.publish('core', { version: '2.0.0' });
  registry.publish('plugin', { manifest: { peerDependencies: { core: '^2.0.0' } } });
  expect(await failure(resolve({ core: '1.0.0', plugin: '1.0.0' }))).toMatchObject({
    code: 'ERESOLVE',
    text: 'plugin@1.0.0 needs core@^2.0.0, which conflicts with core@1.0.0. Choose compatible versions.',
  });
});

test.each(
  sampleOf<[string, { dist?: object }]>([
    ['with its own hash', {}],
    ['with a weaker hash only', { dist: { tarball: 'archive', shasum: '0'.repeat(40) } }],
  ]),
)(
  'installing libraries refuses an archive that differs from the hash of the lock, %s',
  async (_, listed: { dist?: object }) => {
    registry.publish('a', { files: { 'index.js': 'module.exports = 1;' } });
    const lock = await resolve({ a: '1.0.0' });
    if (listed.dist) listed = { dist: { ...listed.dist, tarball: `${registry.url}a/-/a-1.0.0.tgz` } };
    registry.publish('a', { files: { 'index.js': 'module.exports = "other";' }, listed });
    const at = await options();
    const answer = await failure(installLibraries(lock, at));
    expect(answer).toMatchObject({ code: 'EINTEGRITY' });
    expect(isTransient(answer as never)).toBe(false);
    expect(existsSync(join(at.folder, 'node_modules/a/index.js'))).toBe(false);
  },
);

test.each(
  sampleOf<[string, number | null, RegExp]>([
    ['is unreachable', null, /^ECONNREFUSED$/],
    ['fails', 503, /^E503$/],
  ]),
)('a registry that %s is reported as a transient failure, without its address', async (_, status, code) => {
  const at = await options();
  if (status === null) await registry.close();
  else
    registry.answer = (_request, response) => {
      response.writeHead(status).end();
      return true;
    };
  const answer = await failure(resolveLibraries({ a: '1' }, null, at));
  expect(answer).toMatchObject({ code: expect.stringMatching(code) });
  expect(isTransient(answer as never)).toBe(true);
  expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
});

test('resolving libraries stops at the time limit if the registry never answers', async () => {
  registry.answer = () => true;
  const answer = await failure(resolveLibraries({ a: '1' }, null, { ...(await options()), timeLimitMs: 1_500 }));
  expect(answer).toMatchObject({ code: 'time_limit' });
});

test('a lock is refused if it has a folder outside node_modules or a package from outside the registry', () => {
  const entry = { version: '1.0.0', integrity: 'sha512-abc=' };
  for (const folder of [
    'node_modules/..',
    'node_modules/../x',
    'node_modules/@a/../b',
    '../x',
    '/etc',
    'node_modules/a/b',
  ]) {
    expect(() => parseLock(JSON.stringify({ packages: { [folder]: entry } }))).toThrow(
      'not a valid folder of a library',
    );
  }
  const from = (fields: object) => () =>
    parseLock(JSON.stringify({ packages: { 'node_modules/a': { ...entry, ...fields } } }));
  expect(from({ resolved: 'git+ssh://git@example.com/a.git' })).toThrow('a does not come from the npm registry');
  expect(from({ link: true })).toThrow('a does not come from the npm registry');
  expect(from({ integrity: undefined })).toThrow('gives no hash for a@1.0.0');
});

test('library versions are chosen for the Node version of the run, not of the backend', async () => {
  for (const [version, node] of [
    ['1.0.0', '>=22'],
    ['1.1.0', '>=24'],
  ] as const)
    registry.publish('for-node', { version, manifest: { engines: { node } } });
  for (const [node, version] of [
    ['22.23.3', '1.0.0'],
    ['24.21.0', '1.1.0'],
  ] as const) {
    const lock = await resolveLibraries({ 'for-node': '^1.0.0' }, null, { ...(await options()), node });
    expect(lock.packages['node_modules/for-node']).toMatchObject({ version });
  }
});

test('an npm installation reports that it is slow while it waits for the registry, not while it unpacks files', async () => {
  let slow = 0;
  const onSlow = () => {
    slow += 1;
  };
  registry.publish('many', { files: Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`${n}.js`, ''])) });
  const lock = await resolve({ many: '*' });
  const limits = { bytes: 1024 ** 3, entries: 10_000 };
  await installLibraries(lock, { ...(await options()), limits, slowMs: 0, onSlow });
  expect(slow).toBe(0);
  const abort = new AbortController();
  registry.answer = (_request, response) => registry.drip(response);
  const dripping = {
    ...(await options()),
    slowMs: 0,
    onSlow: () => abort.abort(new Error('slow')),
    signal: abort.signal,
  };
  await expect(installLibraries(lock, dripping)).rejects.toThrow('slow');
});
