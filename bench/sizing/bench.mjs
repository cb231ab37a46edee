// @ts-check
// Processor time of a run, in backend and PostgreSQL, while 100,000 runs wait for a worker that is offline. Baseline: the
// same with 100 runs. The tables also have the cost of 1 to 1,000 idle workers, the rate at which waiting runs leave the
// queue, and the cost of a run with 1 to 3 backends. Workers are stand-ins that end each run at once, so the figures are
// those of backends and PostgreSQL. `npm run bench -- sizing TABLE…` measures only the named tables: workers, waiting,
// backends. `--publish` writes the figures into the documentation.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { apiRuns } from '../load.mjs';
import { apiOf, median } from '../platform.mjs';
import { publish } from '../publish.mjs';
import { startProcess, startTrawl } from '../servers.mjs';
import { costMeter } from './cost.mjs';
import { addWaiting, removeWaiting, sendTo, waiting } from './waiting-runs.mjs';

const TABLES = ['workers', 'waiting', 'backends'];
const IDLE_WORKERS = [1, 10, 100, 1_000];
const WAITING_RUNS = [100, 1_000, 10_000, 100_000];
const BACKENDS = 3;
const IDLE_MS = 15_000;
const CLIENTS = 8;
const SECONDS = 5;
const ROUNDS = 3;
const SLOTS = 64;
/** Fewer waiting runs than this would all be taken before the rate can be measured. */
const MIN_TAKEN = 10_000;
/** A backend looks once a second for waiting runs that it was not notified of. */
const LOOK_MS = 2_000;
const TAKEN_MS = 3_000;
const GOAL = 1.5;

const STAND_INS = fileURLToPath(new URL('./workers.mjs', import.meta.url));
const START = '/joint-api/execute-skript/single-worker/start';

