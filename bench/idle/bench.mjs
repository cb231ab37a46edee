// @ts-check
// Counts the SQL statements that an idle backend with one worker sends each second, in PostgreSQL's log. Goal: 8. Then
// measures the memory of everything that `npm start` starts after ten quiet minutes, goal: 450 MB, and how long the first
// run takes then. `npm run bench -- idle 60 600`: seconds of both parts; 0 leaves one out.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { memoryByProcess } from '../peers/footprint.mjs';
import { apiOf, makeDataDir, median, startPlatform } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';
import { startWorker } from '../worker.mjs';

const GOAL = 8;
const GOAL_MB = 450;
const SETTLE_MS = 20_000;
const SECONDS = Number(process.argv[2] ?? 60);
const QUIET_SECONDS = Number(process.argv[3] ?? 600);
const SHOWN = 40;
const USUAL_RUNS = 20;

const perSecond = SECONDS > 0 ? await statements() : undefined;
const quiet = QUIET_SECONDS > 0 ? await quietMinutes() : undefined;
const memory = quiet && { ratio: Number((quiet.megabytes / GOAL_MB).toFixed(3)), goal: 1 };
console.log(
  JSON.stringify({
    bench: 'idle',
    ...(perSecond === undefined ? memory : { ratio: Number((perSecond / GOAL).toFixed(3)), goal: 1, memory }),
    first_run: quiet?.firstRun,
  }),
);

async function statements() {
  const { trawl, dataDir, postgresUrl, stops, stop } = await startTrawl();
  try {
    const { call: admin } = await apiOf(trawl.url, dataDir, 'admin');
    const { key } = await admin('POST', '/joint-api/workers/addnew', { name: 'idle', public: true });
    const worker = await startWorker({ url: trawl.url, key, dataDir: join(dataDir, 'worker') });
    stops.push(worker.stop);
    await pause(SETTLE_MS);

    const client = new pg.Client(postgresUrl);
    const ended = once(client, 'end');
    await client.connect();
    /** @param {string} value */
    const logStatements = async value => {
      await client.query(`ALTER SYSTEM SET log_statement = '${value}'`);
      await client.query('SELECT pg_reload_conf()');
    };
    await logStatements('all');
    await pause(SECONDS * 1_000);
    await logStatements('none');
    await client.end();
    await ended;

    const log = readFileSync(join(dataDir, 'logs', 'postgres.log'), 'utf8');
    /** @type {Map<string, number>} */
    const counts = new Map();
    let total = 0;
    for (const [, statement = ''] of log.matchAll(/LOG: {2}(?:statement|execute [^:]*): (.*(?:\n\t.*)*)/g)) {
      if (/pg_reload_conf|ALTER SYSTEM/.test(statement)) continue;
      total += 1;
      const name = statement.replace(/\s+/g, ' ').slice(0, 110);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const common = [...counts].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
    for (const [name, count] of common) console.log(`${(count / SECONDS).toFixed(2).padStart(6)}/s  ${name}`);
    console.log(`${(total / SECONDS).toFixed(1)} statements a second`);
    return total / SECONDS;
  } finally {
    await stop();
  }
}

async function quietMinutes() {
  const { dataDir, remove } = makeDataDir();
  const platform = await startPlatform(dataDir);
  try {
    const { call } = await apiOf(platform.url, dataDir, 'developer');
    const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title: 'empty' });
    const content = 'module.exports = async () => 1;';
    await call('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content });
    const run = async () => {
      const beganAt = performance.now();
      const query = new URLSearchParams({ worker_id: 'any', skript_id, wait_ms: '60000' });
      const { action } = await call('GET', `/joint-api/execute-skript/single-worker/start?${query}`);
      if (action !== 'end') throw new Error(`The run did not end: ${action}`);
      return Math.round(performance.now() - beganAt);
    };
    await run();
    const usual = [];
    for (let n = 0; n < USUAL_RUNS; n++) usual.push(await run());
    await pause(QUIET_SECONDS * 1_000);
    const processes = memoryByProcess(platform.pid);
    console.table(processes.map(({ name, count, megabytes }) => ({ name, count, 'PSS (MB)': megabytes.toFixed(1) })));
    const megabytes = processes.reduce((sum, { megabytes }) => sum + megabytes, 0);
    const firstRun = { usual_ms: median(usual), after_sleep_ms: await run() };
    console.log(
      `${megabytes.toFixed(0)} MB. The first run took ${firstRun.after_sleep_ms} ms, usually ${firstRun.usual_ms}.`,
    );
    return { megabytes, firstRun };
  } finally {
    await platform.stop();
    remove();
  }
}
