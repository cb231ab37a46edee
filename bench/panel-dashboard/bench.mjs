// @ts-check
// Time until the dashboard of an account with 100,000 executions shows its figures, chart and recent runs. Baseline: the
// same account before it has any. Goal: 1 s.
import pg from 'pg';
import { openPanel } from '../panel.mjs';
import { median } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';

const EXECUTIONS = 100_000;
const VISITS = 11;
const GOAL_MS = 1_000;

const { trawl, dataDir, ownerId, postgresUrl, stop } = await startTrawl();
const panel = await openPanel(trawl.url, dataDir);

/** Returns the median time until all parts of the dashboard have their data. */
async function usefulMs() {
  const times = [];
  for (let visit = 0; visit <= VISITS; visit++) {
    await panel.open('dashboard');
    const ms = await panel.page.waitForFunction(() => {
      const isLoading = document.querySelector('[aria-busy="true"], .mantine-Skeleton-root');
      return !isLoading && document.querySelector('.figures') && document.querySelector('.chart') && performance.now();
    });
    // The first visit fills the browser's cache.
    if (visit > 0) times.push(Number(await ms.jsonValue()));
  }
  return median(times);
}

try {
  const empty = await usefulMs();
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(
    `INSERT INTO executions (id, owner_id, worker_id, skript_id, skript_name, skript_category, bundle_hash, action, error_code,
       output)
     SELECT uuidv7(- random() * (now() - date_trunc('month', now()))), $1, uuidv7(), uuidv7(), 'Skript', 'general', 'hash',
       (ARRAY['end', 'end', 'error', 'stop'])[1 + n % 4], CASE n % 4 WHEN 2 THEN 'exception' END, '{"rows": 20}' FROM generate_series(1, $2::int) n`,
    [ownerId, EXECUTIONS],
  );
  await client.query('VACUUM ANALYZE executions');
  await client.end();
  const full = await usefulMs();
  console.table([
    { executions: 0, 'useful after (ms)': Math.round(empty) },
    { executions: EXECUTIONS, 'useful after (ms)': Math.round(full) },
  ]);
  console.log(
    JSON.stringify({
      bench: 'panel-dashboard',
      ratio: Number((full / GOAL_MS).toFixed(3)),
      goal: 1,
      to_empty: Number((full / empty).toFixed(2)),
    }),
  );
} finally {
  await panel.close();
  await stop();
}
