// @ts-check
// Processor time and memory that a crawl needs to keep its last exchanges. Baseline: the same crawl without, in turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { RUN_NODE } from '../platform.mjs';

const ROUNDS = 5;
const PAGES = 300;
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

/** @param {'kept' | 'plain'} mode @returns {Promise<{ cpu: number, rss: number }>} */
async function crawl(mode) {
  const file = fileURLToPath(new URL('./crawl.mjs', import.meta.url));
  const child = spawn(RUN_NODE, [file, site, String(PAGES), mode], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  /** @type {import('node:stream').Readable} */ (child.stdio[3]).resume();
  return JSON.parse(await text(/** @type {import('node:stream').Readable} */ (child.stdout)));
}

/** @type {Record<'kept' | 'plain', { cpu: number, rss: number }[]>} */
const measured = { plain: [], kept: [] };
for (let round = 0; round <= ROUNDS; round++) {
  /** @type {('kept' | 'plain')[]} */
  const order = round % 2 === 0 ? ['plain', 'kept'] : ['kept', 'plain'];
  for (const mode of order) {
    const result = await crawl(mode);
    // The first round is not counted.
    if (round > 0) measured[mode].push(result);
  }
}
server.close();

/** The least of all rounds: other programs only add to it. @param {'kept' | 'plain'} mode @param {'cpu' | 'rss'} what */
const least = (mode, what) => Math.min(...measured[mode].map(result => result[what]));
const cpu = { plain: least('plain', 'cpu'), kept: least('kept', 'cpu') };
const mb = (/** @type {'kept' | 'plain'} */ mode) => least(mode, 'rss') / 1024 / 1024;
const moreMb = mb('kept') - mb('plain');
console.log(
  `${PAGES} pages: ${cpu.plain.toFixed(0)} ms of processor time without, ${cpu.kept.toFixed(0)} ms with kept exchanges`,
);
console.log(`memory: ${moreMb.toFixed(1)} MB more, of at most ${GOAL_MB}`);
const ratio = Number((cpu.kept / cpu.plain).toFixed(3));
const memory = { ratio: Number((moreMb / GOAL_MB).toFixed(3)), goal: 1 };
console.log(JSON.stringify({ bench: 'evidence', ratio, goal: GOAL, memory }));
