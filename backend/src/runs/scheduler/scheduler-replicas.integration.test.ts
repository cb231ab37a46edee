import type { NestExpressApplication } from '@nestjs/platform-express';
import { Client } from 'pg';
import { pino } from 'pino';
import { type Api, startTestApp, type TestApp } from '../../../test/test-app.js';
import { dueBefore, firesOf, makeSchedule, tick } from '../../../test/test-schedules.js';
import { makeWorkerAndSkript, type TestFleet } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { createApp } from '../../app.js';
import { SchedulerService } from './scheduler.service.js';

const MANY = 200;

let app: TestApp;
let second: NestExpressApplication;
let developer: Api;
let fleet: TestFleet;

beforeAll(async () => {
  app = await startTestApp();
  second = await createApp(app.config, pino({ level: 'silent' }));
  await second.init();
  developer = await app.as('developer');
  fleet = await makeWorkerAndSkript(app, 'replicas');
});
afterAll(async () => {
  await second?.close();
  await app?.close();
});
afterEach(() => app.sql('TRUNCATE schedules, schedule_fires, live_runs, executions'));

const bothTick = () => Promise.all([tick(app), second.get(SchedulerService, { strict: false }).tick()]);
const ledger = () =>
  app.sql<{ fires: number; fired: number; runs: number; live: number; counted: number }>(
    `SELECT (SELECT count(*)::int FROM schedule_fires) AS fires,
       (SELECT count(*)::int FROM schedule_fires f JOIN executions e ON e.id = f.execution_id
        WHERE f.outcome = 'fired' AND e.schedule_id = f.schedule_id) AS fired,
       (SELECT count(*)::int FROM executions) AS runs, (SELECT count(*)::int FROM live_runs) AS live,
       (SELECT sum(counter)::int FROM schedules) AS counted`,
  );

it('several backends together make exactly one run for each due schedule', async () => {
  const { id } = await makeSchedule(developer, { skript_id: fleet.skriptId, overlap: 'allow' });
  await app.sql(
    `INSERT INTO schedules (id, owner_id, name, cron_span, time_zone, skript_id, overlap, catch_up, enabled, next_fire_at)
     SELECT gen_random_uuid(), owner_id, 'copy ' || n, cron_span, time_zone, skript_id, overlap, catch_up, true,
       date_trunc('second', now()) - n % 7 * interval '1 second'
     FROM schedules, generate_series(2, $2) n WHERE id = $1`,
    [id, MANY],
  );
  await dueBefore(app, id, 3);
  await bothTick();
  await bothTick();
  expect(await ledger()).toEqual([{ fires: MANY, fired: MANY, runs: MANY, live: MANY, counted: MANY }]);
});

it('several backends together make exactly one run for each queued fire', async () => {
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      makeSchedule(developer, { skript_id: fleet.skriptId, overlap: 'queue', name: `queue ${n}` }),
    ),
  );
  // Each schedule gets its own input, because two starts with the same input would count as the same run.
  await app.sql(
    `WITH made AS (INSERT INTO inputs (id, skript_id, name, val)
       SELECT id, skript_id, 'input-' || id || '.json', to_json(id) FROM schedules RETURNING id)
     UPDATE schedules s SET input_id = made.id FROM made WHERE made.id = s.id`,
  );
  for (const seconds of [20, 10]) {
    for (const { id } of made) await dueBefore(app, id, seconds);
    await bothTick();
  }
  expect(await ledger()).toEqual([{ fires: 20, fired: 10, runs: 10, live: 10, counted: 10 }]);
  await app.sql('DELETE FROM live_runs');
  await bothTick();
  expect(await ledger()).toEqual([{ fires: 20, fired: 20, runs: 20, live: 10, counted: 20 }]);
});

it('if a backend is killed while it writes a fire, another backend makes that fire once', async () => {
  const { id } = await makeSchedule(developer, { skript_id: fleet.skriptId });
  const client = new Client({ connectionString: app.config.postgresUrl });
  await client.connect();
  // Stop the transaction halfway with this lock: the run is already written, and writing the fire waits for the lock.
  await client.query('BEGIN');
  await client.query('LOCK TABLE schedule_fires IN SHARE MODE');
  await dueBefore(app, id, 5);
  const ticking = tick(app);
  const [waiting] = await until(
    () =>
      app.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND query LIKE '%INSERT INTO schedule_fires%'`,
      ),
    rows => rows.length > 0,
  );
  await app.sql('SELECT pg_terminate_backend($1)', [waiting?.pid]);
  expect(await app.sql('SELECT 1 FROM executions')).toEqual([]);
  await client.query('COMMIT');
  await client.end();
  await ticking;
  await bothTick();
  expect(await ledger()).toEqual([{ fires: 1, fired: 1, runs: 1, live: 1, counted: 1 }]);
  expect((await firesOf(developer, id))[0].outcome).toBe('fired');
});

it('a schedule that is moved to a later time during its fire does not fire at the old time', async () => {
  const { id } = await makeSchedule(developer, { skript_id: fleet.skriptId });
  const client = new Client({ connectionString: app.config.postgresUrl });
  await client.connect();
  await dueBefore(app, id, 5);
  await client.query('BEGIN');
  await client.query(
    `UPDATE schedules SET next_fire_at = now() + interval '1 day', updated_at = clock_timestamp() WHERE id = $1`,
    [id],
  );
  await bothTick();
  await client.query('COMMIT');
  await client.end();
  await bothTick();
  expect(await ledger()).toEqual([{ fires: 0, fired: 0, runs: 0, live: 0, counted: 0 }]);
});

it('a schedule makes no second run for the same fire time, even if the clock is set back', async () => {
  const { id } = await makeSchedule(developer, { skript_id: fleet.skriptId, overlap: 'allow' });
  const fireAt = await dueBefore(app, id, 5);
  await bothTick();
  await app.sql('UPDATE schedules SET next_fire_at = $2 WHERE id = $1', [id, fireAt]);
  await bothTick();
  expect(await ledger()).toEqual([{ fires: 1, fired: 1, runs: 1, live: 1, counted: 1 }]);
});
