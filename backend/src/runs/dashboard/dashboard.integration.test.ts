import { appForFile } from '../../../test/test-app.js';
import { makeWorkerAndSkript } from '../../../test/test-worker.js';
import { IssuesService } from '../issues/issues.service.js';

const { app } = appForFile();

it('the dashboard shows an account figures of its own runs, and administrators also those of the platform', async () => {
  const [admin, developer] = [await app.as('admin'), await app.as('developer')];
  const { skriptId, connect, start: startWith } = await makeWorkerAndSkript(app, 'dashboard');
  const worker = await connect({ slots: 3 });
  const start = async (input: number) => (await startWith({ input })).body.id;
  const [ended, failed] = [await start(1), await start(2)];
  const [running, waiting, newest] = [await start(3), await start(4), await start(5)];
  await worker.finish(ended);
  await worker.finish(failed, { action: 'error', output: null, error_code: 'exception', error_stack: 'Error' });
  // After the fifth offer, the two runs that waited have taken the two slots.
  for (let offers = 0; offers < 5; offers++) await worker.offers.next();
  await developer('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${newest}`);
  await worker.finish(newest, { action: 'stop', output: null });
  const { status, body } = await developer('GET', '/joint-api/dashboard');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    skripts: { total: 1, newest: { id: skriptId, title: 'dashboard' } },
    runs: {
      total: 5,
      total_capped: false,
      under_way: 2,
      waiting: 0,
      today: { total: 5, capped: false, start: 2, pause: 0, stop: 1, end: 1, error: 1 },
    },
    workers: { online: 1, total: 1 },
    quotas: { skripts: { limit: null, used: 1 } },
    free_worker: null,
    platform: null,
    late: { total: 0, items: [] },
  });
  expect(body.live_runs.map(({ id }: { id: string }) => id)).toEqual([waiting, running]);
  const keys = ([run]: object[]) => Object.keys(run ?? {}).sort();
  expect(keys(body.live_runs)).toEqual(keys(body.recent_runs));
  expect(body.recent_runs.map(({ id }: { id: string }) => id)).toEqual([newest, waiting, running, failed, ended]);

  // The running one was created two hours before the others, and has waited a minute for its worker.
  await app.sql(`UPDATE executions SET created_at = date_trunc('hour', now()), started_at = date_trunc('hour', now())`);
  await app.sql(
    `UPDATE executions SET created_at = created_at - interval '2 hours', started_at = started_at - interval '119 minutes'
     WHERE id = $1`,
    [running],
  );
  await app.sql('UPDATE executions SET row_count = 20 WHERE id = ANY($1)', [[ended, failed]]);
  const write = (name: string | null, inserted: number) => ({
    store: 'mongodb',
    database: null,
    name,
    inserted,
    updated: 1,
    deleted: 9,
  });
  const writes = [write('books', 5), write(null, 2), write(`dataset_${skriptId}`, 20), write(`kv_${skriptId}`, 7)];
  await app.sql('UPDATE executions SET writes = $2 WHERE id = $1', [ended, JSON.stringify(writes)]);
  const series = (hours: number) => developer('GET', `/joint-api/dashboard/series?hours=${hours}`);
  const none = { start: 0, pause: 0, stop: 0, end: 0, error: 0, rows: 0, wait_ms_median: null, wait_ms_max: null };
  const { hours } = (await series(4)).body;
  expect(hours).toHaveLength(4);
  const [first, second, third, ...later] = hours.slice(hours.findIndex(({ start }: { start: number }) => start === 1));
  expect(first).toMatchObject({ ...none, start: 1, wait_ms_median: 60_000, wait_ms_max: 60_000 });
  expect(third).toMatchObject({
    start: 1,
    pause: 0,
    stop: 1,
    end: 1,
    error: 1,
    // Two datasets of 20 rows, 5 + 1 documents of a collection and 2 + 1 of others.
    rows: 49,
    wait_ms_median: 0,
    wait_ms_max: 0,
  });
  for (const hour of [second, ...later]) expect(hour).toMatchObject(none);
  expect((await series(1)).body.hours).toHaveLength(1);
  const all = (await admin('GET', '/joint-api/dashboard/platform-series?hours=4')).body.hours;
  expect([all, (await admin('GET', '/joint-api/dashboard/series?hours=4')).body.hours]).toEqual([
    hours,
    hours.map(({ hour }: { hour: string }) => ({ hour, ...none })),
  ]);
  const platform = (await admin('GET', '/joint-api/dashboard')).body;
  expect(platform).toMatchObject({
    skripts: { total: 0, newest: null },
    runs: { under_way: 0, today: { total: 0 } },
    recent_runs: [],
    platform: {
      users: 2,
      skripts: 1,
      runs: { under_way: 2, today: { total: 5, error: 1 } },
      workers: { online: 1, total: 1 },
      waiting_for_worker: 0,
      last_hour: { runs: expect.any(Number), capped: false, wait_ms_p95: expect.any(Number) },
      oldest_waiting_ms: null,
    },
  });
  worker.close();
});

