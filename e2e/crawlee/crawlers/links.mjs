import { CheerioCrawler, KeyValueStore } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
const crawler = new CheerioCrawler({
  maxConcurrency: 4,
  async requestHandler({ request, $, enqueueLinks, pushData }) {
    await pushData({
      path: new URL(request.loadedUrl).pathname + new URL(request.loadedUrl).search,
      products: $('.product').length,
    });
    await enqueueLinks({ selector: 'a[rel=next]' });
  },
});
await crawler.run([`${base_url}/catalogue?page=46`]);
