import { Actor, log } from 'apify';
import { CheerioCrawler } from 'crawlee';

await Actor.init();
const { base_url } = await Actor.getInput();
log.info('The Actor has its input');
const crawler = new CheerioCrawler({
  async requestHandler({ $ }) {
    await Actor.pushData({ products: $('.product').length });
  },
});
await crawler.run([`${base_url}/catalogue`]);
await Actor.setValue('SEEN', { pages: 1 });
await Actor.pushData({ seen: await Actor.getValue('SEEN') });
await Actor.setValue('OUTPUT', { pages: 1 });
await Actor.exit('All read');
await Actor.pushData({ afterExit: true });