const { values, positionals: chosen } = parseArgs({
  options: { publish: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const tables = chosen.length > 0 ? chosen : TABLES;
const wrong = tables.find(name => !TABLES.includes(name));
if (wrong) throw new Error(`There is no table "${wrong}". There are: ${TABLES.join(', ')}.`);

const round = (/** @type {number} */ value, digits = 1) => Number(value.toFixed(digits));
/** @typedef {import('./cost.mjs').Cost} Cost */

/** @param {Cost} cost @returns {Record<string, number>} */
const shares = ({ transactions, backend, postgres, seconds }) => ({
  'transactions/s': round(transactions / seconds),
  'backend (% of a core)': round(backend / seconds / 10),
  'PostgreSQL (% of a core)': round(postgres / seconds / 10),
});

/**
 * Returns the cost of a run, without the cost of an idle platform in the same time.
 * @param {Cost} cost @param {Cost} idle @param {number} runs @param {('backend' | 'postgres' | 'transactions')[]} parts
 */
const perRun = (cost, idle, runs, parts) =>
  round(parts.reduce((sum, part) => sum + cost[part] - (idle[part] / idle.seconds) * cost.seconds, 0) / runs, 2);

const trawl = await startTrawl({ env: { TRAWL_QUOTA_WAITING_RUNS: '0', TRAWL_QUOTA_RUNS_PER_DAY: '0' } });
const backends = [trawl.trawl];
const client = new pg.Client({ connectionString: trawl.postgresUrl });
await client.connect();
const meter = costMeter(client, () => backends.map(({ pid }) => pid));
try {
  const { call: admin } = await apiOf(trawl.trawl.url, trawl.dataDir, 'admin');
  const { key } = await admin('POST', '/joint-api/worker-groups/addnew', { name: 'bench', public: true });
  const { id: offline } = await admin('POST', '/joint-api/workers/addnew', { name: 'offline', public: true });
  const { call } = trawl.trawl;
  const { id: skriptId } = await call('POST', '/joint-api/skripts/addnew', { title: 'Sizing' });
  const file = { skript_id: skriptId, name: 'main.js', content: 'module.exports = () => 1;\n' };
  await call('POST', '/joint-api/skript-files/addnew', file);
  await call('POST', `/joint-api/skripts/${skriptId}/bundle`);

  /** @param {number} count @param {number} slots @param {string} [url] @returns {Promise<() => Promise<void>>} stops them */
  const standIns = async (count, slots, url = trawl.trawl.url) => {
    /** @type {(() => unknown)[]} */
    const stops = [];
    await startProcess(STAND_INS, [url, key, String(count), String(slots)], {}, stops, /^connected$/);
    return async () => {
      for (const stop of stops) await stop();
    };
  };
  /** @param {import('../servers.mjs').Server} backend */
  const runsOf = ({ url, headers }) => apiRuns(url, String(headers.authorization).replace('Bearer ', ''), skriptId);
  const waitingRun = async () =>
    (await call('POST', `${START}?wait_ms=0`, { worker_id: offline, skript_id: skriptId })).id;

  const measureWorkers = async () => {
    const rows = [];
    const template = await waitingRun();
    await call('POST', `/joint-api/skript-execution/${template}/stop`);
    for (const count of IDLE_WORKERS) {
      const stop = await standIns(count, 2);
      const idle = shares(await meter.idle(IDLE_MS));
      const run = await waitingRun();
      const withRun = shares(await meter.idle(IDLE_MS));
      await call('POST', `/joint-api/skript-execution/${run}/stop`);
      await stop();
      for (const [runs, cost] of /** @type {const} */ ([
        [0, idle],
        [1, withRun],
      ])) {
        rows.push({ 'idle workers': count, 'waiting runs': runs, ...cost });
        process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
      }
    }
    return rows;
  };

  const measureWaiting = async () => {
    const rows = [];
    const template = await waitingRun();
    const stop = await standIns(1, SLOTS);
    const runs = runsOf(trawl.trawl);
    await runs(CLIENTS, SECONDS); // warm-up
    for (const count of WAITING_RUNS) {
      await addWaiting(client, template, count);
      const idle = await meter.idle(IDLE_MS);
      /** @type {number[]} */
      const rates = [];
      const cost = await meter.during(async () => {
        for (let n = 0; n < ROUNDS; n++) rates.push(await runs(CLIENTS, SECONDS));
      });
      const started = rates.reduce((sum, rate) => sum + rate * SECONDS, 0);
      const taken = count < MIN_TAKEN ? '' : Math.round(await takenPerSecond(count));
      rows.push({
        'waiting runs': count,
        ...shares(idle),
        'runs/s, 8 clients': Math.round(median(rates)),
        'processor (ms/run)': perRun(cost, idle, started, ['backend', 'postgres']),
        'taken from the queue/s': taken,
      });
      process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
    }
    await stop();
    await removeWaiting(client);
    return rows;
  };

  /** Lets the waiting runs go to the stand-in. @param {number} count @returns {Promise<number>} */
  const takenPerSecond = async count => {
    await sendTo(client, null);
    await delay(LOOK_MS);
    const left = await waiting(client);
    const began = performance.now();
    await delay(TAKEN_MS);
    const taken = left - (await waiting(client));
    const seconds = (performance.now() - began) / 1_000;
    if (taken === left) throw new Error(`All of ${count} waiting runs were taken before the end of the measurement.`);
    await sendTo(client, offline);
    return taken / seconds;
  };

  const measureBackends = async () => {
    const rows = [];
    /** @type {(() => Promise<void>)[]} */
    const stops = [];
    while (backends.length <= BACKENDS) {
      stops.push(await standIns(1, SLOTS, backends.at(-1)?.url));
      const loads = backends.map(runsOf);
      const load = () => Promise.all(loads.map(runs => runs(CLIENTS, SECONDS)));
      await load(); // warm-up
      const idle = await meter.idle(IDLE_MS);
      let rate = 0;
      const cost = await meter.during(async () => {
        for (let n = 0; n < ROUNDS; n++) for (const each of await load()) rate += each / ROUNDS;
      });
      const runs = rate * SECONDS * ROUNDS;
      rows.push({
        backends: backends.length,
        'runs/s': Math.round(rate),
        'backends (ms/run)': perRun(cost, idle, runs, ['backend']),
        'PostgreSQL (ms/run)': perRun(cost, idle, runs, ['postgres']),
        'transactions/run': perRun(cost, idle, runs, ['transactions']),
      });
      process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
      if (backends.length === BACKENDS) break;
      backends.push(await trawl.addBackend());
    }
    for (const stop of stops) await stop();
    return rows;
  };

  const results = {
    workers: tables.includes('workers') ? await measureWorkers() : [],
    waiting: tables.includes('waiting') ? await measureWaiting() : [],
    backends: tables.includes('backends') ? await measureBackends() : [],
  };
  if (values.publish) publish('sizing', results);
  for (const rows of Object.values(results)) if (rows.length > 0) console.table(rows);
  const times = results.waiting.map(row => row['processor (ms/run)']);
  if (times.length > 0) {
    const ratio = round((times.at(-1) ?? Number.NaN) / (times[0] ?? Number.NaN), 2);
    console.log(JSON.stringify({ bench: 'sizing', ratio, goal: GOAL }));
  }
} finally {
  await client.end();
  await trawl.stop();
}
