import { KeyValueStore, PuppeteerCrawler } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
const crawler = new PuppeteerCrawler({
  async requestHandler({ page, pushData, enqueueLinks }) {
    await page.waitForSelector('.product');
    await pushData({ path: new URL(page.url()).pathname, products: (await page.$$('.product')).length > 0 });
    await enqueueLinks({ selector: 'nav a', globs: ['**/catalogue'] });
  },
});
await crawler.run([`${base_url}/js/`]);
