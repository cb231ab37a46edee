import { mongo, queue } from '@trawl/storage';
import { memoryPort } from '@trawl/storage/local';
import { adaptApify, adaptCrawlee, type CrawleeRun, TrawlStorageClient } from './index.js';

const PORT = Symbol.for('trawl.storage');
const memory = memoryPort();
const globals = globalThis as Record<PropertyKey, unknown>;
let runs = 0;

beforeAll(() => {
  globals[PORT] = memory.port;
});
afterAll(() => {
  delete globals[PORT];
  delete globals.trawl;
});
beforeEach(() => memory.close());

/** Begins a run on the platform, or its next attempt. */
function begin(run: Partial<CrawleeRun> = {}): CrawleeRun {
  runs += 1;
  const id = `019a0000-0000-7000-8000-${String(runs).padStart(12, '0')}`;
  const begun = { id, firstId: id, skriptId: 'shop', isLocal: false, input: null, outputBytes: 100, ...run };
  globals.trawl = { execution_id: begun.id, skript: { id: begun.skriptId } };
  return begun;
}

const clientOf = (run: Partial<CrawleeRun> = {}): TrawlStorageClient => new TrawlStorageClient(begin(run));
const request = (path: string, fields: object = {}) => {
  const url = `https://shop.example/${path}`;
  return { url, uniqueKey: url, ...fields };
};
const pathsOf = (items: { url: string }[]): string[] => items.map(({ url }) => new URL(url).pathname.slice(1));
const JSON_TYPE = 'application/json; charset=utf-8';
const FAILED = { __crawlee: { state: 6 } };

test('the default dataset has the rows of a run and of its earlier attempts, and of no other run', async () => {
  await clientOf().dataset('default').pushItems({ of: 'another run' });
  const first = begin();
  await new TrawlStorageClient(first).dataset('default').pushItems(['{"page":1}', '{"page":2}']);
  const rows = clientOf({ firstId: first.id }).dataset('default');
  await rows.pushItems([{ page: 3 }]);
  expect(await rows.listItems({ offset: 1 })).toEqual({
    total: 3,
    count: 2,
    offset: 1,
    limit: 2,
    desc: false,
    items: [{ page: 2 }, { page: 3 }],
  });
  const entries: unknown[] = [];
  for await (const entry of rows.listEntries({ desc: true, limit: 2 })) entries.push(entry);
  expect(entries).toEqual([
    [0, { page: 3 }],
    [1, { page: 2 }],
  ]);
  expect(await rows.get()).toMatchObject({ itemCount: 3 });
});

test('a named dataset is a collection that all runs share', async () => {
  await clientOf().dataset('goods').pushItems({ sku: 1 });
  const goods = clientOf().dataset('goods');
  expect((await goods.listItems()).items).toEqual([{ sku: 1 }]);
  await goods.delete();
  expect(await goods.get()).toMatchObject({ itemCount: 0 });
});

test.each(['kv_shop', 'dataset_other', 'replay_1', 'system.users', '', '$a', 'a'.repeat(101)])(
  'a dataset cannot have the name %j',
  name => expect(() => clientOf().dataset(name)).toThrow(/^Dataset\.open: a name has 1 to 100 letters/),
);

test('a store gives values back as they were set, and lists its keys page by page', async () => {
  const store = clientOf().keyValueStore('default');
  await store.setRecord({ key: 'json', value: { list: [1, null], $set: 1 } });
  await store.setRecord({ key: 'text', value: 'ä' });
  await store.setRecord({ key: 'bytes', value: Buffer.from([0, 255]), contentType: 'image/png' });
  await store.setRecord({ key: 'broken', value: '{', contentType: 'application/json' });
  await store.setRecord({ key: 'gone', value: 1 });
  await store.setRecord({ key: 'gone', value: null });
  const values: Record<string, unknown> = {};
  for await (const [key, value] of store.entries()) values[key] = value;
  expect(values).toEqual({ json: { list: [1, null], $set: 1 }, text: 'ä', bytes: Buffer.from([0, 255]), broken: '{' });
  expect(await store.getRecord('gone')).toBeUndefined();
  expect(await store.recordExists('text')).toBe(true);
  const page = await store.listKeys({ limit: 2 });
  expect(page).toMatchObject({ isTruncated: true, nextExclusiveStartKey: 'bytes' });
  const rest = await store.listKeys({ exclusiveStartKey: page.nextExclusiveStartKey as string });
  expect([...page.items, ...rest.items].map(({ key }) => key)).toEqual(['broken', 'bytes', 'json', 'text']);
  expect(page.items[1]).toEqual({ key: 'bytes', size: 2 });
});

