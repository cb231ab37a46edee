import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Platform } from '../harness/platform.js';
import { WorkerProcess } from '../harness/worker-process.js';

const LIMIT = 3;
const REQUESTS = 60;
const ANSWER_MS = 50;

/** Sends requests, ten at the same time, until the site has had enough. */
const GREEDY = `
module.exports = async ({ base_url, run }) => {
  const send = async () => {
    while (await (await fetch(base_url + '/greedy', { headers: { 'x-run': run } })).text() !== 'enough');
  };
  await Promise.all(Array.from({ length: 10 }, send));
};`;
/** Sends requests that the site never answers. */
const HANGING = `
module.exports = async ({ base_url }) => {
  await Promise.all(Array.from({ length: 10 }, () => fetch(base_url + '/never')));
};`;

let site: Server;
let base_url: string;
let platform: Platform;
let second: WorkerProcess;
/** Requests in progress, and the most of them. */
let inProgress: number;
let most: number;
let answered: string[];
/** Called when all places are taken by requests that the site never answers. */
let isFull: () => void;

function answer(path: string, run: string, response: ServerResponse): void {
  inProgress += 1;
  most = Math.max(most, inProgress);
  response.on('close', () => {
    inProgress -= 1;
  });
  if (path === '/never') {
    if (inProgress === LIMIT) isFull();
    return;
  }
  setTimeout(() => {
    answered.push(run);
    response.end(answered.length < REQUESTS ? 'more' : 'enough');
  }, ANSWER_MS);
}

beforeAll(async () => {
  site = createServer(({ url = '', headers }, response) => {
    if (url === '/robots.txt') response.writeHead(404).end();
    else answer(url, String(headers['x-run']), response);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  base_url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  platform = await Platform.start({ mayReach: [base_url] });
  const admin = await platform.as('admin');
  const env = { TRAWL_URL: platform.url, TRAWL_EGRESS_ALLOW: new URL(base_url).host };
  second = await WorkerProcess.start(admin, { name: 'second', public: true }, env);
  const settings = { requests_per_second: 1_000, burst: 1_000, max_concurrency: LIMIT };
  const developer = await platform.as('developer');
  const set = await developer('PUT', `/joint-api/polite-domains/${new URL(base_url).host}`, settings);
  expect([set.status, set.body.max_concurrency]).toEqual([200, LIMIT]);
});
afterAll(async () => {
  await second?.close();
  await platform?.close();
  site?.close().closeAllConnections();
});
beforeEach(() => {
  inProgress = 0;
  most = 0;
  answered = [];
});

const skriptOf = (name: string, code: string) => platform.skript(name, { 'main.js': code }, { polite: true });
async function begin(skript: string, worker: WorkerProcess, run: string): Promise<string> {
  platform.workerId = worker.id;
  return platform.begin(skript, { base_url, run });
}

it('runs on two workers together stay within the limit, and each gets its share', async () => {
  const skript = await skriptOf('greedy', GREEDY);
  const ids = [await begin(skript, platform.worker, 'one'), await begin(skript, second, 'two')];
  for (const id of ids) expect(await platform.ended(id)).toMatchObject({ action: 'end', error_stack: null });
  expect(most).toBe(LIMIT);
  for (const run of ['one', 'two']) {
    expect(answered.slice(0, REQUESTS).filter(name => name === run).length).toBeGreaterThan(REQUESTS / 10);
  }
});

it('a worker that is killed gives back the places of its runs', async () => {
  const full = new Promise<void>(resolve => {
    isFull = resolve;
  });
  const hanging = await begin(await skriptOf('hanging', HANGING), second, 'hanging');
  await full;
  const next = await begin(await skriptOf('next', GREEDY), platform.worker, 'next');
  await second.kill('SIGKILL');
  // The platform ends the run when the worker is back.
  await second.start();
  expect(await platform.ended(next)).toMatchObject({ action: 'end', error_stack: null });
  expect(await platform.ended(hanging)).toMatchObject({ action: 'error' });
  expect(most).toBe(LIMIT);
});
