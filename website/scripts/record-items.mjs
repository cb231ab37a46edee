// The calls of the API about items, for record-api.mjs.
import { eventually } from './trawl-client.mjs';

const MAIN_JS = `const { dataset, kv } = require('@trawl/storage');

module.exports = async () => {
  const run = ((await kv.get('run')) ?? 0) + 1;
  await kv.set('run', run);
  await dataset.push([{ sku: 'B01', title: 'Emma', price: 13.5 - run }], { key: 'sku' });
};
`;

/** Runs a skript twice, with another price, and records its items and changes. */
export async function recordItems({ go, call }) {
  const skript = await call('POST', '/joint-api/skripts/addnew', { title: 'Prices that change' });
  const file = { skript_id: skript.id, name: 'main.js', content: MAIN_JS };
  await call('POST', '/joint-api/skript-files/addnew', file);
  let changes = '';
  for (let count = 1; count <= 2; count++) {
    const run = await call('POST', '/joint-api/execute-skript/single-worker/start', { skript_id: skript.id });
    changes = `/joint-api/skript-execution/${run.id}/changes`;
    await eventually('the merge of the rows', async () => (await call('GET', changes)).state === 'merged');
  }
  await go('listRunChanges', 'GET', `${changes}?kind=changed`);
  const items = `/joint-api/skripts/${skript.id}/items`;
  const listed = await go('listItems', 'GET', `${items}?gone=false`);
  await go('listItemHistory', 'GET', `${items}/${listed.items[0].id}/history`);
  await go('getItemsMedian', 'GET', `${items}/median?field=price`);
  await call('DELETE', `/joint-api/skripts/${skript.id}`);
}
