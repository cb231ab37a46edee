// @ts-check
// Six runs on three workers that send as many requests to one site as they can, with the default budget of 5 requests a
// second: how far the site is from that rate. Also shows the share of each run, and the time that a request of a polite
// run takes more when slots are free, compared with a run that is not polite.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { POLITE_LIMITS } from '@trawl/contracts';
import { median } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';

const RUNS = 6;
const WORKERS = 3;
const SECONDS = 60;
/** The runs begin one after another, and the site allows a burst. */
const WARM_UP_SECONDS = 5;
const CALLS = 2_000;
const ROUNDS = 5;
const GOAL = 0.05;
const COST_GOAL_MS = 0.1;
const RATE = POLITE_LIMITS.requestsPerSecond;
const GREEDY = `module.exports = async ({ url, run }) => {
  const send = async () => {
    while (await (await fetch(url, { headers: { 'x-run': String(run) } })).text() !== 'enough');
  };
  await Promise.all(Array.from({ length: 10 }, send));
};`;
// A pause before each call keeps slots free, however many the machine could use.
const TIMED = `const { setTimeout: sleep } = require('node:timers/promises');
module.exports = async ({ url }) => {
  const times = [];
  for (let n = 0; n < ${CALLS}; n++) {
    await sleep(2);
    const beganAt = performance.now();
    await (await fetch(url)).text();
    times.push(performance.now() - beganAt);
  }
  times.sort((a, b) => a - b);
  return times[${CALLS / 2}];
};`;

/** Requests of the greedy runs. @type {{ run: string, at: number }[]} */
const seen = [];
let isEnough = false;
const site = createServer(({ url, headers }, response) => {
  if (url === '/robots.txt') return void response.writeHead(404).end();
  if (headers['x-run']) seen.push({ run: String(headers['x-run']), at: performance.now() });
  response.end(isEnough ? 'enough' : 'more');
}).listen(0, '127.0.0.1');
await once(site, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (site.address());
const url = `http://127.0.0.1:${port}`;
const platform = await startTrawl();
try {
  const workers = [];
  for (let n = 0; n < WORKERS; n++) {
    const env = { TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}`, TRAWL_SLOTS: '2' };
    workers.push(await addWorker(platform, env, `bench${n}`));
  }
  const { call } = platform.trawl;
  /** @param {string} title @param {string} content @param {boolean} polite @returns {Promise<string>} */
  const skriptOf = async (title, content, polite) => {
    const { id } = await call('POST', '/joint-api/skripts/addnew', { title, polite });
    await call('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'main.js', content });
    return id;
  };
  /** @param {string} skript_id @param {object} input @param {string} [worker_id] @returns {Promise<string>} */
  const begin = async (skript_id, input, worker_id = 'any') => {
    const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0&timeout_ms=300000';
    return (await call('POST', start, { worker_id, skript_id, input })).id;
  };
  /** @param {string} id */
  const outputOf = async id => {
    for (;;) {
      const run = await call('GET', `/joint-api/skript-execution/${id}`);
      if (run.error_stack) throw new Error(run.error_stack);
      if (run.action === 'end') return run.output;
      await sleep(100);
    }
  };

  const greedy = await skriptOf('Greedy', GREEDY, true);
  const ids = [];
  for (let run = 0; run < RUNS; run++) ids.push(await begin(greedy, { url, run }, workers[run % WORKERS]?.id));
  while (new Set(seen.map(({ run }) => run)).size < RUNS) await sleep(100);
  const from = performance.now() + 1_000 * WARM_UP_SECONDS;
  await sleep(1_000 * (WARM_UP_SECONDS + SECONDS));
  const counted = seen.filter(({ at }) => at >= from && at < from + 1_000 * SECONDS);
  isEnough = true;
  for (const id of ids) await outputOf(id);
  const rate = counted.length / SECONDS;
  const shares = ids.map((_, run) => counted.filter(one => one.run === String(run)).length / counted.length);

  // Slots are free: the budget is larger than what the runs use.
  const budget = { requests_per_second: POLITE_LIMITS.maxRequestsPerSecond, burst: POLITE_LIMITS.maxBurst };
  await call('PUT', `/joint-api/polite-domains/127.0.0.1:${port}`, { ...budget, robots: 'ignore' });
  const [polite, plain] = [await skriptOf('Polite', TIMED, true), await skriptOf('Plain', TIMED, false)];
  const costs = [];
  for (let round = 0; round < ROUNDS; round++) {
    const timed = async (/** @type {string} */ skript) => Number(await outputOf(await begin(skript, { url })));
    const [politeMs, plainMs] = [await timed(polite), await timed(plain)];
    costs.push(politeMs - plainMs);
    console.error(JSON.stringify({ politeMs, plainMs }));
  }
  const cost = Number(median(costs).toFixed(3));
  console.table({
    'requests/s at the site': Number(rate.toFixed(2)),
    'smallest share of a run': Number(Math.min(...shares).toFixed(3)),
    'largest share of a run': Number(Math.max(...shares).toFixed(3)),
    'ms that a call takes more': cost,
    'goal (ms)': COST_GOAL_MS,
  });
  const ratio = Number(Math.abs(rate / RATE - 1).toFixed(3));
  console.log(JSON.stringify({ bench: 'politeness', ratio, goal: GOAL }));
} finally {
  await platform.stop();
  site.closeAllConnections();
  site.close();
}
