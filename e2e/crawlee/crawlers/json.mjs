import { Dataset, HttpCrawler, KeyValueStore } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
const crawler = new HttpCrawler({
  additionalMimeTypes: ['application/json'],
  async requestHandler({ json, contentType }) {
    await Dataset.pushData({ type: contentType.type, isList: Array.isArray(json.items ?? json) });
  },
});
await crawler.run([`${base_url}/js/arrivals.json`]);
