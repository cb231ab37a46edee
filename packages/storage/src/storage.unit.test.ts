import { LIMITS, type StorageOperation, storageOperationSchema } from '@trawl/contracts';
import { decodeMessage, encodeMessage } from '../test/bson-messages.js';
import { Collection, dataset, mongo, ObjectId, postgres, queue, StorageError, session } from './index.js';
import type { StorageReply, StorageRequest } from './protocol/storage-request.js';
import { MAX_CALL_BYTES } from './storage-port.js';

const PORT = Symbol.for('trawl.storage');

type Answer = Record<string, unknown> | StorageError;

/** Takes the place of the platform: it checks each request against the contract, and returns the answer of the test. */
function platform(answer: (op: StorageOperation, args: Record<string, unknown>) => Answer | Promise<Answer>) {
  const requests: { op: StorageOperation; args: Record<string, unknown> }[] = [];
  Object.assign(globalThis, {
    [PORT]: async (request: StorageRequest): Promise<StorageReply> => {
      const op = storageOperationSchema.parse({ ...request, resend: false }) as StorageOperation;
      expect(op.args.length).toBeLessThanOrEqual(LIMITS.storageOperationBytes);
      const args = decodeMessage(op.args);
      requests.push({ op, args });
      const result = await answer(op, args);
      if (result instanceof StorageError) {
        const { code, message, insertedCount } = result;
        return { error: { code, message, ...(insertedCount && { inserted_count: insertedCount }) } };
      }
      return { result: encodeMessage(result) };
    },
  });
  return requests;
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, PORT);
});

const inserted = (_op: StorageOperation, args: Record<string, unknown>) => ({
  inserted_count: (args.docs as unknown[]).length,
});

test.each<[string, string, () => unknown]>([
  ['books.insertMany', '{ ordered: false }', () => mongo.collection('books').insertMany([{}], null as never)],
  ['books.updateOne', '{ upsert: true }', () => mongo.collection('books').updateOne({}, {}, null as never)],
  ['books.updateMany', '{ upsert: true }', () => mongo.collection('books').updateMany({}, {}, null as never)],
  ['books.replaceOne', '{ upsert: true }', () => mongo.collection('books').replaceOne({}, {}, null as never)],
  ['dataset.push', "{ key: 'sku' }", () => dataset.push([], null as never)],
  ['postgres.cursor', '{ batchSize: 100 }', () => postgres.cursor('SELECT 1', [], null as never)],
  [
    "queue('pages').take",
    '{ concurrency: 10 }',
    () =>
      queue('pages')
        .take(null as never)
        .next(),
  ],
  ["session('shop')", "{ origins: ['https://shop.example'] }", () => session('shop', null as never)],
  ["session('shop').check", '{ isLoggedIn }', () => session('shop').check(() => {}, null as never)],
  ["session('shop').fetch", "{ method: 'POST' }", () => session('shop').fetch('https://shop.example', null as never)],
])('%s refuses null in place of options such as %s', async (name, example, act) => {
  const refused = new TypeError(`${name}: expected options such as ${example}; you sent null.`);
  await expect((async () => act())()).rejects.toEqual(refused);
});

test('the storage library limits its calls to the size that the platform accepts', () => {
  expect(MAX_CALL_BYTES).toBe(LIMITS.storageOperationBytes);
});

test('insertOne and insertMany add an _id before sending, so that a retry stores each document once', async () => {
  const requests = platform(inserted);
  const book = { title: 'Sails' };
  const one = await mongo.collection('books').insertOne(book);
  expect(one.insertedId).toBeInstanceOf(ObjectId);
  expect(book).toHaveProperty('_id', one.insertedId);
  expect(requests[0]?.op).toMatchObject({ collection: 'books', method: 'insertMany' });
  expect(requests[0]?.op.db).toBeUndefined();

  const many = await mongo
    .db('other')
    .collection('books')
    .insertMany([{ _id: 7 }, { n: 2 }]);
  expect(many).toMatchObject({ acknowledged: true, insertedCount: 2, insertedIds: { 0: 7 } });
  expect(requests[1]?.op.db).toBe('other');
});

test('mongo calls keep values that JSON does not have, such as dates and ObjectIds', async () => {
  const requests = platform(() => ({ docs: [{ _id: new ObjectId(), when: new Date(5), n: 12 }], cursor: null }));
  const filter = { when: { $lt: new Date(7) }, _id: new ObjectId() };
  const found = await mongo.collection('books').findOne(filter);
  expect(requests[0]?.args.filter).toEqual(filter);
  expect(found).toMatchObject({ when: new Date(5), n: 12 });
});

