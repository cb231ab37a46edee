import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';

jest.setTimeout(60_000);

const EXECUTE = '/joint-api/execute-skript/single-worker';

let app: TestApp;
let developer: Api;
let admin: Api;
let fleet: TestFleet;
let worker: TestWorker;
let userId: string;

beforeAll(async () => {
  app = await startTestApp();
  [developer, admin] = [await app.as('developer'), await app.as('admin')];
  fleet = await makeWorkerAndSkript(app, 'disabled');
  worker = await TestWorker.connect(app, fleet.key, { slots: 2 });
  userId = (await developer('GET', '/joint-api/account')).body.id;
});
afterAll(async () => {
  worker.close();
  await app.close();
});

const start = async (query = '') => {
  const { body } = await developer('POST', `${EXECUTE}/start?wait_ms=0&force=true${query}`, {
    worker_id: fleet.workerId,
    skript_id: fleet.skriptId,
  });
  return body.id as string;
};
const rowsOf = (ids: string[]) =>
  app.sql<{ action: string; error_code: string | null }>(
    'SELECT action, error_code FROM executions WHERE id = ANY ($1) ORDER BY id',
    [ids],
  );

it('the runs of an account that is disabled are stopped, and those that wait are ended with the reason, retries too', async () => {
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
