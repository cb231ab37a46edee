import { Dataset, KeyValueStore } from 'crawlee';

const store = await KeyValueStore.open();
await store.setValue('state', { pages: 2, names: ['Ahab', 'Ishmael'] });
await store.setValue('note', 'to be deleted', { contentType: 'text/plain' });
await store.setValue('note', null);
await store.setValue('picture', Buffer.from([0, 1, 254, 255]), { contentType: 'image/png' });
await store.setValue('large', { text: 'ä'.repeat(400_000) });
const shared = await KeyValueStore.open('shared-values');
const before = (await shared.getValue('runs')) ?? 0;
await shared.setValue('runs', before + 1);
const keys = [];
await store.forEachKey(key => {
  keys.push(key);
});
await Dataset.pushData({
  before,
  keys,
  input: (await KeyValueStore.getInput()).ship,
  state: await store.getValue('state'),
  missing: await store.getValue('note'),
  picture: [...(await store.getValue('picture'))],
  large: (await store.getValue('large')).text.length,
  exists: [await store.recordExists('state'), await store.recordExists('INPUT'), await store.recordExists('note')],
});