test('a large insertMany is sent in several calls of limited size, in order', async () => {
  const requests = platform(inserted);
  const documents = Array.from({ length: 300 }, (_, n) => ({ _id: n, text: 'ä'.repeat(5_000) }));
  expect((await mongo.collection('books').insertMany(documents)).insertedCount).toBe(300);
  expect(requests.length).toBeGreaterThan(5);
  const ids = requests.flatMap(({ args }) => (args.docs as { _id: number }[]).map(({ _id }) => _id));
  expect(ids).toEqual(documents.map(({ _id }) => _id));
});

test('an insertMany that fails midway reports how many documents it has inserted', async () => {
  const requests = platform((op, args) =>
    requests.length < 3 ? inserted(op, args) : new StorageError('storage_duplicate_key', 'E11000', 7),
  );
  const documents = Array.from({ length: 300 }, () => ({ text: 'x'.repeat(5_000) }));
  const error = await mongo
    .collection('books')
    .insertMany(documents)
    .catch(caught => caught);
  expect(error).toBeInstanceOf(StorageError);
  expect(error.code).toBe('storage_duplicate_key');
  expect(error.insertedCount).toBe(
    requests.slice(0, 2).reduce((count, { args }) => count + (args.docs as unknown[]).length, 7),
  );
  expect(requests).toHaveLength(3);
});

test('insertMany rejects a document that is too large, by index and size, before it sends anything', async () => {
  const requests = platform(inserted);
  await expect(mongo.collection('books').insertMany([{ a: 1 }, { text: 'x'.repeat(600_000) }])).rejects.toMatchObject({
    code: 'storage_too_large',
    message: expect.stringMatching(/^books\.insertMany: documents\[1\] is 600\d{3} bytes/),
  });
  expect(requests).toEqual([]);
});

test('a mongo cursor reads page by page, refuses options after the first page, and closes when left early', async () => {
  const requests = platform((op, args) => {
    if (op.method === 'find') return { docs: [{ n: 1 }, { n: 2 }], cursor: 'c1' };
    if (op.method === 'next') return { docs: args.cursor === 'c1' ? [{ n: 3 }] : [], cursor: null };
    return {};
  });
  const books = mongo.collection('books');
  const cursor = books.find({ price: 1 }).sort('n', -1).skip(1).limit(9).project({ n: 1 });
  expect(requests).toEqual([]);
  expect(await cursor.toArray()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(requests[0]?.args).toEqual({ filter: { price: 1 }, sort: { n: -1 }, skip: 1, limit: 9, projection: { n: 1 } });
  expect(() => cursor.limit(2)).toThrow('books.find: limit must be set before documents are read.');
  expect(await cursor.next()).toBeNull();

  for await (const document of books.find()) {
    expect(document).toEqual({ n: 1 });
    break;
  }
  expect(requests.at(-1)).toMatchObject({ op: { method: 'close' }, args: { cursor: 'c1' } });

  const seen: unknown[] = [];
  const upToTwo = (document: unknown) => seen.push(document) < 2;
  await books.find().forEach(upToTwo);
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
});

test('a mongo cursor requests one page ahead from its second page on, and reports an error when that page is read', async () => {
  const requests = platform((op, args) => {
    if (op.method === 'find') return { docs: [{ n: 0 }], cursor: 'c.1' };
    if (op.method === 'close') return {};
    const n = Number(String(args.cursor).slice(2));
    return n === 3 ? new StorageError('storage_cursor_lost', 'Closed.') : { docs: [{ n }], cursor: `c.${n + 1}` };
  });
  const cursor = mongo.collection('books').find();
  const asked = () => requests.map(({ args }) => args.cursor);
  expect(await cursor.next()).toEqual({ n: 0 });
  expect(asked()).toEqual([undefined]);
  expect(await cursor.next()).toEqual({ n: 1 });
  expect(asked()).toEqual([undefined, 'c.1', 'c.2']);
  expect(await cursor.next()).toEqual({ n: 2 });
  await expect(cursor.next()).rejects.toMatchObject({ code: 'storage_cursor_lost' });
});

test.each([
  ['never arrives', new Promise<Answer>(() => {})],
  ['was refused', new StorageError('storage_rejected', 'This cursor is already being read.')],
  ['was the last one', { docs: [], cursor: null }],
])(
  'a mongo cursor that is left early is closed at once, also if the page that it requested ahead %s',
  async (_, ahead) => {
    const requests = platform((op, args) => {
      if (op.method === 'find') return { docs: [{ n: 0 }], cursor: 'c.1' };
      if (op.method === 'close') return {};
      return args.cursor === 'c.1' ? { docs: [{ n: 1 }], cursor: 'c.2' } : ahead;
    });
    const cursor = mongo.collection('books').find();
    await cursor.next();
    await cursor.next();
    await cursor.close();
    expect(requests.map(({ op }) => op.method)).toEqual(['find', 'next', 'next', 'close']);
    expect(requests.at(-1)?.args).toEqual({ cursor: 'c.2' });
  },
);

test('insertMany sends its calls at once with ordered: false, and otherwise one after another', async () => {
  let inProgress = 0;
  let most = 0;
  platform(inserted);
  const answer = Reflect.get(globalThis, PORT);
  Reflect.set(globalThis, PORT, async (request: StorageRequest) => {
    inProgress += 1;
    most = Math.max(most, inProgress);
    await new Promise(setImmediate);
    inProgress -= 1;
    return answer(request);
  });
  const documents = () => Array.from({ length: 500 }, () => ({ text: 'x'.repeat(10_000) }));
  expect((await mongo.collection('books').insertMany(documents())).insertedCount).toBe(500);
  expect(most).toBe(1);
  expect((await mongo.collection('books').insertMany(documents(), { ordered: false })).insertedCount).toBe(500);
  expect(most).toBe(4);
});

test('an undefined value in a filter is sent as null, because leaving it out would match more documents', async () => {
  const requests = platform(() => ({ deleted_count: 0 }));
  await mongo.collection('books').deleteMany({ shop: undefined });
  expect(requests[0]?.args.filter).toEqual({ shop: null });
});

test('mongo calls reject values that cannot be stored, and name the call', async () => {
  platform(inserted);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const document of [circular, { 'a\0b': 1 }, { v: { _bsontype: 'Long' } }]) {
    await expect(mongo.collection('books').insertMany([{ a: 1 }, document])).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage_rejected',
      message: expect.stringMatching(/^books\.insertMany: documents\[1\]: /),
    });
  }
  await expect(mongo.collection('books').insertOne({ text: 'x'.repeat(20_000_000) })).rejects.toMatchObject({
    code: 'storage_too_large',
    message: expect.stringMatching(/^books\.insertOne: the document/),
  });
  await expect(mongo.collection('books').insertOne(null as any)).rejects.toThrow(
    'books.insertOne: the document is not an object.',
  );
});

