/** Crawls a site with Crawlee. */
export const WITH_CRAWLEE = {
  'package.json': JSON.stringify({ dependencies: { '@crawlee/cheerio': '3.18.1' } }),
  'main.mjs': `import { CheerioCrawler, KeyValueStore, RequestQueue } from '@crawlee/cheerio';

const { base_url, worker } = await KeyValueStore.getInput();
const crawler = new CheerioCrawler({
  requestQueue: await RequestQueue.open('site'),
  // On a busy machine, Crawlee would open one page at a time.
  minConcurrency: 5,
  maxConcurrency: 10,
  async requestHandler({ request, enqueueLinks, pushData }) {
    await enqueueLinks();
    const { pathname } = new URL(request.url);
    await pushData({ page: pathname });
    await (await fetch(base_url + '/stored/' + worker + pathname)).text();
  },
});
await crawler.run([base_url + '/0']);
`,
};

/** Does the same with the queue of Trawl alone, which needs no library. */
export const WITH_QUEUE = {
  'main.js': `const { dataset, queue } = require('@trawl/storage');

module.exports = async ({ base_url, worker }) => {
  const pages = queue('crawlee-site');
  await pages.add(base_url + '/0');
  const visit = async request => {
    const { pathname } = new URL(request.url);
    const page = await (await fetch(request.url)).text();
    await pages.add([...page.matchAll(/href="(.*?)"/g)].map(([, link]) => base_url + link));
    await dataset.push({ page: pathname }, { request });
    await (await fetch(base_url + '/stored/' + worker + pathname)).text();
    await pages.done(request);
  };
  for await (const request of pages.take({ concurrency: 10 })) void visit(request);
};
`,
};
