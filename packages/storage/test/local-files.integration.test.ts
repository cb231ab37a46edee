import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Decimal128, Long } from 'bson';
import { dataset, mongo } from '../src/index.js';
import { describeStorage } from './storage-contract.js';

const folders: string[] = [];
const children: ChildProcess[] = [];

/** Gives the library an empty folder. */
function useNewFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-storage-'));
  folders.push(folder);
  process.env.TRAWL_STORAGE_DIR = folder;
  return folder;
}

/** Makes the library read a folder as a new process would. */
async function reopen(folder: string): Promise<void> {
  useNewFolder();
  await mongo.collection('other').countDocuments();
  process.env.TRAWL_STORAGE_DIR = folder;
}

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
});
afterAll(() => {
  delete process.env.TRAWL_STORAGE_DIR;
  for (const folder of folders) rmSync(folder, { recursive: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Starts another process that writes documents. Resolves when it has stored `count` of them. */
async function writer(folder: string, count: number) {
  const child = spawn(process.execPath, [join(__dirname, 'keep-writing.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TRAWL_STORAGE_DIR: folder },
  });
  children.push(child);
  let stored = -1;
  const lines = createInterface({ input: child.stdout as Readable });
  await new Promise<void>(resolve => {
    lines.on('line', line => {
      stored = Number(line);
      if (stored >= count) resolve();
    });
  });
  return { child, stored: () => stored };
}

describe('mongo storage in local files', () => {
  beforeAll(() => {
    useNewFolder();
  });
  describeStorage();
});

test('documents stored in local files survive a kill of the process, and the files stay readable', async () => {
  for (const count of isFullTest ? [1, 50, 400] : [50]) {
    const folder = useNewFolder();
    const { child, stored } = await writer(folder, count);
    await kill(child);
    const books = mongo.collection('books');
    const found = await books.find().sort({ n: 1 }).toArray();
    const known = found.filter(({ n }) => (n as number) <= stored());
    const expected = Array.from({ length: stored() + 1 }, (_, n) => n).filter(n => n % 2 === 1 || n === stored());
    // The writer may have begun with the next document, and then deleted the one before it.
    expect(known.map(({ n }) => n)).toEqual(
      found.some(({ n }) => n === stored()) ? expected : expected.filter(n => n !== stored()),
    );
    for (const { n, text, updated } of known) expect([text, updated]).toEqual(['ä'.repeat((n as number) % 500), true]);
    await expect(books.insertOne({ n: 1 })).rejects.toMatchObject({ code: 'storage_duplicate_key' });
  }
});

test('local files are locked by one process; another gets an error that names it and the setting to change', async () => {
  const folder = useNewFolder();
  const { child } = await writer(folder, 0);
  await expect(mongo.collection('books').findOne()).rejects.toMatchObject({
    code: 'storage_unavailable',
    message: `books.find: The folder ${folder} is in use by process ${child.pid}. Wait until that one ends, or set TRAWL_STORAGE_DIR to another folder.`,
  });
  await kill(child);
  expect(await mongo.collection('books').countDocuments()).toBeGreaterThan(0);
});

test('local files store a collection as one file with one document of Extended JSON on each line', async () => {
  const folder = useNewFolder();
  const books = mongo.collection('books');
  await books.insertMany([
    { _id: 1, when: new Date(0) },
    { _id: 2, n: 1 },
    { _id: 3, n: 1 },
  ]);
  await books.updateOne({ _id: 2 }, { $inc: { n: 1 } });
  await books.deleteOne({ _id: 3 });
  await books.createIndex({ n: 1 });
  await mongo.db('other').collection('books').insertOne({ _id: 'elsewhere' });
  await reopen(folder);
  expect(await books.countDocuments()).toBe(2);
  expect(await mongo.db('other').collection('books').distinct('_id')).toEqual(['elsewhere']);
  expect(readFileSync(join(folder, 'books.jsonl'), 'utf8').split('\n')).toEqual([
    '{"$index":{"name":"n_1","keys":{"n":1},"unique":false}}',
    '{"_id":1,"when":{"$date":"1970-01-01T00:00:00Z"}}',
    '{"_id":2,"n":2}',
    '',
  ]);
});

test('local files drop a last line that a kill cut off, and keep a complete one without a line break', async () => {
  const folder = useNewFolder();
  const file = join(folder, 'books.jsonl');
  const books = mongo.collection('books');
  for (const last of ['{"_id":2,"te', '{"_id":2,"text":"ä"}']) {
    await reopen(folder);
    writeFileSync(file, `{"_id":1}\n${last}`);
    expect(await books.countDocuments()).toBe(last.endsWith('}') ? 2 : 1);
    await books.insertOne({ _id: 3 });
    await reopen(folder);
    expect(await books.distinct('_id')).toEqual(last.endsWith('}') ? [1, 2, 3] : [1, 3]);
  }
});

test('a damaged line of a local file is an error that names it, and the file stays unchanged', async () => {
  const folder = useNewFolder();
  const file = join(folder, 'books.jsonl');
  const text = '{"_id":1}\n{"_id":2,\n{"_id":3}\n';
  writeFileSync(file, text);
  await expect(mongo.collection('books').insertOne({})).rejects.toMatchObject({
    code: 'storage_unavailable',
    message: `books.insertOne: Line 2 of ${file} is not JSON. Repair or delete the line.`,
  });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('an updateMany in local files that fails midway changes no document', async () => {
  const folder = useNewFolder();
  const books = mongo.collection('books');
  await books.createIndex({ n: 1 }, { unique: true });
  await books.insertMany([
    { _id: 1, n: 1 },
    { _id: 2, n: 2 },
  ]);
  await expect(books.updateMany({}, { $set: { n: 5 } })).rejects.toMatchObject({ code: 'storage_duplicate_key' });
  for (let reads = 0; reads < 2; reads++) {
    expect(await books.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    await reopen(folder);
  }
});

test('a local file is rewritten when most of its lines are outdated', async () => {
  const folder = useNewFolder();
  const counters = mongo.collection('counters');
  await counters.insertOne({ _id: 'a', n: 0 });
  for (let n = 0; n < 1050; n++) await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } });
  expect(readFileSync(join(folder, 'counters.jsonl'), 'utf8').split('\n').length).toBeLessThan(100);
  await reopen(folder);
  expect(await counters.findOne()).toEqual({ _id: 'a', n: 1050 });
});

test.each<[string, () => Promise<unknown>]>([
  [
    '$text',
    () =>
      mongo
        .collection('a')
        .find({ $text: { $search: 'x' } })
        .toArray(),
  ],
  [
    '$near',
    () =>
      mongo
        .collection('a')
        .find({ place: { $near: [1, 2] } })
        .toArray(),
  ],
  [
    '$mod',
    () =>
      mongo
        .collection('a')
        .find({ n: { $mod: [4, 0] } })
        .toArray(),
  ],
  [
    'Decimal128',
    () =>
      mongo
        .collection('a')
        .find({ price: { $gt: Decimal128.fromString('1.5') } })
        .toArray(),
  ],
  ['9007199254740993', () => mongo.collection('a').insertOne({ n: Long.fromString('9007199254740993') })],
  ['place has "2dsphere"', () => mongo.collection('a').createIndex({ place: '2dsphere' as never })],
  ['differ only in case', () => mongo.collection('A').countDocuments()],
  ['__proto__', () => mongo.collection('a').insertOne(JSON.parse('{"x":{"__proto__":{"polluted":1}}}'))],
  ['__proto__', () => mongo.collection('a').updateOne({}, { $set: { 'a.__proto__.polluted': 1 } }, { upsert: true })],
  ['the name "..."', () => mongo.db('...').collection('a').countDocuments()],
])('local files reject an unsupported query, value or name with an error that contains %s', async (named, call) => {
  useNewFolder();
  await mongo.collection('a').insertOne({});
  await expect(call()).rejects.toMatchObject({ code: 'storage_rejected', message: expect.stringContaining(named) });
  expect({}).not.toHaveProperty('polluted');
});

test('an update path through `constructor` in local files does not change prototypes of the process', async () => {
  useNewFolder();
  const set = { 'constructor.prototype.polluted': 1, 'a.constructor.prototype.polluted': 1 };
  await mongo
    .collection('a')
    .updateOne({ _id: 1 }, { $set: set }, { upsert: true })
    .catch(() => {});
  expect({}).not.toHaveProperty('polluted');
});

test('a local run replaces its own rows with the same key, and keeps those of earlier runs', async () => {
  const folder = useNewFolder();
  const push = (sku: string, price: number) => dataset.push({ sku, price }, { key: 'sku' });
  await push('a', 1);
  await push('a', 2);
  await reopen(folder);
  await push('a', 3);
  await push('b', 4);
  await push('a', 5);
  await reopen(folder);
  const rows = await mongo.collection(dataset.collectionName).find().toArray();
  expect(rows.map(({ sku, price }) => [sku, price])).toEqual([
    ['a', 2],
    ['a', 5],
    ['b', 4],
  ]);
});