test('values of the default store are those of a run and its retries, and INPUT is the input of the run', async () => {
  const first = begin({ input: '{"pages":3}' });
  const store = new TrawlStorageClient(first).keyValueStore('default');
  await store.setRecord({ key: 'state', value: 1 });
  expect((await store.getRecord('INPUT'))?.value).toEqual({ pages: 3 });
  expect((await clientOf({ firstId: first.id }).keyValueStore('default').getRecord('state'))?.value).toBe(1);
  expect(await clientOf().keyValueStore('default').getRecord('state')).toBeUndefined();
  expect(await clientOf().keyValueStore('default').getRecord('INPUT')).toBeUndefined();
});

test('the value OUTPUT of the default store is the output of the run, also if an earlier attempt has set it', async () => {
  const first = begin();
  const client = new TrawlStorageClient(first);
  expect(await client.finish()).toBeUndefined();
  await client.keyValueStore('other').setRecord({ key: 'OUTPUT', value: 1 });
  expect(await client.finish()).toBeUndefined();
  await client
    .keyValueStore('default')
    .setRecord({ key: 'OUTPUT', value: '{\n "pages": 3\n}', contentType: JSON_TYPE });
  expect(await client.finish()).toEqual({ pages: 3 });
  const second = clientOf({ firstId: first.id });
  second.dataset('default');
  expect(await second.finish()).toEqual({ pages: 3 });
});

test('a picture and a value above the limit are no output', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation();
  const client = clientOf();
  const store = client.keyValueStore('default');
  await store.setRecord({ key: 'OUTPUT', value: Buffer.from([0, 255]), contentType: 'image/png' });
  expect(await client.finish()).toBeUndefined();
  expect(warn).not.toHaveBeenCalled();
  await store.setRecord({ key: 'OUTPUT', value: 'a'.repeat(98) });
  expect(await client.finish()).toBe('a'.repeat(98));
  await store.setRecord({ key: 'OUTPUT', value: 'a'.repeat(99) });
  expect(await client.finish()).toBeUndefined();
  expect(warn.mock.calls).toEqual([
    ['The value OUTPUT stays in kv: it is 101 bytes as JSON; the limit of an output is 100.'],
  ]);
  warn.mockRestore();
});

test.each(['', 'k'.repeat(200)])('a store refuses the key %j', async key => {
  const refused = clientOf().keyValueStore('default').setRecord({ key, value: 1 });
  await expect(refused).rejects.toThrow(
    /^KeyValueStore: a key of the store "default" has 1 to \d+ characters; you sent/,
  );
});

test('a queue knows its requests, and locks each for one crawler', async () => {
  const pages = clientOf().requestQueue('default');
  const { processedRequests } = await pages.batchAddRequests([request('a'), request('b'), request('a')]);
  expect(processedRequests.map(({ wasAlreadyPresent }) => wasAlreadyPresent)).toEqual([false, false, true]);
  await pages.addRequest(request('front'), { forefront: true });
  const head = await pages.listAndLockHead({ limit: 2, lockSecs: 60 });
  expect(pathsOf(head.items)).toEqual(['front', 'a']);
  const rest = await pages.listAndLockHead({ limit: 2, lockSecs: 60 });
  expect(pathsOf(rest.items)).toEqual(['b']);
  expect(rest.queueHasLockedRequests).toBe(true);
  for (const item of [...head.items, ...rest.items]) {
    await pages.updateRequest({ ...item, id: item.id as string, handledAt: new Date().toISOString() });
  }
  expect(await pages.addRequest(request('a'))).toMatchObject({ wasAlreadyPresent: true, wasAlreadyHandled: true });
  expect(await pages.listAndLockHead({ lockSecs: 60 })).toMatchObject({ items: [], queueHasLockedRequests: false });
  expect(await pages.get()).toMatchObject({ totalRequestCount: 3, handledRequestCount: 3, pendingRequestCount: 0 });
});

