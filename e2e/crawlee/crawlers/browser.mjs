import { KeyValueStore, PlaywrightCrawler, PuppeteerCrawler, RequestQueue } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
for (const Crawler of [PuppeteerCrawler, PlaywrightCrawler]) {
  const crawler = new Crawler({
    requestQueue: await RequestQueue.open(Crawler.name),
    async requestHandler({ page, pushData, enqueueLinks }) {
      await page.waitForSelector('.product');
      const products = (await page.$$('.product')).length > 0;
      await pushData({ crawler: Crawler.name, path: new URL(page.url()).pathname, products });
      await enqueueLinks({ selector: 'nav a', globs: ['**/catalogue'] });
    },
  });
  await crawler.run([`${base_url}/js/`]);
}
