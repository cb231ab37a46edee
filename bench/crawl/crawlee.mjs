// The same crawl with Crawlee: node crawlee.mjs START MONGODB_URI
import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio';
import { MongoClient } from 'mongodb';
import { recordOf } from './crawl.cjs';

const [, , start, uri] = process.argv;
const PER_BATCH = 100;
const folder = new URL('.', start).href;
log.setLevel(LogLevel.WARNING);
const client = new MongoClient(uri, { writeConcern: { w: 'majority', journal: true } });
const pages = client.db('bench').collection('pages');
await pages.deleteMany({});

let count = 0;
let batch = [];
const crawler = new CheerioCrawler(
  {
    minConcurrency: 10,
    maxConcurrency: 10,
    requestHandler: async ({ request, $, enqueueLinks }) => {
      await enqueueLinks({
        globs: [`${folder}**/*.html`, `${folder}*.html`],
        transformRequestFunction: withoutFragment,
      });
      count += 1;
      batch.push(recordOf(request.url, $));
      if (batch.length < PER_BATCH) return;
      const full = batch;
      batch = [];
      await pages.insertMany(full);
    },
  },
  // Its queue is in memory, as in the other crawls.
  new Configuration({ persistStorage: false, availableMemoryRatio: 0.5 }),
);

function withoutFragment(request) {
  request.url = request.url.replace(/#.*/s, '');
  return request;
}

await crawler.run([start]);
if (batch.length > 0) await pages.insertMany(batch);
await client.close();
console.log(count);