it('the dashboard shows open issues, not runs: the ones that failed last, with their number', async () => {
  const developer = await app.as('developer');
  const { connect, start } = await makeWorkerAndSkript(app, 'failing');
  const worker = await connect({ slots: 1 });
  const fail = async (error_stack: string) => {
    const { id } = (await start({})).body;
    await worker.offers.next();
    await worker.finish(id, { action: 'error', output: null, error_code: 'exception', error_stack });
    return id;
  };
  await fail('Error: no prices');
  const last = await fail('Error: no prices');
  const other = await fail('Error: no names');
  await app.part(IssuesService).countFailures();
  const issues = async () => (await developer('GET', '/joint-api/dashboard')).body.issues;
  const { total, newest } = await issues();
  expect(newest.filter(({ skript }: any) => skript.name === 'failing')).toMatchObject([
    { message: 'Error: no names', runs: 1, last_run_id: other },
    { message: 'Error: no prices', runs: 2, last_run_id: last },
  ]);
  await developer('PUT', `/joint-api/issues/${newest.find(({ runs }: any) => runs === 2).id}`, { status: 'muted' });
  expect((await issues()).total).toBe(total - 1);
  worker.close();
});

it('the dashboard shows runs that wait for more than a minute, and schedules with a problem or an overdue fire', async () => {
  const developer = await app.as('developer');
  const { skriptId, workerId, connect, start } = await makeWorkerAndSkript(app, 'late');
  const worker = await connect({ slots: 1 });
  const started = async (input: string) => (await start({ input })).body.id;
  await started('running');
  await worker.offers.next();
  const [late, retried] = [await started('late'), await started('retried')];
  await started('recent');
  await app.sql(`UPDATE live_runs SET waiting_since = now() - interval '2 minutes' WHERE execution_id = ANY($1)`, [
    [late, retried],
  ]);
  await app.sql(`UPDATE live_runs SET waiting_reason = 'retry_scheduled' WHERE execution_id = $1`, [retried]);
  const newSchedule = async (name: string, change: string) => {
    const fields = { name, cron_span: '0 0 1 1 *', time_zone: 'UTC', worker_id: workerId, skript_id: skriptId };
    const { id } = (await developer('POST', '/joint-api/schedules/addnew', fields)).body;
    await app.sql(`UPDATE schedules SET ${change} WHERE id = $1`, [id]);
    return id;
  };
  const troubled = await newSchedule(
    'troubled',
    `problem = 'No worker.', problem_code = 'worker_not_found', problem_since = now() - interval '1 hour'`,
  );
  await newSchedule(
    'disabled',
    `enabled = false, next_fire_at = NULL, problem = 'No worker.', problem_code = 'worker_not_found', problem_since = now()`,
  );
  const { total, items } = (await developer('GET', '/joint-api/dashboard')).body.late;
  expect(total).toBe(2);
  expect(items).toMatchObject([
    { kind: 'schedule', id: troubled, name: 'troubled', reason: 'No worker.' },
    { kind: 'run', id: late, name: 'late', reason: expect.any(String) },
  ]);
  worker.close();
});
