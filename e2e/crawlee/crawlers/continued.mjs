import { CheerioCrawler, Dataset, KeyValueStore } from 'crawlee';

const { base_url } = await KeyValueStore.getInput();
const attempts = ((await KeyValueStore.getValue('attempts')) ?? 0) + 1;
await KeyValueStore.setValue('attempts', attempts);
const crawler = new CheerioCrawler({
  maxConcurrency: 1,
  async requestHandler({ request, enqueueLinks, pushData }) {
    const page = new URL(request.url).searchParams.get('page');
    if (page === '47' && attempts === 1) process.kill(process.pid, 'SIGKILL');
    await pushData({ page, attempts });
    await enqueueLinks({ selector: 'a[rel=next]' });
  },
});
await crawler.run([`${base_url}/catalogue?page=45`]);
await Dataset.pushData({ rows: (await Dataset.getData()).total });
