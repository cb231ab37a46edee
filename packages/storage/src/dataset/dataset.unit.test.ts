import { Int32, Long, ObjectId } from 'bson';
import { decodeMessage, encodeMessage } from '../../test/bson-messages.js';
import { dataset } from '../index.js';
import type { StorageReply, StorageRequest } from '../protocol/storage-request.js';
import { MAX_WAITING_BYTES } from './row-queue.js';

const PORT = Symbol.for('trawl.storage');
const FLUSH = Symbol.for('trawl.flushRows');
const globals = globalThis as Record<string | symbol, unknown>;

let requests: StorageRequest[];
let answer: (request: StorageRequest) => StorageReply | Promise<StorageReply>;
let runs = 0;

const done = (): StorageReply => ({ result: encodeMessage({ inserted_count: 1 }) });
const docsOf = ({ args }: StorageRequest): Record<string, unknown>[] =>
  decodeMessage(args).docs as Record<string, unknown>[];
const keysOf = ({ args }: StorageRequest): (string | null)[] => decodeMessage(args).keys as (string | null)[];
const flush = (): Promise<void> => (globals[FLUSH] as () => Promise<void>)();

beforeEach(() => {
  requests = [];
  answer = done;
  runs++;
  globals.trawl = { execution_id: `run-${runs}`, skript: { id: 'skript' } };
  globals[PORT] = async (request: StorageRequest) => {
    requests.push(request);
    return answer(request);
  };
});
afterEach(() => {
  delete globals.trawl;
  delete globals[PORT];
});

test('dataset.push stores each row with run id and time, and sends how many rows the run has', async () => {
  await dataset.push({ title: 'Sails' });
  await dataset.push([{ title: 'Knots' }, { title: 'Ropes' }]);
  expect(requests.map(({ collection, method, rows }) => [collection, method, rows])).toEqual([
    ['dataset_skript', 'insertMany', 1],
    ['dataset_skript', 'insertMany', 3],
  ]);
  const run = { _run: `run-${runs}`, _at: expect.any(Date) };
  expect(requests.flatMap(docsOf)).toEqual(
    ['Sails', 'Knots', 'Ropes'].map(title => ({ _id: expect.anything(), ...run, title })),
  );
});

