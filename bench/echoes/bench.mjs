// @ts-check
// Echo throughput from a skript to a live socket like the panel's, with a check that all echoes arrive in order and in
// the saved CSV. Baselines: bare `ws` pairs with one echo per frame, and with Trawl's batch size. Then the latency at
// 1,000 echoes per second.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { apiOf, median, percentile } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';
import { floodOf, watch } from './flood.mjs';

const ECHOES = 300_000;
const ROUNDS = 3;
const GOAL = 2;
const PACED_SECONDS = 10;
const SENDER = fileURLToPath(new URL('./ws-sender.mjs', import.meta.url));

const PACED = `const { echo } = require('@trawl/echo');
module.exports = async () => {
  await new Promise(done => setTimeout(done, 1_500));
  const began = performance.now();
  for (let sent = 0; sent < ${PACED_SECONDS * 1_000}; ) {
    while (sent < performance.now() - began) { sent += 1; echo.log(String(process.hrtime.bigint())); }
    await new Promise(done => setTimeout(done, 1));
  }
};`;

/** Measures a bare pair of ws with the sender in its own process. @returns {Promise<number>} echoes per second */
async function bare(/** @type {number} */ perFrame) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const sender = spawn(process.execPath, [SENDER, String(port), String(ECHOES), String(perFrame)], {
    stdio: 'inherit',
  });
  const ended = once(sender, 'exit');
  const rate = await new Promise(resolve => {
    server.on('connection', socket => {
      let [echoes, first] = [0, 0];
      socket.on('message', data => {
        first ||= performance.now();
        echoes += JSON.parse(String(data)).length;
        if (echoes === ECHOES) resolve(ECHOES / ((performance.now() - first) / 1_000));
      });
    });
  });
  await ended;
  server.close();
  return rate;
}

const trawl = await startTrawl();
try {
  await addWorker(trawl);
  const { call, token } = await apiOf(trawl.trawl.url, trawl.dataDir, 'developer');
  const platform = { url: trawl.trawl.url, token };
  /** @param {string} title @param {string} content @param {boolean} timed */
  const run = async (title, content, timed) => {
    const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title });
    await call('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content });
    const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0';
    const { id } = await call('POST', start, { worker_id: 'any', skript_id });
    const seen = await watch(platform, id, timed);
    // Wait for the last saved echoes, because they arrive after the end of the run.
    let saved = 0;
    for (let look = 0; look < 100 && saved < seen.echoes; look++) {
      const csv = await fetch(`${trawl.trawl.url}/joint-api/echoes/${id}/download`, { headers: trawl.trawl.headers });
      saved = (await csv.text()).split('\n').length - 2;
    }
    return { ...seen, saved };
  };
  /** @type {Awaited<ReturnType<typeof run>>[]} */
  const ours = [];
  /** @type {{ single: number[], batched: number[] }} */
  const baselines = { single: [], batched: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const seen = await run(`Flood ${round}`, floodOf(ECHOES), false);
    ours.push(seen);
    baselines.single.push(await bare(1));
    baselines.batched.push(await bare(Math.max(1, Math.round(seen.echoes / seen.batches))));
    const rate = Math.round(seen.echoes / seen.seconds);
    process.stderr.write(
      `round ${round + 1}: ${rate} per second, ${seen.echoes} seen, ${seen.gaps} gaps, ${seen.saved} saved\n`,
    );
  }
  const paced = await run('Paced', PACED, true);
  const rate = median(ours.map(({ echoes, seconds }) => echoes / seconds));
  const [single, batched] = [median(baselines.single), median(baselines.batched)];
  const ratio = (/** @type {number} */ baseline) => Number((rate / baseline).toFixed(2));
  console.table([
    {
      baseline: 'ws, one echo per frame',
      'its echoes/s': Math.round(single),
      'echoes/s': Math.round(rate),
      ratio: ratio(single),
      goal: GOAL,
    },
    {
      baseline: 'ws, equal batches',
      'its echoes/s': Math.round(batched),
      'echoes/s': Math.round(rate),
      ratio: ratio(batched),
      goal: '-',
    },
  ]);
  console.table([
    {
      'all seen, in order': ours.every(({ echoes, gaps }) => echoes === ECHOES && gaps === 0),
      'all saved': ours.every(({ saved }) => saved === ECHOES),
      'delay at 1,000 per second, median (ms)': Number(median(paced.delays).toFixed(1)),
      '99th percentile (ms)': Number(percentile(paced.delays, 0.99).toFixed(1)),
      'goal (ms)': 100,
    },
  ]);
  console.log(
    JSON.stringify({
      bench: 'echoes',
      ratio: ratio(single),
      goal: GOAL,
      better: 'higher',
      echoes_a_second: Math.round(rate),
      equal_batches: ratio(batched),
      delay_percentile_99_ms: Number(percentile(paced.delays, 0.99).toFixed(1)),
    }),
  );
} finally {
  await trawl.stop();
}
