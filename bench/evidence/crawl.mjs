// @ts-check
// A crawl in the process of a run: reads each page with `fetch` and cheerio. Prints the processor time and the memory.
// With `kept`, it captures exchanges as a run does, and sends them to the parent at its end.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { exchangeParts, pipeLine } from '@trawl/contracts';
import { ExchangeCapture } from '@trawl/worker/dist/runner/exchanges/exchange-capture.js';
import { LastExchanges } from '@trawl/worker/dist/runner/exchanges/last-exchanges.js';

const MESSAGES_FD = 3;
const [site, pages, mode] = process.argv.slice(2);
const cheerio = createRequire(import.meta.url)('cheerio');

const last = new LastExchanges();
if (mode === 'kept') {
  const capture = new ExchangeCapture();
  capture.install();
  capture.add(last);
  capture.start();
}

/** @param {number} n */
async function read(n) {
  const page = cheerio.load(await (await fetch(`${site}/${n}`)).text());
  return page('article').length + page('a').length;
}

// The first pages load and compile what both crawls need.
for (let n = 0; n < 50; n += 1) await read(n);
const before = process.cpuUsage();
let found = 0;
for (let n = 0; n < Number(pages); n += 4)
  found += (await Promise.all([0, 1, 2, 3].map(more => read(n + more)))).length;
for (const exchange of last.take()) {
  const { head, data } = exchangeParts(exchange);
  const line = pipeLine({ t: 'exchange', head }, data);
  for (let at = 0; at < line.length; ) at += writeSync(MESSAGES_FD, line, at);
}
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ found, cpu: (user + system) / 1_000, rss: process.memoryUsage().rss }));
