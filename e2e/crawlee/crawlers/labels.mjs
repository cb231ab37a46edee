import { CheerioCrawler, createCheerioRouter, Dataset, KeyValueStore } from 'crawlee';

const router = createCheerioRouter();
router.addDefaultHandler(async ({ enqueueLinks }) => {
  await enqueueLinks({ selector: '.product-title a', label: 'product', userData: { shelf: 'first' }, limit: 5 });
});
router.addHandler('product', async ({ request, $ }) => {
  await Dataset.pushData({ sku: $('.product-detail').attr('data-sku'), shelf: request.userData.shelf });
});

const { base_url } = await KeyValueStore.getInput();
await new CheerioCrawler({ requestHandler: router, maxConcurrency: 2 }).run([`${base_url}/catalogue`]);
