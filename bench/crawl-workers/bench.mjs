// @ts-check
// Time in which two runs on two workers crawl a site through one queue, compared with one run on one worker. The site takes
// 500 ms for each page, as many sites do, and a run works on ten pages at the same time: crawls wait for sites.
import { setTimeout as sleep } from 'node:timers/promises';
import { WITH_QUEUE } from '../../e2e/dist/crawl-kills/crawlers.js';
import { LinkedSite } from '../../e2e/dist/crawl-kills/linked-site.js';
import { median } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';

const PAGES = 1_000;
const ANSWER_MS = 500;
const ROUNDS = 3;
const GOAL = 0.6;

const site = await LinkedSite.start(PAGES, ANSWER_MS);
const trawl = await startTrawl();
try {
  const { call } = trawl.trawl;
  /** @type {{ id: string }[]} */
  const workers = [];
  for (let n = 0; n < 2; n++)
    workers.push(await addWorker(trawl, { TRAWL_EGRESS_ALLOW: new URL(site.url).host }, `bench-${n}`));
  const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title: 'Whole site' });
  for (const [name, content] of Object.entries(WITH_QUEUE))
    await call('POST', '/joint-api/skript-files/addnew', { skript_id, name, content });
  const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0';

  /** Crawls the site by a run on each of so many workers. @param {number} count @returns {Promise<number>} time in ms */
  const crawl = async count => {
    site.fetched.clear();
    const began = performance.now();
    const runs = await Promise.all(
      workers
        .slice(0, count)
        .map(({ id }) => call('POST', start, { worker_id: id, skript_id, input: { base_url: site.url, worker: id } })),
    );
    for (const { id } of runs) {
      for (let run = { action: '' }; run.action !== 'end'; await sleep(50)) {
        run = await call('GET', `/joint-api/skript-execution/${id}`);
        if (run.action === 'error') throw new Error(JSON.stringify(run));
      }
    }
    const ms = performance.now() - began;
    const repeated = [...site.fetched.values()].filter(times => times !== 1).length;
    if (site.fetched.size !== PAGES || repeated > 0)
      throw new Error(`${site.fetched.size} pages, ${repeated} repeated`);
    const { items } = await call('GET', '/joint-api/queues/list');
    await call('DELETE', `/joint-api/queues/${items[0].id}`);
    return ms;
  };

  /** @type {number[][]} */
  const times = [[], []];
  // The first round is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const count of [1, 2]) {
      const ms = await crawl(count);
      if (round > 0) times[count - 1]?.push(ms);
    }
  }
  const [one, two] = times.map(median);
  const ratio = Number((Number(two) / Number(one)).toFixed(2));
  console.table([1, 2].map((workers, n) => ({ workers, 'median (s)': (median(times[n] ?? []) / 1_000).toFixed(1) })));
  console.log(JSON.stringify({ bench: 'crawl-workers', ratio, goal: GOAL }));
} finally {
  await trawl.stop();
  site.close();
}