test('a request that is given back keeps its changes and its tries, and one without tries left counts as failed', async () => {
  const pages = clientOf().requestQueue('shared');
  await pages.addRequest(request('a', { userData: { label: 'page' } }));
  const [taken] = (await pages.listAndLockHead({ lockSecs: 60 })).items as [
    { id: string; url: string; uniqueKey: string },
  ];
  await pages.updateRequest({ ...taken, retryCount: 1, errorMessages: ['Error: closed'] });
  await pages.deleteRequestLock(taken.id);
  const [again] = (await pages.listAndLockHead({ lockSecs: 60 })).items as [typeof taken];
  expect(again).toMatchObject({ retryCount: 1, errorMessages: ['Error: closed'], userData: { label: 'page' } });
  await pages.updateRequest({ ...again, userData: FAILED, handledAt: new Date().toISOString() });
  expect(await queue('crawlee-shared').counts()).toEqual({ waiting: 0, taken: 0, done: 0, failed: 1 });
});

test('a lock that has expired is free again inside the run', async () => {
  const pages = clientOf().requestQueue('default');
  await pages.addRequest(request('a'));
  const [taken] = (await pages.listAndLockHead({ lockSecs: 60 })).items;
  await pages.prolongRequestLock(taken?.id as string, { lockSecs: -1 });
  expect(pathsOf((await pages.listAndLockHead({ lockSecs: 60 })).items)).toEqual(['a']);
  expect((await pages.listAndLockHead({ lockSecs: 60 })).items).toEqual([]);
});

test('a run that ends well leaves no default queue, and its named queues stay', async () => {
  const client = clientOf();
  for (const name of ['default', 'kept']) await client.requestQueue(name).addRequest(request('a'));
  await client.finish();
  expect(await client.requestQueue('default').get()).toMatchObject({ totalRequestCount: 0 });
  expect(await client.requestQueue('kept').get()).toMatchObject({ totalRequestCount: 1 });
});

test('a local run begins with empty default storages', async () => {
  const local = { id: 'local', firstId: 'local', skriptId: 'local', isLocal: true };
  const before = clientOf(local);
  await before.requestQueue('default').addRequest(request('a'));
  await before.keyValueStore('default').setRecord({ key: 'state', value: 1 });
  const client = clientOf(local);
  await client.purge();
  expect(await client.requestQueue('default').get()).toMatchObject({ totalRequestCount: 0 });
  expect(await client.keyValueStore('default').getRecord('state')).toBeUndefined();
});

test.each<[string, (client: TrawlStorageClient) => Promise<unknown>]>([
  ['Listing datasets', client => client.datasets().list()],
  ['Renaming a dataset', client => client.dataset('default').update()],
  ['downloadItems', client => client.dataset('default').downloadItems()],
  ['Renaming a key-value store', client => client.keyValueStore('default').update()],
  ['Renaming a request queue', client => client.requestQueue('default').update()],
  [
    'RequestQueue.getRequest of a request that the run has not taken',
    client => client.requestQueue('default').getRequest('a'),
  ],
  ['Deleting a request', client => client.requestQueue('default').deleteRequest()],
])('%s throws an error that names it', async (call, made) => {
  await expect(made(clientOf())).rejects.toThrow(`${call} does not work in Trawl. `);
});

