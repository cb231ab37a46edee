// @ts-check
// Time in which a skript crawls PostgreSQL's documentation (1,167 pages in Debian 12), reads each page, and
// stores a record of it in MongoDB. Baseline: the same code in plain Node. Peers: Crawlee and Scrapy.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withPackages } from '../packages.mjs';
import { bareEnvironment, median, RUN_NODE } from '../platform.mjs';
import { addWorker, startProcess, startTrawl } from '../servers.mjs';
import { documentation, scrapyEnvironment } from './debian.mjs';

const ROUNDS = 5;
const GOAL = 0.9;
const PEER_GOAL = 0.7;

/** @param {string} name of a file in this folder */
const here = name => fileURLToPath(new URL(name, import.meta.url));

const folder = await withPackages('crawl');
const site = await documentation();
const scrapy = await scrapyEnvironment();
const trawl = await startTrawl();
try {
  const { value: port } = await startProcess(here('./site.mjs'), [site], {}, trawl.stops);
  const start = `http://127.0.0.1:${port}/index.html`;
  await addWorker(trawl, { TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}` });

  const { call } = trawl.trawl;
  const { id: skript_id } = await call('POST', '/joint-api/skripts/addnew', { title: 'Crawl' });
  for (const [name, file] of Object.entries({ 'main.js': './skript.cjs', 'crawl.cjs': './crawl.cjs' }))
    await call('POST', '/joint-api/skript-files/addnew', {
      skript_id,
      name,
      content: readFileSync(here(file), 'utf8'),
    });

  /** @param {string} program @param {string} file @param {Record<string, string>} [environment] */
  const program = (program, file, environment) => async () => {
    const options = { env: { ...bareEnvironment, ...environment } };
    const { stdout } = await promisify(execFile)(program, [join(folder, file), start, trawl.mongodbUri], options);
    return Number(stdout);
  };
  /** Each returns the number of pages. @type {Record<string, () => Promise<number>>} */
  const crawls = {
    trawl: async () => {
      const path = '/joint-api/execute-skript/single-worker/start?wait_ms=180000';
      const { output, error_stack } = await call('POST', path, { worker_id: 'any', skript_id, input: { start } });
      if (error_stack) throw new Error(error_stack);
      return output;
    },
    'plain node': program(RUN_NODE, 'plain.mjs'),
    crawlee: program(process.execPath, 'crawlee.mjs'),
    scrapy: program('/usr/bin/python3', 'spider.py', scrapy),
  };

  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(crawls).map(name => [name, []]));
  /** @type {number | undefined} */
  let pages;
  // The first round is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, crawl] of Object.entries(crawls)) {
      const began = performance.now();
      const count = await crawl();
      pages ??= count;
      if (count !== pages) throw new Error(`${name} found ${count} pages instead of ${pages}`);
      if (round > 0) times[name]?.push(performance.now() - began);
    }
  }

  const ms = (/** @type {string} */ name) => median(times[name] ?? []);
  const ratio = (/** @type {string} */ name) => Number((ms('trawl') / ms(name)).toFixed(2));
  console.log(`${pages} pages`);
  console.table(
    Object.keys(crawls).map(name => ({
      crawl: name,
      'median (ms)': Math.round(ms(name)),
      'trawl / this': ratio(name),
    })),
  );
  console.log(
    JSON.stringify({
      bench: 'crawl',
      ratio: ratio('plain node'),
      goal: GOAL,
      crawlee: { ratio: ratio('crawlee'), goal: PEER_GOAL },
      scrapy: { ratio: ratio('scrapy'), goal: PEER_GOAL },
    }),
  );
} finally {
  await trawl.stop();
}
