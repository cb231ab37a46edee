import { CheerioCrawler, createCheerioRouter, Dataset, KeyValueStore } from 'crawlee';
import { priceOf } from './price.js';

const router = createCheerioRouter();

// Pages without a label are lists of products.
router.addDefaultHandler(async ({ enqueueLinks }) => {
  await enqueueLinks({ selector: '.product-title a', label: 'product' });
  await enqueueLinks({ selector: 'a[rel=next]' });
});

router.addHandler('product', async ({ request, $ }) => {
  await Dataset.pushData({
    sku: $('.product-detail').attr('data-sku'),
    title: $('h1').text(),
    price: priceOf($('.price').first().text()),
    url: request.loadedUrl,
  });
});

const { base_url, pages } = await KeyValueStore.getInput();
const crawler = new CheerioCrawler({ requestHandler: router, maxRequestsPerCrawl: pages });
await crawler.run([new URL('/catalogue', base_url).href]);
