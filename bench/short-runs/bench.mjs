// @ts-check
// Runs per second of an empty skript: on the worker alone, through the API, with `warm: true`, and with slow commits.
// Baseline: `xargs -P $(nproc) node main.js`. `npm run bench -- short-runs SECONDS` sets the duration of each
// measurement.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { apiRuns } from '../load.mjs';
import { apiOf, bareEnvironment, makeDataDir, median, RUN_NODE } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';
import { startLoneWorker } from '../worker.mjs';

const SECONDS = Number(process.argv[2] ?? 60);
const CORES = availableParallelism();
/** The measurements take turns, so that other load on the machine affects all of them. */
const ROUNDS = 3;
const MAIN = 'module.exports = () => 1;\n';
/**
 * Node compiles what it executes often: in the first minute after their start, backend and worker need a third more
 * processor time for each run.
 */
const WARM_UP_SECONDS = 30;
/**
 * Simulates slow disks: PostgreSQL waits this many milliseconds before each flush to the disk. Commits that wait at the
 * same time share one flush.
 */
const SYNC_MS = [2, 10];

const { dataDir: folder, remove } = makeDataDir();
const main = join(folder, 'main.js');
writeFileSync(main, MAIN);

/** Calls `work` concurrently for a while. @returns calls per second */
async function sustained(
  /** @type {number} */ clients,
  /** @type {number} */ seconds,
  /** @type {() => Promise<unknown>} */ work,
) {
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - began < seconds * 1_000) {
        await work();
        done += 1;
      }
    }),
  );
  return done / ((performance.now() - began) / 1_000);
}

/** Measures how many processes per second xargs runs, with as many as fit into the time at the rate of a first few. */
async function xargs(/** @type {number} */ seconds) {
  return rateOfXargs(Math.ceil((await rateOfXargs(20 * CORES)) * seconds));
}

async function rateOfXargs(/** @type {number} */ processes) {
  const began = performance.now();
  const child = spawn('xargs', ['-P', String(CORES), '-I', '{}', RUN_NODE, main], {
    env: bareEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // xargs starts one process for each line that it reads.
  child.stdin.end(Array.from({ length: processes }, (_, n) => `${n}\n`).join(''));
  await once(child, 'exit');
  return processes / ((performance.now() - began) / 1_000);
}

/**
 * Measures in turn and returns the medians.
 * @template {string} Name
 * @param {Record<Name, (seconds: number) => Promise<number>>} measurements
 * @returns {Promise<Record<Name, number>>} rates per second
 */
async function inTurn(measurements) {
  const names = /** @type {Name[]} */ (Object.keys(measurements));
  /** @type {Map<Name, number[]>} */
  const rates = new Map(names.map(name => [name, []]));
  for (let round = 1; round <= ROUNDS; round++) {
    for (const name of names) {
      const rate = await measurements[name](SECONDS / ROUNDS);
      rates.get(name)?.push(rate);
      process.stderr.write(`round ${round} of ${ROUNDS}, ${name}: ${rate.toFixed(1)} per second\n`);
    }
  }
  const medians = names.map(name => [name, median(rates.get(name) ?? [])]);
  return /** @type {Record<Name, number>} */ (Object.fromEntries(medians));
}

/** @type {{ what: string, 'per second': number, 'xargs per second': number, ratio: number, goal: number | string }[]} */
const table = [];
const add = (
  /** @type {string} */ what,
  /** @type {number} */ rate,
  /** @type {number} */ baseline,
  /** @type {number | string} */ goal,
) =>
  table.push({
    what,
    'per second': Number(rate.toFixed(1)),
    'xargs per second': Number(baseline.toFixed(1)),
    ratio: Number((rate / baseline).toFixed(2)),
    goal,
  });

try {
  const lone = await startLoneWorker();
  const sandbox = lone.sandbox;
  try {
    const run = () => lone.run(MAIN);
    await sustained(2 * CORES, WARM_UP_SECONDS, run);
    const rates = await inTurn({
      worker: seconds => sustained(2 * CORES, seconds, run),
      xargs,
    });
    add(`worker alone, fresh (sandbox: ${sandbox})`, rates.worker, rates.xargs, 0.9);
  } finally {
    await lone.stop();
  }

  const trawl = await startTrawl();
  try {
    await addWorker(trawl);
    const { call, token } = await apiOf(trawl.trawl.url, trawl.dataDir, 'developer');
    const skriptOf = async (/** @type {object} */ fields) => {
      const { id } = await call('POST', '/joint-api/skripts/addnew', fields);
      await call('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'main.js', content: MAIN });
      await call('POST', `/joint-api/skripts/${id}/bundle`);
      return String(id);
    };
    const fresh = apiRuns(trawl.trawl.url, token, await skriptOf({ title: 'Fresh' }));
    const warm = apiRuns(trawl.trawl.url, token, await skriptOf({ title: 'Warm', warm: true }));
    await fresh(2 * CORES, WARM_UP_SECONDS);
    await warm(8, WARM_UP_SECONDS);
    const rates = await inTurn({
      fresh: seconds => fresh(2 * CORES, seconds),
      'warm, 2 clients': seconds => warm(2, seconds),
      'warm, 8 clients': seconds => warm(8, seconds),
      xargs,
    });
    const baseline = rates.xargs;
    add('through the API, fresh', rates.fresh, baseline, 0.8);
    add('through the API, warm, 2 clients', rates['warm, 2 clients'], baseline, 8);
    add('through the API, warm, 8 clients', rates['warm, 8 clients'], baseline, 15);

    const postgres = new pg.Client(trawl.postgresUrl);
    await postgres.connect();
    for (const ms of SYNC_MS) {
      await postgres.query(`ALTER SYSTEM SET commit_delay = ${ms * 1_000}`);
      await postgres.query('ALTER SYSTEM SET commit_siblings = 0');
      await postgres.query('SELECT pg_reload_conf()');
      const seconds = SECONDS / 4;
      add(`disk of ${ms} ms, fresh`, await fresh(2 * CORES, seconds), baseline, '-');
      add(`disk of ${ms} ms, warm, 2 clients`, await warm(2, seconds), baseline, '-');
      add(`disk of ${ms} ms, warm, 8 clients`, await warm(8, seconds), baseline, '-');
    }
    await postgres.end();
  } finally {
    await trawl.stop();
  }
  console.table(table);
  const [alone, ...api] = table;
  console.log(
    JSON.stringify({
      bench: 'short-runs',
      ratio: alone?.ratio,
      goal: alone?.goal,
      better: 'higher',
      api: api.map(({ what, ratio, goal }) => ({ what, ratio, goal, better: 'higher' })),
    }),
  );
} finally {
  remove();
}
