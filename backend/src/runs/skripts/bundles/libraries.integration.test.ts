import { BROWSER_LIBRARIES, OLDER_LIBRARIES } from '@trawl/contracts';
import { hashOfLock, packagesOf, parseLock } from '@trawl/libraries';
import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { sampleOf } from '../../../../../scripts/jest/sample.js';
import { type Api, startTestApp, type TestApp } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet } from '../../../../test/test-worker.js';
import { BundlesService } from './bundles.service.js';

const registry = new RegistryStandIn();
let app: TestApp;
let api: Api;
let n = 0;

beforeAll(async () => {
  await registry.open();
  app = await startTestApp({ settings: { npmRegistry: registry.url } });
  api = await app.as('developer');
  registry.publish('inner');
  registry.publish('outer', { manifest: { dependencies: { inner: '^1.0.0' } } });
}, 60_000);
afterAll(async () => {
  await app?.close();
  await registry.close();
});
beforeEach(() => {
  registry.answer = () => false;
  registry.asked.length = 0;
});

type Files = Record<string, string>;

const asking = (dependencies: Record<string, string>): string => JSON.stringify({ dependencies }, null, 2);

async function write(id: string, files: Files): Promise<void> {
  const present = (await api('GET', `/joint-api/skripts/${id}`)).body.files;
  for (const [name, content] of Object.entries(files)) {
    const known = present.find((file: { name: string }) => file.name === name);
    if (known) await api('PUT', `/joint-api/skript-files/${known.id}`, { content });
    else await api('POST', '/joint-api/skript-files/addnew', { skript_id: id, name, content });
  }
}

async function skriptWith(files: Files): Promise<string> {
  const { id } = (await api('POST', '/joint-api/skripts/addnew', { title: `Libraries ${++n}` })).body;
  await write(id, { 'main.js': "module.exports = async () => require('outer');", ...files });
  return id;
}

const bundle = (id: string) => api('POST', `/joint-api/skripts/${id}/bundle`);
const lockRow = async (hash: string): Promise<string | undefined> =>
  (await app.sql<{ lock: string }>('SELECT lock FROM locks WHERE hash = $1', [hash]))[0]?.lock;
const versionsIn = async (hash: string) =>
  packagesOf(parseLock((await lockRow(hash)) ?? '')).map(([folder, { version }]) => [folder, version]);

test('a build resolves package.json to a lock with the exact version of every library', async () => {
  const id = await skriptWith({ 'package.json': asking({ outer: '^1.0.0' }) });
  const { status, body } = await bundle(id);
  expect([status, body.warnings, body.lock]).toEqual([200, [], expect.stringMatching(/^[0-9a-f]{64}$/)]);
  const text = (await lockRow(body.lock)) as string;
  expect(hashOfLock(text)).toBe(body.lock);
  expect(text).not.toContain('127.0.0.1');
  expect(await versionsIn(body.lock)).toEqual([
    ['node_modules/inner', '1.0.0'],
    ['node_modules/outer', '1.0.0'],
  ]);
});

test('rebuilds keep library versions until package.json requires others; a restored version keeps its lock', async () => {
  registry.publish('moving');
  const main = "module.exports = async () => require('moving');";
  const id = await skriptWith({ 'main.js': main, 'package.json': asking({ moving: '^1.0.0' }) });
  const first = (await bundle(id)).body;
  registry.publish('moving', { version: '1.1.0' });
  registry.asked.length = 0;
  await write(id, { 'main.js': `${main}\n// changed` });
  const second = (await bundle(id)).body;
  expect([second.lock, registry.asked]).toEqual([first.lock, []]);
  expect(second.hash).not.toBe(first.hash);
  await write(id, { 'package.json': asking({ moving: '^1.1.0' }) });
  const third = (await bundle(id)).body;
  expect(await versionsIn(third.lock)).toEqual([['node_modules/moving', '1.1.0']]);
  // A skript with the same files but a different lock gets a different version.
  const other = await skriptWith({ 'main.js': main, 'package.json': asking({ moving: '^1.0.0' }) });
  const fresh = (await bundle(other)).body;
  expect(await versionsIn(fresh.lock)).toEqual([['node_modules/moving', '1.1.0']]);
  expect(fresh.hash).not.toBe(first.hash);
  // Restoring a version neither builds a bundle nor calls the registry.
  registry.asked.length = 0;
  expect((await api('POST', `/joint-api/skripts/${id}/versions/${first.hash}/restore`)).status).toBe(200);
  const [row] = await app.sql<{ lock_hash: string }>(
    'SELECT b.lock_hash FROM skripts s JOIN bundles b ON b.hash = s.bundle_hash WHERE s.id = $1',
    [id],
  );
  expect([row?.lock_hash, registry.asked]).toEqual([first.lock, []]);
});

