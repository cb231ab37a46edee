import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Platform } from '../harness/platform.js';
import { WorkerProcess } from '../harness/worker-process.js';

const RUNS = 3;
const REQUESTS = 60;
/** The budget of a domain for which nothing is set. */
const [RATE, BURST] = [5, 5];

/** Sends requests, ten at the same time, until the site has had enough. */
const GREEDY = `
module.exports = async ({ base_url, run }) => {
  const send = async () => {
    for (;;) {
      const response = await fetch(base_url, { headers: { 'x-run': run } });
      if (await response.text() === 'enough') return;
    }
  };
  await Promise.all(Array.from({ length: 10 }, send));
};`;

let site: Server;
let base_url: string;
let platform: Platform;
const workers: WorkerProcess[] = [];
const seen: { run: string; at: number }[] = [];

beforeAll(async () => {
  site = createServer((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    seen.push({ run: String(request.headers['x-run']), at: performance.now() });
    response.end(seen.length < REQUESTS ? 'more' : 'enough');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  base_url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  platform = await Platform.start({ mayReach: [base_url] });
  const admin = await platform.as('admin');
  const env = { TRAWL_URL: platform.url, TRAWL_EGRESS_ALLOW: new URL(base_url).host };
  for (const name of ['second', 'third']) workers.push(await WorkerProcess.start(admin, { name, public: true }, env));
});
afterAll(async () => {
  for (const worker of workers) await worker.close();
  await platform?.close();
  site?.close().closeAllConnections();
});

it('greedy runs on three workers share the budget of a domain, and each gets its share', async () => {
  const skript = await platform.skript('greedy', { 'main.js': GREEDY }, { polite: true });
  const ids: string[] = [];
  for (const worker of [platform.worker, ...workers]) {
    platform.workerId = worker.id;
    ids.push(await platform.begin(skript, { base_url, run: worker.id }));
  }
  for (const id of ids) expect(await platform.ended(id)).toMatchObject({ action: 'end', error_stack: null });
  const counted = seen.slice(0, REQUESTS);
  // A busy machine makes this longer, never shorter.
  const leastSeconds = (REQUESTS - BURST) / RATE;
  expect((counted.at(-1)?.at ?? 0) - (counted[0]?.at ?? 0)).toBeGreaterThan(0.8 * 1_000 * leastSeconds);
  for (const { id } of [platform.worker, ...workers]) {
    expect(counted.filter(({ run }) => run === id).length).toBeGreaterThan(REQUESTS / RUNS / 3);
  }
});
