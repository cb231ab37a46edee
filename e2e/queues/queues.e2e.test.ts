import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';
import { WorkerProcess } from '../harness/worker-process.js';

const PAGES = 200;
const CONCURRENCY = 4;

/** Crawls the site. Each run of it works on four pages at the same time, and names itself in its requests. */
const CRAWLER = `
const { dataset, queue } = require('@trawl/storage');
module.exports = async ({ base_url, run }) => {
  const pages = queue('whole-site');
  await pages.add(base_url + '/0');
  const visit = async ({ url }) => {
    const links = await (await fetch(url, { headers: { 'x-run': run } })).json();
    if (links.length > 0) await pages.add(links.map(link => new URL(link, url).href));
    await dataset.push({ page: new URL(url).pathname }, { key: 'page' });
  };
  for await (const request of pages.take({ concurrency: ${CONCURRENCY} })) {
    visit(request).then(() => pages.done(request));
  }
};`;

/** A request that the site has not answered yet. */
interface Held {
  run: string;
  page: string;
  answer(): void;
}

let site: Server;
let base_url: string;
let platform: Platform;
let second: WorkerProcess;
const fetched: string[] = [];
const held: Held[] = [];
/** From this number of requests on, the site holds all of them. */
let holdFrom = 60;

beforeAll(async () => {
  site = createServer((request, response) => {
    const page = request.url as string;
    const answer = () => answerPage(page, response);
    fetched.push(page);
    if (fetched.length < holdFrom) answer();
    else held.push({ run: String(request.headers['x-run']), page, answer });
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  base_url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  // The lease is short, so that the platform soon knows that a killed worker is lost.
  platform = await Platform.start({ backendEnv: { TRAWL_LEASE_MS: '5000' }, mayReach: [base_url] });
  second = await WorkerProcess.start(
    await platform.as('admin'),
    { name: 'second', public: true },
    { TRAWL_URL: platform.url, TRAWL_EGRESS_ALLOW: new URL(base_url).host },
  );
});
afterAll(async () => {
  await second?.close();
  await platform?.close();
  site?.close().closeAllConnections();
});

/** Each page links to five others, and back to the first one. */
function answerPage(page: string, response: ServerResponse): void {
  const first = Number(page.slice(1)) * 5;
  const links = [1, 2, 3, 4, 5].map(n => first + n).filter(n => n < PAGES);
  response.setHeader('content-type', 'application/json').end(JSON.stringify([0, ...links].map(n => `/${n}`)));
}

async function leased(): Promise<number> {
  const database = new Client({ connectionString: platform.databaseUrl });
  await database.connect();
  const { rows } = await database.query('SELECT leased::int FROM queues');
  await database.end();
  return rows[0].leased;
}

/** Waits until the runs do nothing but wait for answers that the site holds. */
async function allInFlight(runs: number): Promise<void> {
  const inFlight = runs * CONCURRENCY;
  await until(async () => held.length === inFlight && (await leased()) === inFlight, 'all requests to be in flight');
}

function answerHeld(nextHoldFrom: number): void {
  holdFrom = nextHoldFrom;
  for (const { answer } of held.splice(0)) answer();
}

it('runs on two workers crawl each page once, and a later run only has to repeat what was in flight at a kill', async () => {
  const skript = await platform.skript('whole site', { 'main.js': CRAWLER });
  const start = (run: string, worker: string) => {
    platform.workerId = worker;
    return platform.begin(skript, { base_url, run });
  };
  const first = await start('first', platform.worker.id);
  const other = await start('other', second.id);
  await allInFlight(2);
  const inFlight = held.filter(({ run }) => run === 'first').map(({ page }) => page);
  await platform.worker.kill('SIGKILL');
  await platform.backend.kill('SIGKILL');
  // The other run continues while its calls reach no backend.
  answerHeld(150);
  await platform.startBackend();
  expect(await platform.ended(first)).toMatchObject({ action: 'error', error_code: 'worker_lost' });

  // The other run has four requests again, and nobody has those of the first run.
  await allInFlight(1);
  inFlight.push(...held.map(({ page }) => page));
  await second.kill('SIGKILL');
  answerHeld(Number.POSITIVE_INFINITY);
  expect(await platform.ended(other)).toMatchObject({ action: 'error', error_code: 'worker_lost' });

  await platform.worker.start();
  const last = await start('last', platform.worker.id);
  expect(await platform.ended(last)).toMatchObject({ action: 'end', error_stack: null });

  const pages = Array.from({ length: PAGES }, (_, n) => `/${n}`);
  expect([...fetched].sort()).toEqual([...pages, ...inFlight].sort());
  const stored = (await platform.documents(`dataset_${skript}`)).map(({ page }) => page);
  expect(stored.sort()).toEqual([...pages].sort());
});
