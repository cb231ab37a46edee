import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { type Api, startTestApp, type TestApp } from '../../../../test/test-app.js';

const registry = new RegistryStandIn();
let app: TestApp;
let api: Api;
let n = 0;

beforeAll(async () => {
  await registry.open();
  app = await startTestApp({ settings: { npmRegistry: registry.url } });
  api = await app.as('developer');
  registry.publish('typed', { files: { 'index.d.ts': 'export const typed: number;' } });
  registry.publish('@types/loose', { files: { 'index.d.ts': 'export const loose: number;' } });
}, 60_000);
afterAll(async () => {
  await app?.close();
  await registry.close();
});
beforeEach(() => {
  registry.answer = () => false;
  registry.asked.length = 0;
});

async function skriptWith(packageFile: object | string | null): Promise<string> {
  const { id } = (await api('POST', '/joint-api/skripts/addnew', { title: `Types ${++n}` })).body;
  if (packageFile !== null) {
    const content = typeof packageFile === 'string' ? packageFile : JSON.stringify(packageFile);
    await api('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'package.json', content });
  }
  return id;
}

const typesOf = (id: string, asked = api) => asked('GET', `/joint-api/skripts/${id}/library-types`);

const WITH_TYPES = { dependencies: { typed: '^1.0.0' }, devDependencies: { '@types/loose': '^1.0.0', jest: '*' } };

test('the types of a skript are those of its libraries, and of packages of types for development', async () => {
  const { status, body } = await typesOf(await skriptWith(WITH_TYPES));
  expect(status).toBe(200);
  expect(body.left_out).toEqual([]);
  expect(body.files.map(({ path }: { path: string }) => path).sort()).toEqual([
    'node_modules/@types/loose/index.d.ts',
    'node_modules/@types/loose/package.json',
    'node_modules/typed/index.d.ts',
    'node_modules/typed/package.json',
  ]);
  expect(JSON.stringify(body)).not.toContain('127.0.0.1');
});

test('types of development alone need no libraries', async () => {
  const { body } = await typesOf(await skriptWith({ devDependencies: { '@types/loose': '*' } }));
  expect(body.files).toHaveLength(2);
});

test('the types are loaded once for equal libraries', async () => {
  const id = await skriptWith(WITH_TYPES);
  await api('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'main.js', content: '' });
  await api('POST', `/joint-api/skripts/${id}/bundle`);
  const first = await typesOf(id);
  registry.asked.length = 0;
  expect([(await typesOf(id)).body, registry.asked]).toEqual([first.body, []]);
});

test('another account does not get the types of a skript', async () => {
  const id = await skriptWith(WITH_TYPES);
  expect((await typesOf(id, await app.as('admin'))).status).toBe(404);
});

test.each([
  ['no package.json', null],
  ['an invalid package.json', '{'],
  ['only libraries that every run has', { dependencies: { '@trawl/echo': '*', puppeteer: '^24.0.0' } }],
])('a skript with %s has no types of libraries, and the registry is not asked', async (_, packageFile) => {
  expect((await typesOf(await skriptWith(packageFile))).body).toEqual({ files: [], left_out: [] });
  expect(registry.asked).toEqual([]);
});

test('a library that does not exist is named with the reason, and a registry that fails is an error', async () => {
  const { body } = await typesOf(await skriptWith({ dependencies: { 'no-such': '*' } }));
  expect(body).toEqual({
    files: [],
    left_out: [{ library: 'no-such', reason: expect.stringContaining('no library no-such') }],
  });
  const id = await skriptWith({ dependencies: { typed: '*' } });
  registry.answer = ({ url = '' }, response) => {
    if (!url.endsWith('.tgz')) return false;
    response.writeHead(503).end();
    return true;
  };
  const failed = await typesOf(id);
  expect([failed.status, failed.body.error_message]).toEqual([503, expect.stringContaining('types of the libraries')]);
});
