// @ts-check
// Measures how long it takes to start a run for each of 10,000 schedules that are due in the same second. Goal: 5 s.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startTrawl } from '../servers.mjs';

const SCHEDULES = 10_000;
const LIMIT_S = 5;
const LOOK_MS = 100;
/** The schedules are due this many seconds after they are inserted, so that all rows are inserted by then. */
const AHEAD_S = 5;

const { trawl, ownerId, postgresUrl, stop } = await startTrawl({ env: { TRAWL_QUOTA_WAITING_RUNS: '0' } });
const client = new pg.Client({ connectionString: postgresUrl });
try {
  await client.connect();
  const skript = await trawl.call('POST', '/joint-api/skripts/addnew', { title: 'Due' });
  const main = { skript_id: skript.id, name: 'main.js', content: 'module.exports = async input => input;\n' };
  await trawl.call('POST', '/joint-api/skript-files/addnew', main);
  // Each schedule has an input of its own, so that no two schedules start the same run.
  await client.query(
    `INSERT INTO inputs (id, skript_id, name, val)
     SELECT uuidv7(), $1, 'input ' || n, json_build_object('page', n) FROM generate_series(1, $2::int) n`,
    [skript.id, SCHEDULES],
  );
  const { rows: due } = await client.query(
    `INSERT INTO schedules (id, owner_id, name, cron_span, time_zone, skript_id, input_id, overlap, catch_up, enabled, next_fire_at)
     SELECT uuidv7(), $1, name, '0 0 0 1 1 *', 'UTC', skript_id, id, 'skip', 'skip', true,
       date_trunc('second', clock_timestamp()) + $2 * interval '1 second'
     FROM inputs WHERE skript_id = $3 RETURNING next_fire_at`,
    [ownerId, AHEAD_S, skript.id],
  );
  await client.query('ANALYZE schedules, inputs');
  let seconds = 0;
  for (let fired = 0; fired < SCHEDULES; await pause(LOOK_MS)) {
    const { rows } = await client.query(
      `SELECT count(*)::int AS fired, extract(epoch FROM clock_timestamp() - $1::timestamptz)::float AS seconds
       FROM executions WHERE schedule_id IS NOT NULL`,
      [due.at(-1).next_fire_at],
    );
    ({ fired, seconds } = rows[0]);
  }
  const { rows } = await client.query(
    `SELECT count(*)::int AS runs, count(DISTINCT e.schedule_id)::int AS schedules, count(f.execution_id)::int AS fires
     FROM executions e LEFT JOIN schedule_fires f ON f.execution_id = e.id AND f.schedule_id = e.schedule_id AND f.outcome = 'fired'`,
  );
  const [{ runs, schedules, fires }] = rows;
  if ([runs, schedules, fires].some(count => count !== SCHEDULES)) {
    throw new Error(`${SCHEDULES} schedules were due, but ${schedules} have ${runs} runs and ${fires} fires`);
  }
  console.table([{ 'schedules due at once': SCHEDULES, 'time until each has a run (s)': Number(seconds.toFixed(1)) }]);
  console.log(JSON.stringify({ bench: 'schedules-due', ratio: Number((seconds / LIMIT_S).toFixed(3)), goal: 1 }));
} finally {
  await client.end();
  await stop();
}
