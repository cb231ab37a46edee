import { SchedulerRegistry } from '@nestjs/schedule';
import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { DispatcherService } from './dispatcher.service.js';

jest.setTimeout(60_000);

const SLOTS = 8;

let app: TestApp;
let developer: Api;
let fleet: TestFleet;
let worker: TestWorker;

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
  fleet = await makeWorkerAndSkript(app, 'refill');
});
afterAll(async () => {
  worker?.close();
  await app.close();
});

const start = ({ workerId, skriptId } = fleet) =>
  developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true', {
    worker_id: workerId,
    skript_id: skriptId,
  });

/** The look of every second, which would find what was forgotten, comes only when a test asks for it. */
function stopLooks(): void {
  const registry = app.part(SchedulerRegistry);
  for (const name of registry.getIntervals()) registry.deleteInterval(name);
}

const offers = async () => {
  const ids: string[] = [];
  while (ids.length < SLOTS) ids.push((await worker.offers.next()).id);
  return ids;
};

test('each slot that becomes free is taken by a run that waits, however many end at a moment', async () => {
  worker = await TestWorker.connect(app, fleet.key, { sandbox: 'full', slots: SLOTS });
  stopLooks();
  await app.sql(`UPDATE worker_leases SET lease_until = now() + interval '1 hour'`);
  await Promise.all(Array.from({ length: 3 * SLOTS }, () => start()));

  const first = await offers();
  await Promise.all(first.map(id => worker.finish(id)));
  const second = await offers();
  await Promise.all(second.map(id => worker.finish(id)));
  const third = await offers();
  expect(new Set([...first, ...second, ...third]).size).toBe(3 * SLOTS);

  // Its looks find nothing that waits now; what waits later is taken all the same.
  await Promise.all(third.map(id => worker.finish(id)));
  await Promise.all(Array.from({ length: SLOTS + 1 }, () => start()));
  const [one] = await offers();
  await worker.finish(String(one));
  await worker.offers.next();
});

test('a run that another backend inserted while every slot was taken is begun by an end after the next look', async () => {
  const other = await makeWorkerAndSkript(app, 'refill-other');
  const busy = await TestWorker.connect(app, other.key, { sandbox: 'full', slots: 1 });
  stopLooks();
  await app.sql(`UPDATE worker_leases SET lease_until = now() + interval '1 hour'`);
  await start(other);
  const { body: late } = await start(other);
  const mayBegin = (at: string) => app.sql(`UPDATE live_runs SET run_after = ${at} WHERE execution_id = $1`, [late.id]);
  await mayBegin(`now() + interval '1 hour'`);
  await busy.finish((await busy.offers.next()).id);
  await app.part(DispatcherService).dispatchAll(); // finds that none waits
  await start(other);
  await mayBegin('NULL'); // as if it had come now, by way of another backend: no event tells of it
  await app.part(DispatcherService).dispatchAll();
  await busy.finish((await busy.offers.next()).id);
  expect(await busy.offers.next()).toMatchObject({ id: late.id });
  busy.close();
});
