// @ts-check
// Processor time and memory that a crawl needs to keep its last exchanges. Baseline: the same crawl without. Both read
// their pages in small blocks, in turns, so that other programs slow both down alike; the median of all pairs counts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { RUN_NODE } from '../platform.mjs';

/** Each crawl is a new process, because its compiler may choose differently. */
const CRAWLS = 5;
const BLOCKS = 10;
const BLOCK_PAGES = 32;
/** The crawl that keeps exchanges may need 3 % more. */
const GOAL = 1.03;
const GOAL_MB = 12;

const article = (/** @type {number} */ n) =>
  `<article><h2><a href="/${n}">Book ${n}</a></h2><p>${'Some words about it. '.repeat(8)}</p><b>${n}.50</b></article>`;
const page = gzipSync(
  `<!doctype html><title>Books</title>${Array.from({ length: 200 }, (_, n) => article(n)).join('\n')}`,
);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
  response.end(page);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const site = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

/** @typedef {{ cpu: number, rss: number }} Measured */

/** @param {'kept' | 'plain'} mode */
function crawl(mode) {
  const file = fileURLToPath(new URL('./crawl.mjs', import.meta.url));
  const child = spawn(RUN_NODE, [file, site, String(BLOCK_PAGES), mode], {
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  /** @type {import('node:stream').Readable} */ (child.stdio[3]).resume();
  const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
  const answers = lines[Symbol.asyncIterator]();
  /** @returns {Promise<Measured>} */
  const next = async () => JSON.parse((await answers.next()).value);
  const { stdin } = child;
  if (!stdin) throw new Error('The crawl has no stdin.');
  return {
    block: () => {
      stdin.write('\n');
      return next();
    },
    end: () => {
      stdin.end();
      return next();
    },
  };
}

const median = (/** @type {number[]} */ values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (Number(sorted[Math.floor(middle)]) + Number(sorted[Math.ceil(middle)])) / 2;
};

/** The cost of keeping exchanges in each crawl. @type {{ blocks: number, end: number, plainMs: number, mb: number }[]} */
const crawls = [];
for (let n = 0; n < CRAWLS; n += 1) {
  const [plain, kept] = [crawl('plain'), crawl('kept')];
  // The first blocks load and compile what both crawls need.
  for (const each of [plain, kept, plain, kept]) await each.block();
  /** @type {number[]} */
  const ratios = [];
  let plainMs = 0;
  for (let pair = 0; pair < BLOCKS; pair += 1) {
    const keptFirst = pair % 2 === 0 ? await kept.block() : null;
    const without = await plain.block();
    const withKept = keptFirst ?? (await kept.block());
    ratios.push(withKept.cpu / without.cpu);
    plainMs += without.cpu;
  }
  const [plainEnd, keptEnd] = [await plain.end(), await kept.end()];
  const mb = (keptEnd.rss - plainEnd.rss) / 1024 / 1024;
  crawls.push({ blocks: median(ratios), end: (keptEnd.cpu - plainEnd.cpu) / plainMs, plainMs, mb });
}
server.close();

const of = (/** @type {(one: (typeof crawls)[number]) => number} */ what) => median(crawls.map(what));
const moreMb = of(({ mb }) => mb);
const ratio = Number(of(({ blocks, end }) => blocks + end).toFixed(3));
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
console.log(
  `${BLOCKS * BLOCK_PAGES} pages: ${of(({ plainMs }) => plainMs).toFixed(0)} ms of processor time without; kept exchanges take ${percent(of(({ blocks }) => blocks - 1))} more, and sending them at the end ${percent(of(({ end }) => end))}`,
);
console.log(`the ${CRAWLS} crawls: ${crawls.map(({ blocks, end }) => (blocks + end).toFixed(3)).join(', ')}`);
console.log(`memory: ${moreMb.toFixed(1)} MB more, of at most ${GOAL_MB}`);
const memory = { ratio: Number((moreMb / GOAL_MB).toFixed(3)), goal: 1 };
console.log(JSON.stringify({ bench: 'evidence', ratio, goal: GOAL, memory }));
