import { createServer, type Server } from 'node:http';
import type { Api, PlatformClient } from '../harness/platform-client.js';
import { until } from '../harness/until.js';

const START = '/joint-api/execute-skript/single-worker/start';
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Sends an echo of each type, reads the page of the shop, and stores rows with a key, documents and a table, and fills a queue. */
const PRICES = `const { echo } = require('@trawl/echo');
const { dataset, mongo, postgres, queue } = require('@trawl/storage');

module.exports = async ({ url, price, titles }) => {
  echo.log('reading', url);
  echo.warn('one price is old');
  echo.error(new Error('one page has no price'));
  echo.progress(1, 3, 'Pages');
  echo.table([{ title: 'Emma', price }]);
  echo.objekt({ url, prices: [price] });
  echo.image('${IMAGE}');
  await (await fetch(url)).text();
  await dataset.push(titles.map((title, n) => ({ sku: 'B' + n, title, price: price + n })), { key: 'sku' });
  await mongo.collection('shelves').insertMany([{ shelf: 'novels', books: 12 }, { shelf: 'poems', books: 3 }]);
  await postgres.query('CREATE TABLE IF NOT EXISTS prices (sku text, price numeric)');
  await postgres.insertMany('prices', [{ sku: 'B0', price }]);
  await queue('pages').add([url + '1', url + '2']);
  return { pages: 3 };
};
`;
const FAILING = `module.exports = async () => {
  throw new Error('no more shelves');
};
`;
const ASKING = `const { echo } = require('@trawl/echo');

module.exports = () => echo.question('Is this the right shop?', { choices: ['Yes', 'No'], timeout: 3_600_000 });
`;

/** Ids of what `fillShop` has made. */
export interface Shop {
  skriptId: string;
  firstRunId: string;
  runId: string;
  brokenRunId: string;
  failedRunId: string;
  askingRunId: string;
  scheduleId: string;
  databaseId: string;
  queueId: string;
  poolId: string;
  importId: string;
  webhookId: string;
}

/** Serves the page that runs read. */
export async function openSite(port: number): Promise<{ url: string; close: () => Promise<void> }> {
  const site: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<h1>Emma</h1><ins class="price">9.50</ins>');
  });
  await new Promise<void>(resolve => site.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise(resolve => site.close(() => resolve()).closeAllConnections()),
  };
}

/** Fills the developer's account with at least one thing of each kind, so that no list is empty. */
export async function fillShop(platform: PlatformClient, siteUrl: string): Promise<Shop> {
  const developer = await platform.as('developer');
  const made = async (path: string, body?: unknown, api: Api = developer) => {
    const answer = await api('POST', path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const run = async (skript_id: string, input?: unknown, query = '') => {
    const { id } = await made(`${START}${query}`, { worker_id: platform.workerId, skript_id, input });
    return platform.ended(id);
  };

  const skriptId = await platform.skript(
    'Prices of a shop',
    { 'main.js': PRICES, 'howto.md': '# Prices\n\nReads the prices of a shop.\n' },
    {
      tags: ['shops', 'daily'],
      rows: { min: 2, key: ['sku'], on_broken: 'hold' },
      input_schema: { type: 'object', properties: { url: { type: 'string', title: 'Address of the shop' } } },
    },
  );
  const input = { url: siteUrl, price: 5, titles: ['Emma', 'Dune'] };
  await made('/joint-api/inputs/addnew', { skript_id: skriptId, name: 'input.json', val: input });
  await made('/joint-api/input-secrets/addnew', { skript_id: skriptId, name: 'inputSecret.json', val: { key: 'x' } });
  const first = await run(skriptId, input);
  const { files } = (await developer('GET', `/joint-api/skripts/${skriptId}`)).body;
  const main = files.find(({ name }: { name: string }) => name === 'main.js');
  await developer('PUT', `/joint-api/skript-files/${main.id}`, { content: `// Twice a day.\n${PRICES}` });
  const second = await run(skriptId, { ...input, price: 6, titles: ['Emma', 'Salt'] }, '?record=true');
  const broken = await run(skriptId, { ...input, titles: ['Emma'] });

  const failingId = await platform.skript('Shelves', { 'main.js': FAILING });
  const failed = await run(failingId);
  const askingId = await platform.skript('Asks which shop', { 'main.js': ASKING });
  const askingRunId = await platform.begin(askingId);

  const start = { worker_id: platform.workerId, skript_id: skriptId };
  const schedule = await made('/joint-api/schedules/addnew', { ...start, name: 'Weekdays', cron_span: '30 7 * * 1-5' });
  await made('/joint-api/schedules/addnew', { ...start, name: 'Nightly', cron_span: '0 2 * * *', enabled: false });
  await made(`/joint-api/schedules/${schedule.id}/trigger`);

  const queueId = (await developer('GET', '/joint-api/queues/list')).body.items[0].id;
  const { id: poolId } = await made('/joint-api/proxy-pools/addnew', { name: 'residential', price_per_gb: 3.5 });
  await made(`/joint-api/proxy-pools/${poolId}/proxies/addnew`, {
    lines: 'http://ada:rope@gate.example:8080 country=de\nsocks5://backup.example:1080 tier=2',
  });
  const databaseId = (await developer('GET', '/joint-api/mongo-databases/list')).body.items[0].id;
  const source = { db_id: databaseId, collection: 'shelves' };
  await made('/joint-api/exporters/addnew', { ...source, name: 'Shelves for the shop' });
  await made('/joint-api/exports/addnew', source);
  const upload = await fetch(`${platform.url}/joint-api/imports/upload?file_name=stock.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await platform.signIn('developer')}`, 'content-type': 'text/csv' },
    body: 'sku;name\nA1;Rope\nA2;Anchor\n',
  });
  const importId = ((await upload.json()) as { id: string }).id;
  const webhook = await made('/joint-api/webhooks/addnew', {
    name: 'Team chat',
    url: 'https://receiver.invalid/hook',
    events: ['run.failed'],
  });
  await made(`/joint-api/webhooks/${webhook.id}/test`);
  await made('/joint-api/keys/addnew', { name: 'Nightly import', scope: 'read' });

  const admin = await platform.as('admin');
  await made(
    '/joint-api/users/addnew',
    { username: `ada-${Date.now()}@example.com`, password: 'nets and knots', role: 'developer' },
    admin,
  );
  await made('/joint-api/worker-groups/addnew', { name: 'Cloud' }, admin);
  const message = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    country: 'Croatia',
    subject: 'A question',
    x: 3,
    y: 4,
  };
  await made('/www/contact', { ...message, result: '7', msg: 'Which of it can you do? '.repeat(6) }, admin);
  // The runs have changes and items once Trawl has merged their rows.
  await until(async () => {
    const { body } = await developer('GET', `/joint-api/skripts/${skriptId}/items?limit=1`);
    return body.total > 0;
  }, 'the items of the runs');
  return {
    skriptId,
    firstRunId: first.id,
    runId: second.id,
    brokenRunId: broken.id,
    failedRunId: failed.id,
    askingRunId,
    scheduleId: schedule.id,
    databaseId,
    queueId,
    poolId,
    importId,
    webhookId: webhook.id,
  };
}
