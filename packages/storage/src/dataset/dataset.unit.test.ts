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

test('the next run in the same process counts its dataset rows from zero', async () => {
  await dataset.push([{ n: 1 }, { n: 2 }]);
  globals.trawl = { execution_id: 'another', skript: { id: 'skript' } };
  await dataset.push({ n: 3 });
  expect(requests.at(-1)?.rows).toBe(1);
  expect(docsOf(requests.at(-1) as StorageRequest)).toMatchObject([{ _run: 'another' }]);
});
