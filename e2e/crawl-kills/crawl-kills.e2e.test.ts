import { Client } from 'pg';
import { onServer, Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';
import { WorkerProcess } from '../harness/worker-process.js';
import { registrySettings } from '../libraries/registry-settings.js';
import { WITH_CRAWLEE, WITH_QUEUE } from './crawlers.js';
import { LinkedSite } from './linked-site.js';

const PAGES = isFullTest ? Number(process.env.TRAWL_TEST_CRAWLED_PAGES ?? 20_000) : 300;
/** Share of the fetched pages in percent at which the test kills a process, and the process: the backend or a worker. */
const KILLS: [number, 'backend' | number][] = [
  [15, 0],
  [30, 'backend'],
  [45, 1],
  [60, 'backend'],
  [75, 0],
];
const CRAWL_MS = 3_000_000;
/** The first run of a skript with Crawlee waits for npm. */
const INSTALL_MS = 900_000;

let site: LinkedSite;
let platform: Platform;
let registry: Record<string, string>;

beforeEach(async () => {
  site = await LinkedSite.start(PAGES);
  registry = isFullTest ? await registrySettings() : {};
  platform = await Platform.start({
    // The lease is short, so that the platform soon knows that a killed worker is lost.
    backendEnv: { TRAWL_LEASE_MS: '5000', ...registry },
    mayReach: [site.url],
    workerEnv: registry,
  });
  await onServer(platform.databaseUrl, NOTE_LEFT);
}, INSTALL_MS);
afterEach(async () => {
  await platform?.close();
  site?.close();
});

/** Notes the requests that dead runs leave. */
const NOTE_LEFT = `
  CREATE TABLE left_requests (url text);
  CREATE FUNCTION note_left_request() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO left_requests VALUES (NEW.url);
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_left AFTER UPDATE ON queue_requests FOR EACH ROW
    WHEN (OLD.state = 'l' AND NEW.state = 'w' AND NEW.left_by IS NOT NULL) EXECUTE FUNCTION note_left_request()`;

/** Returns how often each page was in flight when a run died. */
async function timesLeft(): Promise<Map<string, number>> {
  const database = new Client({ connectionString: platform.databaseUrl });
  await database.connect();
  const { rows } = await database.query('SELECT url, count(*)::int AS times FROM left_requests GROUP BY url');
  await database.end();
  return new Map(rows.map(({ url, times }) => [new URL(url).pathname, times]));
}

/** Waits for the end of the last attempt of a run. All attempts name the first as the run that they retry. */
async function lastAttempt(id: string, first = id): Promise<any> {
  const run = await platform.ended(id, CRAWL_MS);
  if (run.action === 'end') return run;
  const developer = await platform.as('developer');
  const retry = await until(async () => {
    const { body } = await developer('GET', `/joint-api/skript-execution/list?retry_of=${first}`);
    const newest = body.items[0]?.id;
    return newest !== id && newest;
  }, `a retry of a run that has ended with ${run.error_stack}`);
  return lastAttempt(retry, first);
}

/** Kills a worker between the rows of some pages and the end of their requests, and starts it again. */
async function killWorker(worker: WorkerProcess): Promise<void> {
  site.hold();
  await until(async () => site.heldFor(worker.id) >= 2, 'rows of pages that are not done', 120_000);
  await worker.kill('SIGKILL');
  // Another worker waits meanwhile, and so leaves pages for this one.
  await worker.start();
  site.release();
}

/** Crawls the site by a run on each worker, with kills in between. Expects that each page is stored exactly once. */
async function crawl(workers: WorkerProcess[]): Promise<void> {
  const skript = await platform.skript('whole site', isFullTest ? WITH_CRAWLEE : WITH_QUEUE, {
    retries: 5,
    retry_delay_ms: 0,
    worker_response_timeout: CRAWL_MS,
  });
  const runs: string[] = [];
  for (const { id } of workers) {
    platform.workerId = id;
    runs.push(await platform.begin(skript, { base_url: site.url, worker: id }));
  }
  for (const [percent, victim] of KILLS) {
    await until(async () => site.fetched.size >= (PAGES * percent) / 100, `${percent} % of the pages`, INSTALL_MS);
    if (victim === 'backend') {
      await platform.backend.kill('SIGKILL');
      await platform.startBackend();
      continue;
    }
    await killWorker(workers[victim % workers.length] as WorkerProcess);
  }
  for (const run of runs) expect(await lastAttempt(run)).toMatchObject({ action: 'end', error_stack: null });

  const pages = Array.from({ length: PAGES }, (_, n) => `/${n}`);
  const stored = (await platform.documents(`dataset_${skript}`)).map(({ page }) => page);
  expect(stored.sort()).toEqual([...pages].sort());
  const left = await timesLeft();
  const tooOften = [...site.fetched].filter(([page, times]) => times > 1 + (left.get(page) ?? 0));
  expect(tooOften).toEqual([]);
  expect([...site.fetched.values()].some(times => times > 1)).toBe(true);
}

test(
  'a crawl whose worker and backend are killed stores each page once, and repeats only what was in flight',
  () => crawl([platform.worker]),
  isFullTest ? CRAWL_MS : undefined,
);

test(
  'two workers that share the queue, are killed and come back do the same',
  async () => {
    const second = await WorkerProcess.start(
      await platform.as('admin'),
      { name: 'second', public: true },
      { TRAWL_URL: platform.url, TRAWL_EGRESS_ALLOW: new URL(site.url).host, ...registry },
    );
    try {
      await crawl([platform.worker, second]);
    } finally {
      await second.close();
    }
  },
  isFullTest ? CRAWL_MS : undefined,
);
