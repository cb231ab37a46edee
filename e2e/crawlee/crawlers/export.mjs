import { Dataset, KeyValueStore } from 'crawlee';

await Dataset.pushData([
  { sku: 'b', price: 2 },
  { sku: 'a', price: 1 },
]);
await Dataset.pushData({ sku: 'c', price: 3 });
const found = await Dataset.open();
const { items, total } = await found.getData({ offset: 1, limit: 1 });
const sum = await found.reduce((sum, { price }) => sum + price, 0);
await found.exportToCSV('prices');
const named = await Dataset.open('cheapest-goods');
await named.drop();
const cheapest = await Dataset.open('cheapest-goods');
await cheapest.pushData(await found.map(({ sku }) => ({ sku })));
await Dataset.pushData({
  items,
  total,
  sum,
  csv: await KeyValueStore.getValue('prices'),
  named: (await cheapest.getData()).items,
  count: (await found.getInfo()).itemCount,
});