test('dataset.push without await sends rows together and in order, and the end of the run can wait for them', async () => {
  const row = { n: 0 };
  for (; row.n < 5_000; row.n++) void dataset.push(row);
  await flush();
  expect(requests.length).toBeLessThan(5);
  expect(requests.flatMap(docsOf).map(({ n }) => n)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
  const ids = requests.flatMap(docsOf).map(({ _id }) => String(_id));
  expect(ids).toEqual([...ids].sort());
  expect(requests.at(-1)?.rows).toBe(5_000);
});

test('dataset.push sends one call at a time, and collects further rows meanwhile', async () => {
  const open: (() => void)[] = [];
  answer = () => new Promise(resolve => open.push(() => resolve(done())));
  const pushes = [1, 2, 3].map(async n => {
    if (n > 1) await null;
    await dataset.push({ n });
  });
  for (const sent of [1, 2]) {
    while (open.length < sent) await new Promise(setImmediate);
    expect(requests).toHaveLength(sent);
    open[sent - 1]?.();
  }
  await Promise.all(pushes);
  expect(requests.map(request => docsOf(request).length)).toEqual([1, 2]);
});

test('flushing the rows pushed so far ends even if the skript keeps pushing', async () => {
  let isOver = false;
  // While a call is on its way, more rows arrive.
  answer = async () => {
    if (!isOver) void dataset.push({ n: 1 });
    await new Promise(setImmediate);
    return done();
  };
  void dataset.push({ n: 0 });
  await flush();
  isOver = true;
  await flush();
});

test('a failed dataset call rejects all waiting pushes, and its rows are not counted', async () => {
  answer = () => ({ error: { code: 'storage_full', message: 'Full.' } });
  const pushes = Array.from({ length: 3 }, () => dataset.push({ text: 'x'.repeat(300_000) }));
  for (const push of await Promise.allSettled(pushes)) {
    expect(push).toMatchObject({ reason: { code: 'storage_full', message: 'dataset.push: Full.' } });
  }
  await flush();
  expect(requests).toHaveLength(1);
  answer = done;
  await dataset.push({ n: 1 });
  expect(requests.at(-1)?.rows).toBe(1);
});

test('dataset.push refuses more rows while too many bytes are waiting', async () => {
  const text = 'x'.repeat(400_000);
  const pushes: Promise<void>[] = [];
  for (let bytes = 0; bytes <= MAX_WAITING_BYTES; bytes += text.length) pushes.push(dataset.push({ text }));
  await expect(dataset.push({ n: 1 })).rejects.toMatchObject({
    code: 'storage_too_large',
    message: expect.stringContaining('await dataset.push'),
  });
  await Promise.all(pushes);
  await dataset.push({ n: 1 });
});

test.each([
  [null, 'rows[0] is not an object'],
  [[{}, 'text'], 'rows[1] is not an object'],
  [{ _id: 1 }, 'rows[0] has the field _id'],
  [{ _run: 'x' }, 'rows[0] has the field _run'],
  [{ text: 'x'.repeat(600_000) }, 'rows[0] is 600'],
])('dataset.push rejects a value that is not a valid row (case %#)', async (rows, message) => {
  await expect(dataset.push(rows as never)).rejects.toThrow(message);
  expect(requests).toEqual([]);
});

test('dataset.push with a key sends rows with their keys, and counts each key once', async () => {
  await dataset.push([{ sku: 'a' }, { sku: 'b' }], { key: 'sku' });
  void dataset.push({ n: 1 });
  void dataset.push([{ sku: 'b' }, { sku: 1 }, { sku: 1 }], { key: ['sku'] });
  await dataset.push({ shop: { city: 'Split' }, sku: 'a', at: new Date(5) }, { key: ['shop.city', 'at'] });
  expect(requests.map(({ method, rows }) => [method, rows])).toEqual([
    ['upsertRows', 2],
    ['upsertRows', 5],
  ]);
  expect(requests.flatMap(keysOf)).toEqual([
    '{"sku":"a"}',
    '{"sku":"b"}',
    null,
    '{"sku":"b"}',
    '{"sku":1}',
    '{"sku":1}',
    '{"at":{"$date":"1970-01-01T00:00:00.005Z"},"shop.city":"Split"}',
  ]);
});

test('dataset rows with and without a key travel together and in order, and each push settles', async () => {
  const pushes = Array.from({ length: 1_000 }, (_, n) =>
    n % 2 === 0 ? dataset.push({ n }) : dataset.push({ n, _: 'x'.repeat(1_000) }, { key: 'n' }),
  );
  await Promise.all(pushes);
  expect(requests.map(({ method }) => method)).toEqual(['upsertRows', 'upsertRows']);
  expect(requests.flatMap(docsOf).map(({ n }) => n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  expect(requests.flatMap(keysOf).slice(0, 4)).toEqual([null, '{"n":1}', null, '{"n":3}']);
  expect(requests.at(-1)?.rows).toBe(1_000);
});

test('a key that a failed dataset call has stored is not counted again, because the platform counts it', async () => {
  answer = () => ({
    error: { code: 'storage_duplicate_key', message: 'Twice.', inserted_count: 1, modified_count: 1 },
  });
  const rows = ['a', 'b', 'c'].map(sku => ({ sku }));
  await expect(dataset.push(rows, { key: 'sku' })).rejects.toMatchObject({ insertedCount: 2 });
  answer = done;
  await dataset.push(rows, { key: 'sku' });
  expect(requests.map(request => request.rows)).toEqual([3, 1]);
});

test('keys of dataset rows differ by type, except for the types of one whole number', async () => {
  const id = new ObjectId('64b7f0c2a1d3e4f5a6b7c8d9');
  const huge = Long.fromString('9007199254740993');
  const values = [1, '1', 1n, Long.fromNumber(1), new Int32(1), true, 'true', 1.5, huge, id, String(id)];
  await dataset.push(
    values.map(value => ({ value })),
    { key: 'value' },
  );
  expect(requests.flatMap(keysOf).map(key => String(key).slice(9, -1))).toEqual([
    '1',
    '"1"',
    '1',
    '1',
    '1',
    'true',
    '"true"',
    '1.5',
    '9007199254740993',
    `{"$oid":"${id}"}`,
    `"${id}"`,
  ]);
});

test.each<[unknown, unknown, string]>([
  [[{ sku: 1 }, { name: 'Sails' }], 'sku', `rows[1] has no value at the key path "sku": { name: 'Sails' }`],
  [{ sku: null }, 'sku', 'rows[0] has no value at the key path "sku"'],
  [{ sku: '' }, 'sku', 'rows[0] has no value at the key path "sku"'],
  [{ shop: { id: 1 } }, ['shop.id', 'shop.name'], 'rows[0] has no value at the key path "shop.name"'],
  [{ a: 'text' }, 'a.length', 'rows[0] has no value at the key path "a.length"'],
  [{ sku: Number.NaN }, 'sku', 'rows[0] has NaN, which cannot be a key, at the key path "sku"'],
  [{ sku: new Date(Number.NaN) }, 'sku', 'rows[0] has Invalid Date, which cannot be a key'],
  [{ sku: ['a'] }, 'sku', "rows[0] has [ 'a' ], which cannot be a key"],
  [{ sku: 1, _first: 'x' }, 'sku', 'rows[0] has the field _first'],
  [{ sku: 1, _attempt: 1 }, 'sku', 'rows[0] has the field _attempt'],
  [{ sku: 1 }, 7, 'a list of them; you sent 7.'],
  [{ sku: 1 }, [], 'a list of them; you sent [].'],
  [{ sku: 1 }, 'a..b', "a list of them; you sent 'a..b'."],
])(
  'dataset.push refuses rows and keys that do not fit, and stores none of them (case %#)',
  async (rows, key, message) => {
    const push = dataset.push(rows as never, { key } as never);
    await expect(push).rejects.toThrow(TypeError);
    await expect(push).rejects.toThrow(message);
    await expect(dataset.push(rows as never, 'sku' as never)).rejects.toThrow("options such as { key: 'sku' }");
    expect(requests).toEqual([]);
  },
);

test('the next run in the same process counts its dataset rows from zero', async () => {
  await dataset.push([{ n: 1 }, { n: 2 }]);
  globals.trawl = { execution_id: 'another', skript: { id: 'skript' } };
  await dataset.push({ n: 3 });
  expect(requests.at(-1)?.rows).toBe(1);
  expect(docsOf(requests.at(-1) as StorageRequest)).toMatchObject([{ _run: 'another' }]);
});

test('rows that are pushed without a key have the key that the runner sets, from the contract of the skript', async () => {
  const key = Symbol.for('trawl.rowKey');
  const globals = globalThis as Record<symbol, unknown>;
  globals[key] = 'sku';
  try {
    await expect(dataset.push([{ title: 'Emma' }])).rejects.toThrow('has no value at the key path "sku"');
  } finally {
    delete globals[key];
  }
});
