import { CheerioCrawler, Dataset, KeyValueStore } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
const tries = {};
const crawler = new CheerioCrawler({
  maxRequestRetries: 2,
  sameDomainDelaySecs: 0,
  async requestHandler({ request }) {
    const { pathname } = new URL(request.url);
    tries[pathname] = (tries[pathname] ?? 0) + 1;
    if (pathname === '/categories/sea-stories') throw new Error('never read');
    if (pathname === '/catalogue' && tries[pathname] < 3) throw new Error('not yet');
    await Dataset.pushData({ pathname, retries: request.retryCount, errors: request.errorMessages.length });
  },
  async failedRequestHandler({ request }, error) {
    await Dataset.pushData({
      pathname: new URL(request.url).pathname,
      failed: error.message,
      retries: request.retryCount,
    });
  },
});
const { requestsFinished, requestsFailed } = await crawler.run([
  `${base_url}/`,
  `${base_url}/catalogue`,
  `${base_url}/categories/sea-stories`,
]);
await KeyValueStore.setValue('OUTPUT', { requestsFinished, requestsFailed });
await Dataset.pushData({ ...tries, requestsFinished, requestsFailed });