test('each other mongo method sends the arguments that the platform expects, and names results as the driver does', async () => {
  const changed = { matched_count: 1, modified_count: 1, upserted_count: 0, upserted_id: null };
  const answers: Record<string, Record<string, unknown>> = {
    countDocuments: { count: 4 },
    distinct: { values: ['a'] },
    aggregate: { docs: [{ n: 1 }], cursor: null },
    updateOne: changed,
    updateMany: changed,
    replaceOne: { ...changed, matched_count: 0, modified_count: 0, upserted_count: 1, upserted_id: 'u' },
    deleteOne: { deleted_count: 1 },
    deleteMany: { deleted_count: 3 },
    createIndex: { name: 'n_1' },
  };
  const requests = platform(op => answers[op.method] ?? {});
  const books = mongo.collection('books');
  expect(await books.countDocuments()).toBe(4);
  expect(await books.distinct('author', { n: 1 })).toEqual(['a']);
  expect(await books.aggregate([{ $match: {} }]).toArray()).toEqual([{ n: 1 }]);
  expect(await books.updateOne({ n: 1 }, { $set: { n: 2 } })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
  await books.updateMany({}, { $inc: { n: 1 } }, { upsert: true });
  expect(await books.replaceOne({ n: 1 }, { n: 2 }, { upsert: true })).toMatchObject({
    upsertedCount: 1,
    upsertedId: 'u',
  });
  expect(await books.deleteOne({ n: 1 })).toEqual({ acknowledged: true, deletedCount: 1 });
  expect(await books.deleteMany({})).toEqual({ acknowledged: true, deletedCount: 3 });
  expect(await books.createIndex({ n: 1 }, { unique: true })).toBe('n_1');
  expect(requests.map(({ args }) => args)).toEqual([
    { filter: {} },
    { field: 'author', filter: { n: 1 } },
    { pipeline: [{ $match: {} }] },
    { filter: { n: 1 }, update: { $set: { n: 2 } }, upsert: false },
    { filter: {}, update: { $inc: { n: 1 } }, upsert: true },
    { filter: { n: 1 }, replacement: { n: 2 }, upsert: true },
    { filter: { n: 1 } },
    { filter: {} },
    { keys: { n: 1 }, unique: true },
  ]);
});

test('a refused mongo call throws a StorageError with its code and the name of the call', async () => {
  platform(() => new StorageError('storage_outcome_unknown', 'The connection broke.'));
  await expect(mongo.collection('books').updateOne({}, { $inc: { n: 1 } })).rejects.toMatchObject({
    name: 'StorageError',
    code: 'storage_outcome_unknown',
    message: 'books.updateOne: The connection broke.',
  });
});

test('a collection without a name and documents that are no objects are rejected immediately', async () => {
  expect(() => new Collection(undefined, '')).toThrow(/expected the collection's name/);
  await expect(mongo.collection('books').insertMany([])).rejects.toThrow(/at least one document/);
  await expect(mongo.collection('books').insertMany([[] as never])).rejects.toThrow(/documents\[0\] is not an object/);
});
