import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installLibraries, type Lock, NpmError, resolveLibraries } from '../src/index.js';
import { RegistryStandIn } from '../src/registry-stand-in.js';

/** The operator's registry, and a server of the same machine that nobody named in a setting. */
let registry: RegistryStandIn;
let other: RegistryStandIn;
let lock: Lock;
const folders: string[] = [];

beforeEach(async () => {
  [registry, other] = [new RegistryStandIn(), new RegistryStandIn()];
  await Promise.all([registry.open(), other.open()]);
  for (const each of [registry, other]) each.publish('lib');
  lock = await resolveLibraries({ lib: '*' }, null, await options());
});
afterEach(async () => {
  await Promise.all([registry.close(), other.close()]);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function options(path = '') {
  const folder = await mkdtemp(join(tmpdir(), 'trawl-hosts-'));
  folders.push(folder);
  const cache = join(folder, 'cache');
  await mkdir(cache);
  return { folder, cache, registry: `${registry.url}${path}`, node: '24.21.0', timeLimitMs: 100_000 };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    error => (error instanceof NpmError ? error.failure.code : error),
  );

/** Redirects paths with this ending to another place. */
function redirect(ending: string, to: (path: string) => string): void {
  registry.answer = ({ url = '' }, response) => {
    if (!url.endsWith(ending)) return false;
    response.writeHead(302, { location: to(url) }).end();
    return true;
  };
}

test.each(['', 'npm/'])(
  'archives are downloaded from the configured registry, even if the list names another host (path: "%s")',
  async path => {
    const tarball = `${other.url}lib/-/lib-1.0.0.tgz`;
    registry.publish('lib', { listed: { dist: { tarball, integrity: lock.packages['node_modules/lib']?.integrity } } });
    registry.answer = request => {
      request.url = request.url?.replace(/^\/npm\//, '/');
      return false;
    };
    await installLibraries(lock, await options(path));
    expect(registry.asked.at(-1)).toMatch(/lib-1\.0\.0\.tgz$/);
    expect(other.asked).toEqual([]);
  },
);

test('a redirect of the registry to another private address is not followed', async () => {
  const { port } = new URL(other.url);
  for (const host of ['localhost', '[::1]', '169.254.169.254']) {
    redirect('.tgz', url => `http://${host}:${port}${url}`);
    expect(await codeOf(installLibraries(lock, await options()))).toBe('EPRIVATEREDIRECT');
  }
  redirect('/lib', url => `http://127.0.0.1:${port}${url}`);
  expect(await codeOf(resolveLibraries({ lib: '*' }, null, await options()))).toBe('EPRIVATEREDIRECT');
  expect(other.asked).toEqual([]);
});

test('redirects of the registry to the same host and to public hosts are followed', async () => {
  registry.publish('moved');
  redirect('/lib', () => '/moved');
  await resolveLibraries({ lib: '*' }, null, await options());
  redirect('.tgz', () => 'http://registry.invalid/lib.tgz');
  expect(await codeOf(installLibraries(lock, await options()))).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/);
});