test('a build chooses library versions anew when `engines` chooses another Node', async () => {
  registry.publish('for-node', { version: '1.0.0', manifest: { engines: { node: '>=18' } } });
  registry.publish('for-node', { version: '1.1.0', manifest: { engines: { node: '>=24' } } });
  const main = "module.exports = async () => require('for-node');";
  const asks = (engines?: object) => JSON.stringify({ dependencies: { 'for-node': '^1.0.0' }, engines });
  const id = await skriptWith({ 'main.js': main, 'package.json': asks() });
  const versionWith = async (engines?: object) => {
    await write(id, { 'package.json': asks(engines) });
    const [[, version] = []] = await versionsIn((await bundle(id)).body.lock);
    return version;
  };
  expect([await versionWith(), await versionWith({ node: '22' }), await versionWith()]).toEqual([
    '1.1.0',
    '1.0.0',
    '1.1.0',
  ]);
  expect(await versionWith({ node: '22.x' })).toBe('1.0.0');
  registry.asked.length = 0;
  expect([await versionWith({ node: '^22.0.0' }), registry.asked]).toEqual(['1.0.0', []]);
});

test('deleting the last skript that uses a lock deletes the lock', async () => {
  registry.publish('short-lived');
  const files = {
    'main.js': "module.exports = () => require('short-lived');",
    'package.json': asking({ 'short-lived': '1' }),
  };
  const [one, two] = [await skriptWith(files), await skriptWith({ ...files, 'notes.md': 'two' })];
  const { lock } = (await bundle(one)).body;
  expect((await bundle(two)).body.lock).toBe(lock);
  await api('DELETE', `/joint-api/skripts/${one}`);
  expect(await lockRow(lock)).toBeDefined();
  await api('DELETE', `/joint-api/skripts/${two}`);
  expect(await lockRow(lock)).toBeUndefined();
});

test('a build reports a library that cannot be installed, with its line of package.json', async () => {
  const problemOf = async (dependencies: Record<string, string>) => {
    const { status, body } = await bundle(await skriptWith({ 'package.json': asking(dependencies) }));
    expect([status, body.error_code]).toEqual([422, 'bundle_failed']);
    return body.details[0];
  };
  expect(await problemOf({ inner: '1', 'no-such': '^1' })).toEqual({
    message: 'The npm registry has no library no-such@^1. Check the spelling of the name.',
    file: 'package.json',
    line: 4,
    column: 5,
    line_text: '    "no-such": "^1"',
  });
  expect(await problemOf({ inner: '^9.0.0' })).toMatchObject({
    line: 3,
    message: expect.stringContaining('inner@^9.0.0'),
  });
  // packages/libraries tests each reason why npm refuses a library.
  registry.publish('with-git', { manifest: { dependencies: { x: 'git+https://git.example/x.git' } } });
  registry.publish('unhashed', { listed: { dist: { tarball: `${registry.url}unhashed/-/unhashed-1.0.0.tgz` } } });
  const others: [library: string, version: string, expected: object][] = [
    ['inner', 'github:a/b', { line: 3, message: expect.stringContaining('github:a/b') }],
    ['with-git', '1', { message: expect.stringContaining('(with-git needs it)') }],
    ['unhashed', '1', { message: expect.stringContaining('no hash for unhashed@1.0.0') }],
  ];
  for (const [library, version, expected] of sampleOf(others, { oneIn: 3 }))
    expect(await problemOf({ [library]: version })).toMatchObject(expected);
});

test('a build warns about a library with an install script, which Trawl does not run', async () => {
  registry.publish('scripted', { manifest: { scripts: { postinstall: 'node evil.js' } } });
  const { status, body } = await bundle(
    await skriptWith({
      'main.js': "module.exports = () => require('scripted');",
      'package.json': asking({ scripted: '1' }),
    }),
  );
  expect([status, body.warnings]).toEqual([
    200,
    [
      expect.objectContaining({
        file: 'package.json',
        line: 3,
        message: expect.stringContaining('scripted has an install script, which Trawl does not run'),
      }),
    ],
  ]);
});

test('a build answers 503 if the npm registry is unreachable, without showing its address', async () => {
  const id = await skriptWith({ 'package.json': asking({ outer: '1' }) });
  registry.answer = (_request, response) => {
    response.writeHead(502).end();
    return true;
  };
  const { status, body } = await bundle(id);
  expect([status, body.error_code]).toEqual([503, 'service_unavailable']);
  expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  registry.answer = () => false;
  expect((await bundle(id)).status).toBe(200);
});