test('each run of a warm process has its own storage, unless the skript has chosen another', () => {
  class Configuration {
    readonly options: Record<string, unknown> = {};
    readonly storageManagers = new Map<string, unknown>();
    get(key: string): unknown {
      return this.options[key];
    }
    getStorageClient(): unknown {
      return 'of Crawlee';
    }
  }
  let run = begin();
  adaptCrawlee({ Configuration } as never, () => run);
  const configuration = new Configuration();
  const first = configuration.getStorageClient();
  configuration.storageManagers.set('Dataset', {});
  expect(first).toBeInstanceOf(TrawlStorageClient);
  expect(configuration.getStorageClient()).toBe(first);
  expect(configuration.storageManagers.size).toBe(1);
  run = begin();
  expect(configuration.getStorageClient()).not.toBe(first);
  expect(configuration.storageManagers.size).toBe(0);
  const inMemory = Object.assign(new Configuration(), { options: { persistStorage: false } });
  expect(inMemory.getStorageClient()).toBe('of Crawlee');
});

test('rows that a handler pushes belong to the request of its task', async () => {
  class Configuration {
    get(): undefined {}
    getStorageClient(): unknown {
      return undefined;
    }
  }
  class RequestQueueV2 {
    constructor(readonly client: unknown) {}
    async fetchNextRequest(): Promise<{ id?: string } | null> {
      const head = await (client.requestQueue('site') as any).listAndLockHead({ limit: 1, lockSecs: 60 });
      return head.items[0] ?? null;
    }
  }
  class AutoscaledPool {
    constructor(private readonly runTask: () => Promise<void>) {}
    _maybeRunTask(): Promise<void> {
      return this.runTask();
    }
  }
  const run = begin();
  adaptCrawlee({ Configuration, AutoscaledPool, RequestQueueV2 } as never, () => run);
  const client = new TrawlStorageClient(run);
  const site = client.requestQueue('site');
  await site.batchAddRequests([request('a'), request('b')]);
  const requests = new RequestQueueV2(site);
  const rows = client.dataset('default');
  let open = 0;
  let bothOpen = () => {};
  const waiting = new Promise<void>(resolve => {
    bothOpen = resolve;
  });
  const handle = async () => {
    const { id } = (await requests.fetchNextRequest()) as { id: string };
    open += 1;
    if (open === 2) bothOpen();
    await waiting;
    await rows.pushItems({ id });
    await rows.pushItems({ id });
  };
  const pool = new AutoscaledPool(handle);
  await Promise.all([pool._maybeRunTask(), pool._maybeRunTask()]);
  await rows.pushItems({ id: 'none' });
  const stored = await mongo.collection('dataset_shop').find().toArray();
  const origins = new Map<unknown, Set<string>>();
  for (const { _id, id } of stored) {
    origins.set(id, (origins.get(id) ?? new Set()).add(String(_id).slice(14)));
  }
  expect([...origins.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
  expect(new Set([...origins.values()].flatMap(ends => [...ends])).size).toBe(3);
});

test('an Actor has a proxy of its own, and names the calls that only Apify has', async () => {
  class Actor {
    async createProxyConfiguration(options: object): Promise<unknown> {
      return options;
    }
    async call(): Promise<void> {}
    async openDataset(name: string, _options?: object): Promise<string> {
      return name;
    }
    async exit(): Promise<void> {}
  }
  adaptApify({ Actor } as never);
  const actor = new Actor();
  const own = { proxyUrls: ['http://proxy.example:8000'] };
  expect(await actor.createProxyConfiguration(own)).toBe(own);
  await expect(actor.createProxyConfiguration({})).rejects.toThrow('does not work in Trawl. Pass proxyUrls');
  expect(await actor.openDataset('goods', {})).toBe('goods');
  await expect(actor.openDataset('goods', { forceCloud: true })).rejects.toThrow(
    'Actor.openDataset with forceCloud does not work in Trawl. Leave forceCloud out',
  );
  await expect(actor.call()).rejects.toThrow(
    'Actor.call does not work in Trawl. Start the other skript with the Joint API',
  );
});
