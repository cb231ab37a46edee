// @ts-check
// A run takes and settles 20,000 requests of a queue of 1,000,000, compared with the same in queues of 1,000. Also shows how
// fast the run adds the 1,000,000 in batches, how fast if each of 20,000 has a host of its own, and how much room they take
// in PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { apiOf, makeDataDir, median } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';
import { startWorker } from '../worker.mjs';

const LARGE = 1_000_000;
const SMALL = 1_000;
const TAKEN = 20_000;
const HOSTS = 20;
const ROUNDS = 3;
const GOAL = 1.5;
const TIME_LIMIT_MS = 1_800_000;
const SKRIPT = `const { queue } = require('@trawl/storage');
const add = async (pages, count, hosts = ${HOSTS}) => {
  const urlOf = n => 'https://shop' + (n % hosts) + '.example/products/' + n;
  const beganAt = performance.now();
  const adders = Array.from({ length: 4 }, async (_, adder) => {
    for (let from = adder * 1000; from < count; from += 4000) {
      await pages.add(Array.from({ length: Math.min(1000, count - from) }, (_, index) => urlOf(from + index)));
    }
  });
  await Promise.all(adders);
  return performance.now() - beganAt;
};
const settle = async (pages, count) => {
  const beganAt = performance.now();
  const takers = Array.from({ length: 2 }, async () => {
    for (let left = count / 2; left > 0; ) {
      const { requests } = await pages.takeNow(Math.min(500, left));
      await Promise.all(requests.map(request => pages.done(request)));
      left -= requests.length;
    }
  });
  await Promise.all(takers);
  return performance.now() - beganAt;
};
module.exports = async ({ round }) => {
  const large = queue('large');
  const addMs = round === 0 ? await add(large, ${LARGE}) : null;
  const hostsMs = round === 0 ? await add(queue('hosts'), ${TAKEN}, ${TAKEN}) : null;
  const largeMs = await settle(large, ${TAKEN});
  let smallMs = 0;
  for (let n = 0; n < ${TAKEN / SMALL}; n++) {
    const small = queue('small-' + n);
    await add(small, ${SMALL});
    smallMs += await settle(small, ${SMALL});
    await small.drop();
  }
  return { addMs, hostsMs, largeMs, smallMs };
};`;

const trawl = await startTrawl();
const { dataDir, remove } = makeDataDir();
try {
  const { call: admin } = await apiOf(trawl.trawl.url, trawl.dataDir, 'admin');
  const { key } = await admin('POST', '/joint-api/workers/addnew', { name: 'bench', public: true });
  const worker = await startWorker({ url: trawl.trawl.url, key, dataDir });
  const database = new pg.Client({ connectionString: trawl.postgresUrl });
  await database.connect();
  try {
    const { call } = trawl.trawl;
    const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title: 'Queue' });
    await call('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content: SKRIPT });
    const start = `/joint-api/execute-skript/single-worker/start?wait_ms=0&timeout_ms=${TIME_LIMIT_MS}`;
    /** @param {number} round @returns {Promise<{ addMs: number, hostsMs: number, largeMs: number, smallMs: number }>} */
    const measure = async round => {
      const { id } = await call('POST', start, { worker_id: 'any', skript_id, input: { round } });
      for (;;) {
        const run = await call('GET', `/joint-api/skript-execution/${id}`);
        if (run.error_stack) throw new Error(run.error_stack);
        if (run.action === 'end') return run.output;
        await sleep(100);
      }
    };
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await measure(round));
      console.error(JSON.stringify(rounds.at(-1)));
    }
    const { rows } = await database.query(
      `SELECT pg_total_relation_size('queue_requests') * ${LARGE / (LARGE + TAKEN)} AS bytes`,
    );
    const ratio = Number(median(rounds.map(({ largeMs, smallMs }) => largeMs / smallMs)).toFixed(2));
    console.table({
      'adds/s': Math.round((LARGE / Number(rounds[0]?.addMs)) * 1_000),
      'adds/s, each of another host': Math.round((TAKEN / Number(rounds[0]?.hostsMs)) * 1_000),
      'taken and done/s, of 1,000,000': Math.round((TAKEN / median(rounds.map(({ largeMs }) => largeMs))) * 1_000),
      'taken and done/s, of 1,000': Math.round((TAKEN / median(rounds.map(({ smallMs }) => smallMs))) * 1_000),
      'MB of 1,000,000': Math.round(rows[0].bytes / 1e6),
      ratio,
      goal: GOAL,
    });
    console.log(JSON.stringify({ bench: 'queue', ratio, goal: GOAL }));
  } finally {
    await database.end();
    await worker.stop();
  }
} finally {
  await trawl.stop();
  remove();
}