test('a build answers 503 while its libraries are still being resolved, and the next build gets the result', async () => {
  registry.publish('unhurried');
  const files = {
    'main.js': "module.exports = () => require('unhurried');",
    'package.json': asking({ unhurried: '1' }),
  };
  const id = await skriptWith(files);
  let goOn = (): void => {};
  const isAsked = new Promise<void>(resolve => {
    registry.answer = (request, response) => {
      registry.answer = () => false;
      goOn = () =>
        void fetch(new URL(request.url ?? '', registry.url)).then(async list => response.end(await list.text()));
      resolve();
      return true;
    };
  });
  const { waitsMs } = app.part(BundlesService);
  const { build } = waitsMs;
  waitsMs.build = 1;
  try {
    const { status, body } = await bundle(id);
    expect([status, body.error_code]).toEqual([503, 'service_unavailable']);
    expect(body.error_message).toContain('still being resolved');
    await isAsked;
  } finally {
    waitsMs.build = build;
  }
  goOn();
  expect((await bundle(id)).body.lock).toMatch(/^[0-9a-f]{64}$/);
  expect(registry.asked.filter(path => path === '/unhurried')).toHaveLength(2);
});

test('an offer names the lock of its libraries, and a worker can read only the locks of its live runs', async () => {
  const fleet: TestFleet = await makeWorkerAndSkript(app, 'with-libraries');
  await write(fleet.skriptId, {
    'main.js': "module.exports = async () => require('inner');",
    'package.json': asking({ inner: '1' }),
  });
  const worker = await fleet.connect();
  try {
    await fleet.start();
    const offer = await worker.offers.next();
    const read = (hash: string, key = fleet.key) =>
      fetch(`${app.url}/worker-api/locks/${hash}`, { headers: { authorization: `Bearer ${key}` } });
    const answer = await read(offer.lock as string);
    expect(hashOfLock(await answer.text())).toBe(offer.lock);
    const other = (await bundle(await skriptWith({ 'package.json': asking({ outer: '*' }) }))).body.lock;
    expect((await read(other)).status).toBe(404);
    expect((await read('x')).status).toBe(404);
    expect((await read(offer.lock as string, 'trw_wrong')).status).toBe(401);
    await worker.finish(offer.id);
    expect((await read(offer.lock as string)).status).toBe(404);
  } finally {
    worker.close();
  }
});

test('a build never asks the npm registry for the library names of older skripts', async () => {
  const names = [...OLDER_LIBRARIES, '@trawl/functionflow'];
  for (const name of names) registry.publish(name);
  const id = await skriptWith({
    'main.js': `module.exports = async () => [${names.map(name => `require('${name}')`).join()}];`,
    'package.json': asking(Object.fromEntries(names.map(name => [name, '^2.0.0']))),
  });
  await api('PUT', `/joint-api/skripts/${id}`, { environment: 'browser' });
  const { status, body } = await bundle(id);
  expect([status, body.warnings, body.lock, registry.asked]).toEqual([200, [], null, []]);
  const [row] = await app.sql<{ code: string }>('SELECT code FROM bundles WHERE hash = $1', [body.hash]);
  const required = [...(row?.code ?? '').matchAll(/require\("(.+?)"\)/g)].map(([, name]) => name);
  expect(required).toEqual(names.map(name => (name.endsWith('httpclient-pptr') ? `${name}/v2` : name)));
});

test('a nodejs skript runs in the environment browser while it requires a library that needs a browser', async () => {
  const fleet: TestFleet = await makeWorkerAndSkript(app, 'with-browser');
  const worker = await fleet.connect({ environments: ['nodejs', 'browser'] });
  for (const name of BROWSER_LIBRARIES) registry.publish(name);
  await write(fleet.skriptId, {
    'package.json': asking(Object.fromEntries(BROWSER_LIBRARIES.map(name => [name, '*']))),
  });
  try {
    const environmentOf = async (main: string, lib = '') => {
      await write(fleet.skriptId, { 'main.js': main, 'lib.js': lib });
      // A start either builds the bundle or uses the current one.
      const environments: string[] = [];
      for (let n = 0; n < 2; n += 1) {
        await fleet.start();
        const { id, environment } = await worker.offers.next();
        environments.push(environment);
        await worker.finish(id);
      }
      const { warnings } = (await bundle(fleet.skriptId)).body;
      return { environments, warnings };
    };
    for (const name of sampleOf(BROWSER_LIBRARIES, { oneIn: 4 })) {
      expect(
        await environmentOf("module.exports = require('./lib');", `\nconst library = require('${name}');`),
      ).toEqual({
        environments: ['browser', 'browser'],
        warnings: [
          {
            message: `${name} needs a browser, so this skript runs in the environment browser instead of nodejs. Set its environment to browser.`,
            file: 'lib.js',
            line: 2,
            column: 25,
            line_text: `const library = require('${name}');`,
          },
        ],
      });
    }
    expect(await environmentOf('module.exports = async () => 1;', "require('puppeteer');")).toEqual({
      environments: ['nodejs', 'nodejs'],
      warnings: [],
    });
  } finally {
    worker.close();
  }
  expect((await api('GET', `/joint-api/skripts/${fleet.skriptId}`)).body.environment).toBe('nodejs');
});
