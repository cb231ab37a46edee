import { appForFile } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';

const { app, developer, admin } = appForFile();
let fleet: TestFleet;
let worker: TestWorker;
let userId: string;

beforeAll(async () => {
  fleet = await makeWorkerAndSkript(app, 'disabled');
  worker = await fleet.connect({ slots: 2 });
  userId = (await developer('GET', '/joint-api/account')).body.id;
});
afterAll(() => worker.close());

const start = async (query = '') => (await fleet.start({}, `wait_ms=0&force=true${query}`)).body.id as string;
const rowsOf = (ids: string[]) =>
  app.sql<{ action: string; error_code: string | null }>(
    'SELECT action, error_code FROM executions WHERE id = ANY ($1) ORDER BY id',
    [ids],
  );

it('disabling an account stops its live runs, and its waiting runs and retries fail with account_disabled', async () => {
  const failing = await start('&retries=3&retry_delay_ms=3600000');
  await worker.offers.next();
  await worker.finish(failing, { action: 'error', output: null, error_code: 'exception', error_stack: 'no' });
  const [again] = await app.sql<{ id: string }>('SELECT id FROM executions WHERE retry_of = $1', [failing]);
  const live = [await start('&retries=3'), await start()];
  await worker.offers.next();
  await worker.offers.next();
  const waiting = [again?.id as string, await start()];

  expect((await admin('PUT', `/joint-api/users/${userId}`, { disabled: true })).status).toBe(200);
  const told = [await worker.controls.next(), await worker.controls.next()];
  expect(told.map(({ id, cmd }) => `${cmd} ${id}`).sort()).toEqual(live.map(id => `stop ${id}`).sort());
  await until(
    () => rowsOf(waiting),
    rows => rows.every(({ action }) => action === 'error'),
  );
  expect(await rowsOf(waiting)).toEqual(waiting.map(() => ({ action: 'error', error_code: 'account_disabled' })));
  for (const id of live)
    await worker.finish(id, { action: 'error', output: null, error_code: 'exception', error_stack: 'no' });
  expect(await app.sql('SELECT 1 FROM live_runs')).toEqual([]);
});
