import { appForFile } from '../../../test/test-app.js';
import { dueBefore, firesOf, makeSchedule, tick } from '../../../test/test-schedules.js';
import { fleetForEachTest } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { ReconciliationService } from '../../runs/executions/dispatch/reconciliation.service.js';
import { LeasesService } from '../../runs/executions/leases/leases.service.js';
import { MaintenanceService } from './maintenance.service.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const PATH = '/joint-api/maintenance';
const seen = async () => (await developer('GET', '/joint-api/account')).body.maintenance;
const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
const reasonOf = async (id: string) => (await execution(id)).waiting_for?.reason;
afterEach(() => admin('DELETE', PATH));

it('during maintenance, live runs can end, and new runs wait until it is over', async () => {
  const worker = await fleet.connect({ slots: 4 });
  const live = (await fleet.start({ input: 1 })).body.id;
  await worker.offers.next();
  const message = 'A larger database';
  expect((await admin('PUT', PATH, { message })).body).toEqual({
    message,
    until: null,
    started_at: expect.any(String),
  });
  expect(await seen()).toMatchObject({ message });
  const started = await fleet.start({ input: 2 });
  expect([started.status, started.body.waiting_for.reason]).toEqual([202, 'maintenance']);
  await worker.finish(live);
  expect((await execution(live)).action).toBe('end');
  for (let rounds = 0; rounds < 2; rounds += 1) await app.part(ReconciliationService).reconcileAll();
  expect(worker.offers.all).toHaveLength(1);

  expect((await admin('DELETE', PATH)).body).toEqual({ deleted: { maintenance: 1 } });
  expect(await seen()).toBeNull();
  expect((await worker.offers.next()).id).toBe(started.body.id);
  expect((await admin('DELETE', PATH)).body.error_code).toBe('not_found');
  await worker.finish(started.body.id);
});

it('maintenance becomes the waiting reason of runs that waited before, and ends at its set time', async () => {
  const { id } = (await fleet.start()).body;
  expect(await reasonOf(id)).toBe('worker_offline');
  await admin('PUT', PATH, { message: 'Short', until: '2999-01-01T00:00:00Z' });
  await app.part(LeasesService).sweep();
  expect(await reasonOf(id)).toBe('maintenance');
  const worker = await fleet.connect();
  await app.sql('UPDATE maintenance SET until = now()');
  await app.part(MaintenanceService).refresh();
  expect(await seen()).toBeNull();
  expect((await worker.offers.next()).id).toBe(id);
  await worker.finish(id);
});

it('during maintenance, schedules do not fire, and afterwards each schedule follows its catch_up', async () => {
  const fields = { skript_id: fleet.skriptId, cron_span: '* * * * *' };
  const skipping = await makeSchedule(developer, { ...fields, catch_up: 'skip', overlap: 'allow' });
  const catching = await makeSchedule(developer, { ...fields, catch_up: 'once', overlap: 'allow' });
  await admin('PUT', PATH, { message: 'Held' });
  for (const { id } of [skipping, catching]) await dueBefore(app, id, 300);
  await tick(app);
  expect(await firesOf(developer, catching.id)).toEqual([]);
  await admin('DELETE', PATH);
  await until(
    async () => {
      await tick(app);
      return (await firesOf(developer, catching.id)).map(({ outcome }) => outcome);
    },
    outcomes => outcomes.includes('fired'),
  );
  const [first] = (await firesOf(developer, skipping.id)).slice(-1);
  expect(first).toMatchObject({ outcome: 'missed', reason: expect.stringContaining('in maintenance') });
  await developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${fleet.skriptId}`);
});

it('maintenance must end in the future, and only administrators can start it', async () => {
  for (const until of ['2020-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '2020-01-01T00:00:00+20:00']) {
    const past = await admin('PUT', PATH, { message: 'Late', until });
    expect([past.status, past.body.details]).toEqual([
      400,
      [{ field: 'until', message: 'until must be in the future' }],
    ]);
  }
  expect((await developer('PUT', PATH, { message: 'Mine' })).status).toBe(403);
  expect(await seen()).toBeNull();
  await admin('PUT', PATH, { message: 'Noted' });
  const actions = async () => (await admin('GET', '/joint-api/audit/list')).body.items.map(({ action }: any) => action);
  await until(actions, all => all.includes('startMaintenance'));
});
