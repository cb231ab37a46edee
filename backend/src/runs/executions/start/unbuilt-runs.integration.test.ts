import { randomUUID } from 'node:crypto';
import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { type Api, startTestApp, type TestApp } from '../../../../test/test-app.js';
import { dueBefore, firesOf, makeSchedule, tick } from '../../../../test/test-schedules.js';
import { makeWorkerAndSkript, type TestFleet, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { BundlesService } from '../../skripts/bundles/bundles.service.js';
import { LocksService } from '../../skripts/bundles/locks.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { UnbuiltRuns } from './unbuilt-runs.service.js';

const registry = new RegistryStandIn();
let app: TestApp;
let api: Api;
let fleet: TestFleet;
let worker: TestWorker;
let n = 0;

beforeAll(async () => {
  await registry.open();
  app = await startTestApp({ settings: { npmRegistry: registry.url } });
  api = await app.as('developer');
  fleet = await makeWorkerAndSkript(app, 'unbuilt');
});
beforeEach(async () => {
  app.part(BundlesService).waitsMs.start = 1;
  worker = await fleet.connect();
});
afterEach(() => {
  registry.answer = () => false;
  worker.close();
});
afterAll(async () => {
  await app?.close();
  await registry.close();
});

/**
 * Makes the skript require a new library. The registry does not answer calls about the library until the returned
 * function is called. If that gets a status, the registry answers with the status and without a body.
 */
async function withSlowLibrary({ isPublished = true } = {}) {
  const library = `slow-${++n}`;
  if (isPublished) registry.publish(library);
  const { files } = (await api('GET', `/joint-api/skripts/${fleet.skriptId}`)).body;
  const idOf = (name: string) => files.find((file: { name: string }) => file.name === name)?.id;
  const contents = {
    'main.js': `module.exports = async () => require('${library}');`,
    'package.json': JSON.stringify({ dependencies: { [library]: '1' } }),
  };
  for (const [name, content] of Object.entries(contents)) {
    if (idOf(name)) await api('PUT', `/joint-api/skript-files/${idOf(name)}`, { content });
    else await api('POST', '/joint-api/skript-files/addnew', { skript_id: fleet.skriptId, name, content });
  }
  let answer = (_status?: number): void => {};
  const answered = new Promise<number | undefined>(resolve => {
    answer = resolve;
  });
  registry.answer = (request, response) => {
    void answered.then(async status => {
      if (status !== undefined) return response.writeHead(status).end();
      registry.answer = () => false;
      const own = await fetch(new URL(request.url ?? '', registry.url));
      return response.writeHead(own.status, { 'content-type': 'application/json' }).end(await own.text());
    });
    return true;
  };
  return answer;
}

const read = async (id: string) => (await api('GET', `/joint-api/skript-execution/${id}`)).body;
const untilEnded = (id: string) =>
  until(
    () => read(id),
    ({ action }) => action !== 'start',
  );
/** Registers another backend, which stays alive however slow the machine is. */
async function otherBackend(id: string = randomUUID()): Promise<string> {
  await app.sql("INSERT INTO backends (id, seen_at) VALUES ($1, now() + interval '1 hour')", [id]);
  return id;
}
const adopt = () => app.part(UnbuiltRuns).adopt();

test('a run is accepted and waits while its libraries are resolved, then starts once with its bundle', async () => {
  const answer = await withSlowLibrary();
  const { status, body } = await fleet.start();
  expect([status, body.action, body.bundle_hash, body.started_at]).toEqual([202, 'start', null, null]);
  expect(body.waiting_for).toEqual({ reason: 'libraries_resolving', since: expect.any(String) });
  // It is a live run like any other, although a worker has free slots.
  expect((await fleet.start()).body).toMatchObject({
    error_code: 'already_running',
    details: { execution_id: body.id },
  });
  const multi = { worker_ids: [fleet.workerId], skript_id: fleet.skriptId };
  const other = await api('POST', '/joint-api/execute-skript/multi-worker/start?wait_ms=0&force=true', multi);
  expect(other.body.results[0].execution.waiting_for.reason).toBe('libraries_resolving');
  await adopt();
  expect([worker.offers.all, (await read(body.id)).waiting_for.reason]).toEqual([[], 'libraries_resolving']);
  answer();
  const offers = [await worker.offers.next(), await worker.offers.next()];
  expect(new Set(offers.map(({ id }) => id))).toEqual(new Set([body.id, other.body.results[0].execution.id]));
  expect(offers[0]?.lock).toMatch(/^[0-9a-f]{64}$/);
  expect(await read(body.id)).toMatchObject({ bundle_hash: offers[0]?.bundle, waiting_for: null });
  for (const { id } of offers) await worker.finish(id);
  expect((await read(body.id)).action).toBe('end');
  expect(registry.asked.filter(path => path === `/slow-${n}`)).toHaveLength(2);
  // The lock is known now.
  const again = await fleet.start();
  expect([again.body.bundle_hash, again.body.waiting_for]).toEqual([offers[0]?.bundle, null]);
  await worker.finish((await worker.offers.next()).id);
});

test('a run that waits for its libraries can be stopped, and paused until it is resumed', async () => {
  const answer = await withSlowLibrary();
  const stopped = (await fleet.start()).body.id;
  const controls = (command: string, id: string) =>
    api('GET', `/joint-api/execute-skript/single-worker/${command}?execution_id=${id}`);
  expect((await controls('stop', stopped)).body[0].action).toBe('stop');
  const paused = (await fleet.start()).body.id;
  expect((await controls('pause', paused)).body[0].action).toBe('pause');
  answer();
  await until(
    () => read(paused),
    ({ bundle_hash }) => bundle_hash !== null,
  );
  expect(worker.offers.all).toEqual([]);
  await controls('resume', paused);
  expect((await worker.offers.next()).id).toBe(paused);
  await worker.finish(paused);
  expect(await read(stopped)).toMatchObject({ action: 'stop', bundle_hash: null, error_code: null });
});

test('stopping the only run that waits for libraries ends their resolution', async () => {
  await withSlowLibrary();
  const { continueMs } = app.part(BundlesService);
  continueMs.start = 0;
  let isClosed = false;
  registry.answer = (_request, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    return registry.drip(response);
  };
  const asked = registry.asked.length;
  const { id } = (await fleet.start()).body;
  await until(
    async () => registry.asked.length,
    count => count > asked,
  );
  expect(isClosed).toBe(false);
  await api('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${id}`);
  await until(
    async () => isClosed,
    closed => closed,
  );
});

test('runs queued for the resolution of their libraries show their place in the queue', async () => {
  const { limits } = app.part(LocksService).queue;
  limits.atOnce = 0;
  await withSlowLibrary();
  const first = (await fleet.start()).body.id;
  const placeOf = async (id: string) => {
    const { reason, place, of } = (await read(id)).waiting_for;
    return `${reason}: ${place} of ${of}`;
  };
  const untilPlace = (id: string, place: string) =>
    until(
      () => placeOf(id),
      shown => shown === `libraries_resolving: ${place}`,
    );
  await untilPlace(first, '1 of 1');
  const changes: unknown[] = [];
  const events = app.part(ExecutionEvents).changes;
  const subscription = events.subscribe(({ id, waiting_for }) => id === first && changes.push(waiting_for));
  // Another skript of the account.
  const skriptId = (await api('POST', '/joint-api/skripts/addnew', { title: 'Another' })).body.id;
  const content = JSON.stringify({ dependencies: { [`slow-${n}`]: '^1' } });
  const file = { skript_id: skriptId, name: 'package.json', content };
  await api('POST', '/joint-api/skript-files/addnew', file);
  await api('POST', '/joint-api/skript-files/addnew', { ...file, name: 'main.js', content: '' });
  const start = { worker_id: fleet.workerId, skript_id: skriptId };
  const second = (await api('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', start)).body.id;
  await untilPlace(second, '2 of 2');
  await untilPlace(first, '1 of 2');
  expect(changes.at(-1)).toMatchObject({ reason: 'libraries_resolving', place: 1, of: 2 });
  subscription.unsubscribe();
  const stop = (id: string) => api('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${id}`);
  limits.atOnce = 2;
  await stop(first);
  await untilPlace(second, 'undefined of undefined');
  await stop(second);
});

test('a run whose libraries are being resolved shows how many packages npm has found, and so does a build', async () => {
  await withSlowLibrary();
  registry.publish(`slow-${n}`, { manifest: { dependencies: { silent: '1' } } });
  registry.answer = ({ url }, response) => url === '/silent' && registry.drip(response);
  const { id } = (await fleet.start()).body;
  const { waiting_for } = await until(
    () => read(id),
    run => run.waiting_for.packages !== undefined,
  );
  expect(waiting_for).toEqual({ reason: 'libraries_resolving', since: expect.any(String), packages: 1 });
  const { waitsMs, continueMs } = app.part(BundlesService);
  waitsMs.build = 1;
  // Afterwards no call needs this resolution, and it frees its place for the next test.
  continueMs.build = 0;
  const { status, body } = await api('POST', `/joint-api/skripts/${fleet.skriptId}/bundle`);
  expect([status, body.error_message]).toEqual([503, expect.stringContaining('Packages found so far: 1.')]);
  await api('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${id}`);
});

test('a run ends with the reason if one of its libraries does not exist or the npm registry fails', async () => {
  const missing = await withSlowLibrary({ isPublished: false });
  const first = (await fleet.start({}, 'wait_ms=0&retries=3')).body.id;
  missing();
  expect(await untilEnded(first)).toMatchObject({
    action: 'error',
    error_code: 'bundle_failed',
    error_stack: expect.stringMatching(/^package\.json:1:\d+: The npm registry has no library slow-\d+@1\. /),
  });
  const failing = await withSlowLibrary();
  const second = (await fleet.start()).body.id;
  failing(502);
  expect(await untilEnded(second)).toMatchObject({
    error_code: 'libraries_failed',
    error_stack: expect.stringContaining('registry is unreachable or returned an error'),
  });
  expect(worker.offers.all).toEqual([]);
});

test('if the registry fails while a start waits, the start is accepted and its run ends as libraries_failed', async () => {
  app.part(BundlesService).waitsMs.start = 60_000;
  const failing = await withSlowLibrary();
  failing(502);
  const { status, body } = await fleet.start();
  expect([status, body.waiting_for?.reason]).toEqual([202, 'libraries_resolving']);
  registry.answer = (_request, response) => {
    response.writeHead(502).end();
    return true;
  };
  expect((await untilEnded(body.id)).error_code).toBe('libraries_failed');
});

test('a run that waits for its libraries is taken over by another backend only after its own was killed', async () => {
  await withSlowLibrary();
  const { id } = (await fleet.start()).body;
  const [{ builder } = { builder: '' }] = await app.sql<{ builder: string }>('SELECT builder FROM live_runs');
  worker.close();
  await app.stop();
  // As if the backend had been killed, and this one were another.
  await otherBackend(builder);
  registry.answer = () => false;
  await app.start();
  api = await app.as('developer');
  worker = await fleet.connect();
  await adopt();
  expect(await app.sql('SELECT builder FROM live_runs')).toEqual([{ builder }]);
  await app.sql("UPDATE backends SET seen_at = now() - interval '16 s' WHERE id = $1", [builder]);
  await adopt();
  expect((await worker.offers.next()).id).toBe(id);
  await worker.finish(id);
  expect((await read(id)).action).toBe('end');
});

test('a backend neither starts nor ends a run that another backend took over while libraries were resolved', async () => {
  for (const status of [undefined, 502]) {
    const answer = await withSlowLibrary();
    const { id } = (await fleet.start({}, 'wait_ms=0&force=true')).body;
    const builder = await otherBackend();
    await app.sql('UPDATE live_runs SET builder = $1 WHERE execution_id = $2', [builder, id]);
    answer(status);
    const other = await withSlowLibrary();
    other();
    const next = (await fleet.start({}, 'wait_ms=0&force=true')).body.id;
    expect((await worker.offers.next()).id).toBe(next);
    await worker.finish(next);
    expect(await read(id)).toMatchObject({ action: 'start', waiting_for: { reason: 'libraries_resolving' } });
    await api('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${id}`);
  }
});

test('a schedule fires at once although its run has to wait for libraries', async () => {
  const answer = await withSlowLibrary();
  const { id } = await makeSchedule(api, { skript_id: fleet.skriptId, worker_id: fleet.workerId });
  await dueBefore(app, id, 1);
  await tick(app);
  const [fire] = await firesOf(api, id);
  expect(fire).toMatchObject({ outcome: 'fired', execution: { action: 'start' } });
  const run = await read(fire.execution.id);
  expect([run.waiting_for.reason, run.schedule.id]).toEqual(['libraries_resolving', id]);
  answer();
  expect((await worker.offers.next()).id).toBe(run.id);
  await worker.finish(run.id);
});
