import { SchedulerRegistry } from '@nestjs/schedule';
import { appForFile } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../../../test/test-worker.js';
import { VerdictsService } from '../verdicts/verdicts.service.js';
import { OffersService } from './offers.service.js';
import { ReconciliationService } from './reconciliation.service.js';

const SLOTS = 8;

const { app, admin } = appForFile();
let fleet: TestFleet;
let worker: TestWorker;

beforeAll(async () => {
  fleet = await makeWorkerAndSkript(app, 'refill');
});
afterAll(() => worker?.close());

const start = (on = fleet) => on.start({}, 'wait_ms=0&force=true');

/** Stops the regular reconciliation, which would find runs that a refill missed. A test can still call it itself. */
function stopPolling(): void {
  const registry = app.part(SchedulerRegistry);
  for (const name of registry.getIntervals()) registry.deleteInterval(name);
}

const offers = async () => {
  const ids: string[] = [];
  while (ids.length < SLOTS) ids.push((await worker.offers.next()).id);
  return ids;
};

test('a worker gets a waiting run for every freed slot, even if many runs end at once', async () => {
  worker = await fleet.connect({ sandbox: 'full', slots: SLOTS });
  stopPolling();
  await app.sql(`UPDATE worker_leases SET lease_until = now() + interval '1 hour'`);
  await Promise.all(Array.from({ length: 3 * SLOTS }, () => start()));

  const first = await offers();
  await Promise.all(first.map(id => worker.finish(id)));
  const second = await offers();
  await Promise.all(second.map(id => worker.finish(id)));
  const third = await offers();
  expect(new Set([...first, ...second, ...third]).size).toBe(3 * SLOTS);

  // After this no run is waiting. A run that starts to wait later must still be taken.
  await Promise.all(third.map(id => worker.finish(id)));
  await Promise.all(Array.from({ length: SLOTS + 1 }, () => start()));
  const [one] = await offers();
  await worker.finish(String(one));
  await worker.offers.next();
});

test('slots of runs that wait for a verdict are filled at once', async () => {
  const storing = await makeWorkerAndSkript(app, 'refill-storing');
  const busy = await storing.connect({ sandbox: 'full', slots: 2 });
  stopPolling();
  await app.sql(`UPDATE worker_leases SET lease_until = now() + interval '1 hour'`);
  for (let n = 0; n < 4; n++) await start(storing);
  const judging = jest.spyOn(app.part(VerdictsService), 'judge').mockReturnValue(new Promise(() => {}));
  const running = [(await busy.offers.next()).id, (await busy.offers.next()).id];
  await Promise.all(running.map(id => busy.finish(id, { rows: 5 })));
  const next = [(await busy.offers.next()).id, (await busy.offers.next()).id];
  expect(new Set([...running, ...next]).size).toBe(4);
  judging.mockRestore();
  for (const id of next) await busy.finish(id);
  busy.close();
});

test('a waiting run that another backend inserted is offered at the first run end after a reconciliation', async () => {
  const other = await makeWorkerAndSkript(app, 'refill-other');
  const busy = await other.connect({ sandbox: 'full', slots: 1 });
  stopPolling();
  await app.sql(`UPDATE worker_leases SET lease_until = now() + interval '1 hour'`);
  await start(other);
  const { body: late } = await start(other);
  const mayBegin = (at: string) => app.sql(`UPDATE live_runs SET run_after = ${at} WHERE execution_id = $1`, [late.id]);
  await mayBegin(`now() + interval '1 hour'`);
  await busy.finish((await busy.offers.next()).id);
  await app.part(ReconciliationService).reconcileAll(); // finds no waiting run
  await start(other);
  await mayBegin('NULL'); // as if another backend had inserted it now, without an event here
  await app.part(ReconciliationService).reconcileAll();
  await busy.finish((await busy.offers.next()).id);
  expect(await busy.offers.next()).toMatchObject({ id: late.id });
  busy.close();
});

