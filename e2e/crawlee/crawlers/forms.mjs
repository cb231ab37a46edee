import { BasicCrawler, Dataset, KeyValueStore } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
const crawler = new BasicCrawler({
  async requestHandler({ request, sendRequest }) {
    const { statusCode } = await sendRequest({ throwHttpErrors: false });
    await Dataset.pushData({ method: request.method, payload: request.payload ?? null, statusCode });
  },
});
await crawler.run([
  { url: `${base_url}/catalogue` },
  { url: `${base_url}/catalogue`, method: 'POST', payload: 'of=rope', useExtendedUniqueKey: true },
]);
