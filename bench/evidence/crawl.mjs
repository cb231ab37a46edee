// @ts-check
// A crawl in the process of a run: reads each page with `fetch` and cheerio. It reads a block of pages for each line of
// stdin, and prints the processor time of the block; at the end of stdin, that of the end of the run, and its memory.
// With `kept`, it captures exchanges as a run does, and sends them to the parent at its end.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
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

/** Reports the processor time of all threads of this process. @param {() => unknown} work */
async function measure(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cpu: (user + system) / 1_000, rss: process.memoryUsage().rss }));
}

for await (const _ of createInterface({ input: process.stdin })) {
  await measure(async () => {
    for (let n = 0; n < Number(pages); n += 4) await Promise.all([0, 1, 2, 3].map(more => read(n + more)));
  });
}
await measure(() => {
  for (const exchange of last.take()) {
    const { head, data } = exchangeParts(exchange);
    const line = pipeLine({ t: 'exchange', head }, data);
    for (let at = 0; at < line.length; ) at += writeSync(MESSAGES_FD, line, at);
  }
});
