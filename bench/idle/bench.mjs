// @ts-check
// Counts the SQL statements that an idle backend with one worker sends each second, in PostgreSQL's log. Goal: 8.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { apiOf } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';
import { startWorker } from '../worker.mjs';

const GOAL = 8;
const SETTLE_MS = 20_000;
const SECONDS = Number(process.argv[2] ?? 60);
const SHOWN = 40;

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
  const perSecond = total / SECONDS;
  const common = [...counts].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
  for (const [name, count] of common) console.log(`${(count / SECONDS).toFixed(2).padStart(6)}/s  ${name}`);
  console.log(`${perSecond.toFixed(1)} statements a second`);
  console.log(JSON.stringify({ bench: 'idle', ratio: Number((perSecond / GOAL).toFixed(3)), goal: 1 }));
} finally {
  await stop();
}
