// @ts-check
// Time in which the backend merges a run of 100,000 keyed rows, of which 1 % have changed, into its items, compared with
// the time in which the run stores the rows. The merge counts from the end of the run to the end of the merge.
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';

const COUNT = 100_000;
const PER_PUSH = 500;
const ROUNDS = 3;
const GOAL = 2;
const SKRIPT = `const { dataset } = require('@trawl/storage');
module.exports = async () => {
  const beganAt = Date.now();
  for (let from = 0; from < ${COUNT}; from += ${PER_PUSH}) {
    const rows = Array.from({ length: ${PER_PUSH} }, (_, index) => {
      const n = from + index;
      return { sku: 'sku-' + n, title: 'Product ' + n, price: n % 100 === 0 ? beganAt : n, text: 'x'.repeat(100) };
    });
    await dataset.push(rows, { key: 'sku' });
  }
  return Date.now() - beganAt;
};`;

const trawl = await startTrawl();
try {
  await addWorker(trawl);
  const { call } = trawl.trawl;
  const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title: 'Items' });
  await call('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content: SKRIPT });
  const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0';
  /** @param {number} round @returns {Promise<{ insertMs: number, mergeMs: number }>} */
  const measure = async round => {
    const { id } = await call('POST', start, { worker_id: 'any', skript_id });
    const ended = async () => {
      const found = await call('GET', `/joint-api/skript-execution/${id}`);
      return found.action === 'start' ? null : found;
    };
    let run = await ended();
    for (; !run; run = await ended()) await sleep(20);
    if (run.error_stack) throw new Error(run.error_stack);
    const endedAt = performance.now();
    for (;;) {
      const { state, counts } = await call('GET', `/joint-api/skript-execution/${run.id}/changes?limit=1`);
      if (state === 'merged') {
        if (round > 0 && counts.changed !== COUNT / 100) throw new Error(`changed: ${counts.changed}`);
        return { insertMs: run.output, mergeMs: performance.now() - endedAt };
      }
      await sleep(20);
    }
  };
  // The first run adds all items.
  console.error('first', JSON.stringify(await measure(0)));
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++) {
    rounds.push(await measure(round));
    console.error(JSON.stringify(rounds.at(-1)));
  }
  const ratio = Number(median(rounds.map(({ insertMs, mergeMs }) => mergeMs / insertMs)).toFixed(2));
  console.table({
    'dataset.push (ms)': Math.round(median(rounds.map(({ insertMs }) => insertMs))),
    'merge (ms)': Math.round(median(rounds.map(({ mergeMs }) => mergeMs))),
    ratio,
    goal: GOAL,
  });
  console.log(JSON.stringify({ bench: 'items', ratio, goal: GOAL }));
} finally {
  await trawl.stop();
}
