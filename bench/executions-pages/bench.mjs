// @ts-check
// Measures how long GET /joint-api/skript-execution/list takes for one page. The time must not grow with the number of
// rows in the table (1,000 to 1,000,000).
import pg from 'pg';
import { median } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const PAGE = 10;
const TIMES = 200;

const { trawl, ownerId, postgresUrl, stop } = await startTrawl();
const { call } = trawl;
try {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  /** @type {{ rows: number, first: number, hundredth: number }[]} */
  const results = [];
  let rows = 0;
  for (const size of SIZES) {
    process.stderr.write(`Filling the table up to ${size} rows\n`);
    await addRows(client, ownerId, size - rows);
    rows = size;
    await client.query('VACUUM ANALYZE executions');
    const hundredth = await cursorOfPage(call, 100);
    const list = `/joint-api/skript-execution/list?limit=${PAGE}`;
    const pages = await timesOf({
      first: () => call('GET', list),
      hundredth: () => call('GET', `${list}&after=${hundredth}`),
      // The request for an empty list shows how fast the machine is at the moment; the other times are divided by it.
      pace: () => call('GET', '/joint-api/inputs/list'),
    });
    results.push({ rows, first: pages.first / pages.pace, hundredth: pages.hundredth / pages.pace });
    process.stderr.write(
      `${size} rows: first page ${pages.first.toFixed(2)} ms, hundredth ${pages.hundredth.toFixed(2)} ms, an empty list ${pages.pace.toFixed(2)} ms\n`,
    );
  }
  await client.end();
  const [least] = results;
  const growth = (/** @type {'first' | 'hundredth'} */ page) =>
    Number(((results.at(-1)?.[page] ?? 0) / (least?.[page] ?? 1)).toFixed(2));
  console.table(
    results.map(({ rows, first, hundredth }) => ({
      rows,
      'first page, in empty lists': Number(first.toFixed(2)),
      'hundredth page': Number(hundredth.toFixed(2)),
    })),
  );
  const ratio = Math.max(growth('first'), growth('hundredth'));
  console.log(
    JSON.stringify({
      bench: 'executions-pages',
      ratio,
      goal: 1.2,
      first: growth('first'),
      hundredth: growth('hundredth'),
    }),
  );
} finally {
  await stop();
}

/**
 * Inserts runs that started in the current month, because the table has a partition for that month.
 * @param {pg.Client} client @param {string} ownerId @param {number} count
 */
async function addRows(client, ownerId, count) {
  await client.query(
    `INSERT INTO executions (id, owner_id, worker_id, skript_id, skript_name, skript_category, bundle_hash, action, output)
     SELECT uuidv7(- random() * (now() - date_trunc('month', now()))), $1, uuidv7(), uuidv7(), 'Skript', 'general', 'hash',
       (ARRAY['end', 'end', 'error', 'stop'])[1 + n % 4], '{"rows": 20}' FROM generate_series(1, $2::int) n`,
    [ownerId, count],
  );
}

/** @param {(method: string, path: string) => Promise<any>} call @param {number} page */
async function cursorOfPage(call, page) {
  let after = '';
  for (let n = 1; n < page; n++) {
    const { next } = await call('GET', `/joint-api/skript-execution/list?limit=${PAGE}${after && `&after=${after}`}`);
    after = next;
  }
  return after;
}

/**
 * Measures the calls in turn. Returns the median of each in ms.
 * @template {string} Name
 * @param {Record<Name, () => Promise<unknown>>} calls
 * @returns {Promise<Record<Name, number>>}
 */
async function timesOf(calls) {
  /** @type {Map<string, number[]>} */
  const times = new Map(Object.keys(calls).map(name => [name, []]));
  for (let turn = 0; turn < TIMES; turn++) {
    for (const [name, work] of /** @type {[string, () => Promise<unknown>][]} */ (Object.entries(calls))) {
      const beganAt = performance.now();
      await work();
      times.get(name)?.push(performance.now() - beganAt);
    }
  }
  return /** @type {Record<Name, number>} */ (
    Object.fromEntries([...times].map(([name, values]) => [name, median(values)]))
  );
}
