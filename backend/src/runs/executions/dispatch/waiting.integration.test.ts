import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { WorkerConnections, type WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { LeasesService } from '../leases/leases.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { RunStatesService } from './run-states.service.js';

const FULL = { sandbox: 'full', slots: 1 } as const;

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

afterEach(async () => {
  await developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${fleet.skriptId}`);
  await app.sql('DELETE FROM live_runs');
  await app.sql('UPDATE worker_leases SET lease_until = now(), replica_id = NULL');
  await app.sql('UPDATE workers SET public = false');
});

const connect = (hello: object = FULL) => fleet.connect(hello);

const leaseEnded = () =>
  app.sql(`UPDATE worker_leases SET lease_until = now() - interval '2 minutes' WHERE worker_id = $1`, [fleet.workerId]);

const start = async (body?: object, query = '') => (await fleet.start(body, `wait_ms=0&force=true${query}`)).body;
const run = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

/** Waits for a waiting reason of the run. Checks on each poll that every run without a worker has one. */
async function waitsFor(id: string, reason: string | null): Promise<void> {
  await until(
    async () => {
      const silent = await app.sql(
        'SELECT * FROM live_runs WHERE boot_id IS NULL AND (waiting_reason IS NULL OR waiting_since IS NULL)',
      );
      expect(silent).toEqual([]);
      const { waiting_for } = await run(id);
      if (waiting_for) expect(new Date(waiting_for.since).toISOString()).toBe(waiting_for.since);
      return waiting_for?.reason ?? null;
    },
    is => is === reason,
  );
}

it('a waiting run shows whether its worker is offline, full or restarting', async () => {
  const first = (await start()).id;
  await waitsFor(first, 'worker_offline');
  const worker = await connect();
  expect((await worker.offers.next()).id).toBe(first);
  await waitsFor(first, null);
  const second = await start();
  expect(second.waiting_for.reason).toBe('worker_full');
  await admin('POST', `/joint-api/workers/${fleet.workerId}/restart`, { mode: 'drain' });
  await waitsFor(second.id, 'worker_restarting');
  expect((await start()).waiting_for.reason).toBe('worker_restarting');
  await worker.finish(first);
  await leaseEnded();
  await waitsFor(second.id, 'worker_offline');
});

it.each(['full', 'draining', 'environment'] as const)('a run shows that its worker refused it: %s', async refused => {
  const worker = await connect();
  worker.answerToOffers = { refused };
  const { id } = await start();
  await worker.offers.next();
  await until(
    async () => (await run(id)).waiting_for,
    waiting => waiting !== null,
  );
});

it('a run shows worker_offline while its offer is unanswered, until the worker answers', async () => {
  const { id } = await start();
  const told: (string | undefined)[] = [];
  const changes = app.part(ExecutionEvents).changes.subscribe(change => told.push(change.waiting_for?.reason));
  const worker = await connect();
  worker.answerToOffers = 'none';
  await worker.offers.next();
  await waitsFor(id, 'worker_offline');
  worker.answerToOffers = { accepted: true };
  await worker.offers.next();
  await waitsFor(id, null);
  changes.unsubscribe();
  expect(told).toEqual([undefined, 'worker_offline', undefined]);
});

it('a run shows worker_offline while its worker is slow to answer, and gets no second offer', async () => {
  const worker = await connect();
  let accept = () => {};
  worker.answerToOffers = new Promise(resolve => {
    accept = () => resolve({ accepted: true });
  });
  const { id } = await start();
  await waitsFor(id, 'worker_offline');
  accept();
  await waitsFor(id, null);
  expect(worker.offers.all).toHaveLength(1);
});

it('a run with an unanswered offer shows no waiting reason once its worker reconnects with it', async () => {
  const worker = await connect();
  worker.answerToOffers = 'none';
  const { id } = await start();
  await worker.offers.next();
  worker.close();
  await waitsFor(id, 'worker_offline');
  await connect({ ...FULL, boot_id: worker.bootId, live: [id] });
  await waitsFor(id, null);
  expect((await run(id)).action).toBe('start');
});

it('a run’s waiting reason is what its worker reports, whether or not the offer counts as unanswered', async () => {
  const worker = await connect();
  const { id } = await start();
  await worker.offers.next();
  const states = app.part(RunStatesService);
  const link = app.part(WorkerConnections).get(fleet.workerId) as WorkerLink;
  await states.report(link, { id, waiting_for: 'process_starting' });
  await states.reportUnanswered(link, id);
  await states.reportAnswered(link, [id]);
  await waitsFor(id, 'process_starting');
  await states.report(link, { id, waiting_for: null });
  await states.reportUnanswered({ ...link, epoch: link.epoch - 1 }, id);
  expect((await run(id)).waiting_for).toBeNull();
});

it('a waiting run gets the slot that a heartbeat of its worker adds', async () => {
  const worker = await connect();
  await start();
  await worker.offers.next();
  const second = await start();
  expect(second.waiting_for.reason).toBe('worker_full');
  await worker.send('beat', { epoch: worker.welcome.epoch, n: 1, slots: 2, free: 1, load: 0 });
  expect((await worker.offers.next()).id).toBe(second.id);
});

it('a paused retry never gets the reason worker_full while its worker has a free slot', async () => {
  const worker = await connect({ ...FULL, slots: 2 });
  const { id } = await start({}, '&retries=1&retry_delay_ms=3600000');
  await worker.offers.next();
  await worker.finish(id, { action: 'error', output: null, error_code: 'exception', error_stack: 'Error: no' });
  const [next] = (await developer('GET', `/joint-api/skript-execution/list?retry_of=${id}`)).body.items;
  await developer('GET', `/joint-api/execute-skript/single-worker/pause?execution_id=${next.id}`);
  await app.sql('UPDATE live_runs SET run_after = now() WHERE execution_id = $1', [next.id]);
  await app.part(LeasesService).sweep();
  expect(await app.sql('SELECT waiting_reason FROM live_runs WHERE execution_id = $1', [next.id])).toEqual([
    { waiting_reason: 'retry_scheduled' },
  ]);
});

it('a run for any worker shows when none is available or supports its environment', async () => {
  await app.sql('UPDATE workers SET public = false');
  const { id, waiting_for } = await start({ worker_id: 'any' });
  expect(waiting_for.reason).toBe('no_suitable_worker');
  await app.sql('UPDATE workers SET public = true WHERE id = $1', [fleet.workerId]);
  await waitsFor(id, 'worker_offline');
  await connect({ ...FULL, environments: ['browser'] });
  await waitsFor(id, 'no_suitable_worker');
});

it('a run shows no waiting reason while paused, and retry_scheduled before its next attempt', async () => {
  const { id } = await start({}, '&retries=1&retry_delay_ms=3600000');
  await waitsFor(id, 'worker_offline');
  const command = async (name: 'pause' | 'resume') =>
    (await developer('GET', `/joint-api/execute-skript/single-worker/${name}?execution_id=${id}`)).body;
  expect(await command('pause')).toMatchObject([{ action: 'pause', waiting_for: null }]);
  expect(await command('resume')).toMatchObject([{ action: 'start', waiting_for: { reason: 'worker_offline' } }]);
  const worker = await connect();
  await worker.offers.next();
  await worker.finish(id, { action: 'error', output: null, error_code: 'exception', error_stack: 'Error: no' });
  const [next] = (await developer('GET', `/joint-api/skript-execution/list?retry_of=${id}`)).body.items;
  expect(next.waiting_for).toMatchObject({ reason: 'retry_scheduled', until: expect.any(String) });
  await leaseEnded();
  await app.sql('UPDATE live_runs SET run_after = now() WHERE execution_id = $1', [next.id]);
  await waitsFor(next.id, 'worker_offline');
});

it('the database refuses a run that has neither a worker nor a waiting reason', async () => {
  const { id } = await start();
  await expect(
    app.sql('UPDATE live_runs SET waiting_reason = NULL, waiting_since = NULL WHERE execution_id = $1', [id]),
  ).rejects.toThrow('live_runs_wait_for_something');
});