test('reconciliation looks for waiting runs only on the workers that these runs may use', async () => {
  await app.sql('DELETE FROM live_runs');
  const [one, other, away] = await Promise.all(
    ['refill-one', 'refill-second', 'refill-away'].map(title => makeWorkerAndSkript(app, title)),
  );
  const idle = [await one?.connect({ sandbox: 'full' }), await other?.connect({ sandbox: 'full' })];
  stopPolling();
  await app.sql(`UPDATE worker_leases SET lease_until = now() + interval '1 hour'`);
  const looks = jest.spyOn(app.part(OffersService), 'offerWaiting');
  const lookedAt = async () => {
    looks.mockClear();
    await app.part(ReconciliationService).reconcileAll();
    return new Set(looks.mock.calls.map(([link]) => link.workerId));
  };
  await start(away);
  expect(await lookedAt()).toEqual(new Set());
  const { body: run } = await start(away);
  // As if another backend had inserted it.
  await app.sql('UPDATE live_runs SET worker_id = $2 WHERE execution_id = $1', [run.id, one?.workerId]);
  expect(await lookedAt()).toEqual(new Set([one?.workerId]));
  await start(away);
  await app.sql('UPDATE live_runs SET worker_id = NULL WHERE boot_id IS NULL');
  const all = await lookedAt();
  for (const fleetOf of [one, other]) expect(all).toContain(fleetOf?.workerId);
  looks.mockRestore();
  for (const each of idle) each?.close();
});

describe('an account limited to a share of each worker', () => {
  const PERCENT = 75;
  const TAKEN = (SLOTS * PERCENT) / 100;
  beforeAll(() => {
    app.config.accountSlotsPercent = PERCENT;
  });
  afterAll(() => {
    app.config.accountSlotsPercent = 100;
  });

  test('gets no more slots than its share, and another one as soon as one of its runs ends', async () => {
    await app.sql('DELETE FROM live_runs');
    const shared = await makeWorkerAndSkript(app, 'refill-shared');
    const busy = await shared.connect({ sandbox: 'full', slots: SLOTS });
    stopPolling();
    const started = [];
    for (let n = 0; n < SLOTS + 2; n += 1) started.push((await start(shared)).body);
    expect(started.map(run => run.waiting_for?.reason ?? null)).toEqual([
      ...Array(TAKEN).fill(null),
      ...Array(SLOTS + 2 - TAKEN).fill('worker_full'),
    ]);
    await app.part(ReconciliationService).reconcileAll();
    const offered: string[] = [];
    while (offered.length < TAKEN) offered.push((await busy.offers.next()).id);
    expect(busy.offers.all).toHaveLength(TAKEN);
    for (const run of started.slice(TAKEN)) {
      await busy.finish(String(offered.shift()));
      expect((await busy.offers.next()).id).toBe(run.id);
    }
    expect(busy.offers.all).toHaveLength(SLOTS + 2);
    busy.close();
  });
});

test('a freed slot goes to the account with the fewest runs on workers', async () => {
  await app.sql('DELETE FROM live_runs'); // runs of earlier tests would count
  const crowded = await makeWorkerAndSkript(app, 'refill-crowded');
  const shared = await crowded.connect({ sandbox: 'full', slots: 2 });
  const developers: string[] = [];
  for (let n = 0; n < 5; n += 1) developers.push((await start(crowded)).body.id);
  const { body: skript } = await admin('POST', '/joint-api/skripts/addnew', { title: 'of the administrator' });
  const mainJs = { skript_id: skript.id, name: 'main.js', content: 'module.exports = () => {};\n' };
  await admin('POST', '/joint-api/skript-files/addnew', mainJs);
  const startAdmins = () =>
    admin('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true', {
      worker_id: crowded.workerId,
      skript_id: skript.id,
    });
  const admins: string[] = [(await startAdmins()).body.id, (await startAdmins()).body.id];

  const nextOffer = async () => (await shared.offers.next()).id;
  expect([await nextOffer(), await nextOffer()]).toEqual(developers.slice(0, 2));
  await shared.finish(String(developers[0]));
  expect(await nextOffer()).toBe(admins[0]);
  await shared.finish(String(developers[1]));
  expect(await nextOffer()).toBe(developers[2]);
  await shared.finish(String(admins[0]));
  expect(await nextOffer()).toBe(admins[1]);
  shared.close();
});
