// @ts-check
// Requests a second of a run whose connections go through a pool of 20 proxies on this computer, of which five are dead,
// compared with a run that connects directly. The site takes 100 ms for a page of 20 kB, and a run reads 20 pages at the
// same time, over connections that it keeps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { freePort, median } from '../platform.mjs';
import { startLoneWorker } from '../worker.mjs';

const PROXIES = 20;
const DEAD = 5;
const AT_ONCE = 20;
const PAGES = 1_000;
const ANSWER_MS = 100;
const ROUNDS = 5;
const GOAL = 0.9;
const SKRIPT = `module.exports = async ({ url }) => {
  let left = ${PAGES};
  const began = performance.now();
  await Promise.all(Array.from({ length: ${AT_ONCE} }, async () => {
    while (left-- > 0) {
      const response = await fetch(url);
      if ((await response.text()).length !== 20_000) throw new Error('not the page');
    }
  }));
  return ${PAGES} / ((performance.now() - began) / 1_000);
};`;

const page = 'x'.repeat(20_000);
const site = createServer((_request, response) => setTimeout(() => response.end(page), ANSWER_MS)).listen(
  0,
  '127.0.0.1',
);
await once(site, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (site.address());
const script = fileURLToPath(new URL('./proxies.mjs', import.meta.url));
const proxies = spawn(process.execPath, [script, String(PROXIES - DEAD)], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(proxies.stdout, 'data');
/** @type {number[]} */
const ports = JSON.parse(String(line));
while (ports.length < PROXIES) ports.push(await freePort());
/** @param {{ method: string }} op */
const answer = ({ method }) =>
  method === 'takeProxies'
    ? {
        is_sticky: false,
        proxies: ports.map((own, id) => ({ id: String(id), url: `http://127.0.0.1:${own}`, tier: 1, rest_ms: 0 })),
      }
    : { rest: [] };
const worker = await startLoneWorker(
  { TRAWL_EGRESS_ALLOW: [port, ...ports].map(own => `127.0.0.1:${own}`).join() },
  answer,
);
try {
  /** @param {string} host @param {object} offer */
  const measure = async (host, offer) => {
    const { output } = await worker.run(SKRIPT, { input: JSON.stringify({ url: `http://${host}:${port}` }), ...offer });
    return Number(output);
  };
  /** @type {{ direct: number, pool: number }[]} */
  const rounds = [];
  // The first round is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const [direct, pool] = [await measure('127.0.0.1', {}), await measure('site.test', { proxy: 'bench' })];
    if (round > 0) rounds.push({ direct, pool });
  }
  const of = (/** @type {'direct' | 'pool'} */ name) => Math.round(median(rounds.map(round => round[name])));
  console.table([{ 'direct (requests/s)': of('direct'), 'through the pool (requests/s)': of('pool') }]);
  const ratio = Number(median(rounds.map(({ direct, pool }) => pool / direct)).toFixed(2));
  console.log(JSON.stringify({ bench: 'proxy', ratio, goal: GOAL, better: 'higher' }));
} finally {
  await worker.stop();
  proxies.kill();
  site.closeAllConnections();
  site.close();
}
