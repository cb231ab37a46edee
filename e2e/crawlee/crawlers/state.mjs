import { CheerioCrawler, Dataset, KeyValueStore } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
const crawler = new CheerioCrawler({
  maxRequestsPerCrawl: 3,
  maxConcurrency: 1,
  async requestHandler({ $, crawler, enqueueLinks }) {
    const state = await crawler.useState({ products: 0 });
    state.products += $('.product').length;
    await enqueueLinks({ selector: 'a[rel=next]' });
  },
});
await crawler.run([`${base_url}/catalogue`]);
await Dataset.pushData(await crawler.useState());
