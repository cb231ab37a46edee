import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { type Api, startTestApp, type TestApp } from '../../../../test/test-app.js';
import { until } from '../../../../test/until.js';
import { BundlesService } from './bundles.service.js';
import { LocksService } from './locks.service.js';

const registry = new RegistryStandIn();
/** Paths of libraries for which npm waits, because the registry answers one byte at a time. */
const dripping = new Set<string>();
/** The process ids of a killed backend and of a running one, and the temporary folders of both. */
const ended = spawnSync(process.execPath, ['--version']).pid;
const [left, used] = [ended, process.ppid].map(pid => join(tmpdir(), `trawl-lock-${pid}-abcdef`)) as [string, string];
let app: TestApp;
let accounts: [Api, Api, Api];
let n = 0;

beforeAll(async () => {
  await registry.open();
  for (const folder of [left, used]) await mkdir(join(folder, 'cache'), { recursive: true });
  app = await startTestApp({ settings: { npmRegistry: registry.url } });
  const admin = await app.as('admin');
  const [username, password] = ['third@example.com', 'a long password'];
  await admin('POST', '/joint-api/users/addnew', { username, password });
  const { body } = await app.anonymous('POST', '/panel/login', { username, password });
  accounts = [await app.as('developer'), admin, app.bearer(body.jwtToken)];
  registry.publish('harmless');
  registry.answer = ({ url = '' }, response) => {
    if (!url.startsWith('/dripping-')) return false;
    dripping.add(url);
    response.on('close', () => dripping.delete(url));
    return registry.drip(response);
  };
}, 60_000);
afterEach(async () => {
  app.part(BundlesService).waitsMs.build = 30_000;
  // Ends the resolutions that a test has left.
  await app.part(LocksService).onApplicationShutdown();
  await untilDripping(0);
});
afterAll(async () => {
  await app?.close();
  await registry.close();
  await rm(used, { recursive: true });
});

const untilDripping = (count: number) =>
  until(
    async () => dripping.size,
    size => size === count,
  );

async function skriptWith(api: Api, library: string): Promise<string> {
  const { id } = (await api('POST', '/joint-api/skripts/addnew', { title: `Slow ${++n}` })).body;
  const files = {
    'main.js': `module.exports = () => require('${library}');`,
    'package.json': JSON.stringify({ dependencies: { [library]: '1' } }),
  };
  for (const [name, content] of Object.entries(files))
    await api('POST', '/joint-api/skript-files/addnew', { skript_id: id, name, content });
  return id;
}

const build = async (api: Api, library: string) =>
  api('POST', `/joint-api/skripts/${await skriptWith(api, library)}/bundle`);

/** Sets how long a build waits for a resolution, and how long the resolution then continues without it. */
function patience(waitMs: number, continueMs: number): void {
  const bundles = app.part(BundlesService);
  bundles.waitsMs.build = waitMs;
  bundles.continueMs.build = continueMs;
}

test('slow library resolutions of two accounts do not delay the build of a third account', async () => {
  Object.assign(app.part(LocksService).queue.limits, { slowMs: 1_000, maxSlow: 6 });
  patience(1, 200_000);
  const [a, b, c] = accounts;
  expect([(await build(a, 'dripping-a')).status, (await build(b, 'dripping-b')).status]).toEqual([503, 503]);
  await untilDripping(2);
  patience(60_000, 0);
  expect((await build(c, 'harmless')).status).toBe(200);
  expect(dripping.size).toBe(2);
});

test('a library resolution that no call waits for ends, as do the queued ones of its account', async () => {
  Object.assign(app.part(LocksService).queue.limits, { slowMs: 30_000, maxSlow: 6 });
  // On a busy machine npm takes seconds until it asks the registry.
  patience(1, 25_000);
  const [a] = accounts;
  const before = registry.asked.length;
  for (const name of ['c', 'd', 'e']) expect((await build(a, `dripping-${name}`)).status).toBe(503);
  await untilDripping(1);
  patience(60_000, 0);
  expect((await build(a, 'harmless')).status).toBe(200);
  expect(registry.asked.slice(before).filter(path => path.startsWith('/dripping-'))).toEqual(['/dripping-c']);
});

test('if too many library resolutions are slow, the oldest fails with an error', async () => {
  Object.assign(app.part(LocksService).queue.limits, { slowMs: 1_000, maxSlow: 1 });
  patience(60_000, 0);
  const [a, b] = accounts;
  const oldest = build(a, 'dripping-f');
  await untilDripping(1);
  const newer = build(b, 'dripping-g');
  const { status, body } = await oldest;
  expect([status, body.error_message]).toEqual([503, expect.stringContaining('registry answers too slowly')]);
  await until(
    async () => [...dripping],
    ([name]) => name === '/dripping-g',
  );
  await app.part(LocksService).onApplicationShutdown();
  expect((await newer).body.error_message).toContain('shutting down');
});

test('a starting backend deletes the temporary folders of killed backends, and no others', async () => {
  await until(
    async () => existsSync(left),
    exists => !exists,
  );
  expect(existsSync(used)).toBe(true);
});
