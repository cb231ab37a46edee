import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Binary, Decimal128 } from 'bson';
import { type Collection, type Document, dataset, kv, mongo, ObjectId } from '../src/index.js';

/** Describes what skripts may rely on, whether their calls reach MongoDB or local files. */
export function describeStorage(): void {
  let books: Collection;
  beforeEach(() => {
    books = mongo.collection(`c_${randomUUID()}`);
  });

  const sea = { _id: 1, title: 'Sea', price: 12, tags: ['blue', 'salt'], shop: { city: 'Split', floor: 1 } };
  const sails = { _id: 2, title: 'Sails', price: 7.5, tags: ['white'], shop: { city: 'Zadar', floor: 2 } };
  const knots = { _id: 3, title: 'Knots', price: null, tags: [] };
  const copies = (): Document[] => structuredClone([sea, sails, knots]);
  const ids = async (filter: Document): Promise<unknown[]> =>
    (await books.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
  const code = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'done',
      ({ name, code }) => (name === 'StorageError' ? code : name),
    );

  test('stored documents keep their values and types, with _id as the first field', async () => {
    const document = {
      text: 'ä\u0000\n"{}',
      when: new Date(1234),
      early: new Date(-5e12),
      data: new Binary(Buffer.from([0, 255, 10])),
      exact: Decimal128.fromString('0.10'),
      large: 5_000_000_000,
      huge: 2 ** 60,
      small: -1.5,
      none: null,
      yes: true,
      list: [1, [2, { a: {} }], new ObjectId()],
      _id: new ObjectId(),
    };
    expect(await books.insertOne(document)).toEqual({ acknowledged: true, insertedId: document._id });
    const found = await books.findOne({ _id: document._id });
    expect(found).toEqual(document);
    expect(Object.keys(found ?? {})[0]).toBe('_id');
  });

  test('mongo calls on an empty collection return empty results instead of errors', async () => {
    expect(await books.find().toArray()).toEqual([]);
    expect(await books.findOne({ a: 1 })).toBeNull();
    expect(await books.countDocuments()).toBe(0);
    expect(await books.distinct('a')).toEqual([]);
    expect(await books.aggregate([{ $match: {} }]).toArray()).toEqual([]);
    expect((await books.deleteMany({})).deletedCount).toBe(0);
    expect((await books.updateMany({}, { $set: { a: 1 } })).matchedCount).toBe(0);
  });

  test.each<[Document, number[]]>([
    [{ price: 12 }, [1]],
    [{ price: { $gt: 7, $lte: 12 } }, [1, 2]],
    [{ price: null }, [3]],
    [{ price: { $exists: false } }, []],
    [{ shop: { $exists: false } }, [3]],
    [{ 'shop.city': 'Zadar' }, [2]],
    [{ shop: { city: 'Zadar', floor: 2 } }, [2]],
    [{ tags: 'blue' }, [1]],
    [{ tags: { $all: ['blue', 'salt'] } }, [1]],
    [{ tags: { $size: 0 } }, [3]],
    [{ 'tags.0': 'white' }, [2]],
    [{ tags: { $elemMatch: { $eq: 'salt' } } }, [1]],
    [{ title: /^s/i }, [1, 2]],
    [{ title: { $regex: '^S', $ne: 'Sea' } }, [2]],
    [{ title: { $in: ['Sea', 'Knots'] } }, [1, 3]],
    [{ title: { $nin: ['Sea', 'Knots'] } }, [2]],
    [{ title: { $not: /^S/ } }, [3]],
    [{ $or: [{ price: 12 }, { title: 'Knots' }] }, [1, 3]],
    [{ $nor: [{ price: 12 }, { title: 'Knots' }] }, [2]],
    [{ $and: [{ price: { $gt: 1 } }, { price: { $lt: 10 } }] }, [2]],
    [{ $expr: { $gt: ['$price', 10] } }, [1]],
    [{ price: { $type: 'null' } }, [3]],
    [{ _id: { $in: [1, 3] } }, [1, 3]],
    [{ _id: 2, title: 'Sea' }, []],
  ])('a find with the filter %j returns the documents %j', async (filter, expected) => {
    await books.insertMany(copies());
    expect(await ids(filter)).toEqual(expected);
    expect(await books.countDocuments(filter)).toBe(expected.length);
  });

  test('a find sorts, skips, limits and projects documents', async () => {
    await books.insertMany(copies());
    const titles = async (cursor: AsyncIterable<Document>) => {
      const found: unknown[] = [];
      for await (const { title } of cursor) found.push(title);
      return found;
    };
    expect(await titles(books.find().sort({ price: 1 }))).toEqual(['Knots', 'Sails', 'Sea']);
    expect(await titles(books.find().sort({ 'shop.floor': -1, _id: 1 }))).toEqual(['Sails', 'Sea', 'Knots']);
    expect(await titles(books.find().sort('title').skip(1).limit(1))).toEqual(['Sails']);
    expect(await books.find({ _id: 1 }).project({ title: 1, _id: 0 }).toArray()).toEqual([{ title: 'Sea' }]);
    expect(
      await books
        .find({ _id: 1 })
        .project({ tags: 0, shop: { floor: 0 } })
        .toArray(),
    ).toEqual([{ _id: 1, title: 'Sea', price: 12, shop: { city: 'Split' } }]);
    expect(await books.findOne({}, { sort: { _id: -1 }, projection: { title: 1 } })).toEqual({
      _id: 3,
      title: 'Knots',
    });
  });

  test('distinct returns each value of a field once, also those inside arrays', async () => {
    await books.insertMany(copies());
    expect((await books.distinct('tags')).sort()).toEqual(['blue', 'salt', 'white']);
    expect(await books.distinct('shop.city', { price: 12 })).toEqual(['Split']);
  });

  test('aggregate can look up another collection, and changes no stored document', async () => {
    await books.insertMany(copies());
    const cities = mongo.collection(`c_${randomUUID()}`);
    await cities.insertOne({ _id: 'Split', people: 160_000 });
    const result = await books
      .aggregate([
        { $match: { price: { $ne: null } } },
        { $lookup: { from: cities.collectionName, localField: 'shop.city', foreignField: '_id', as: 'city' } },
        { $unwind: '$tags' },
        { $addFields: { 'shop.city': { $toUpper: '$shop.city' } } },
        {
          $group: {
            _id: '$shop.city',
            books: { $sum: 1 },
            people: { $first: '$city.people' },
            price: { $avg: '$price' },
          },
        },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    expect(result).toEqual([
      { _id: 'SPLIT', books: 2, people: [160_000], price: 12 },
      { _id: 'ZADAR', books: 1, people: [], price: 7.5 },
    ]);
    expect(await books.findOne({ _id: 1 })).toEqual(sea);
  });

  test.each<[Document | Document[], Document]>([
    [
      { $set: { price: 5, 'shop.floor': 3, fresh: true } },
      { price: 5, shop: { city: 'Split', floor: 3 }, fresh: true },
    ],
    [{ $unset: { 'shop.floor': '' } }, { shop: { city: 'Split' } }],
    [{ $inc: { price: 2, count: 1 } }, { price: 14, count: 1 }],
    [{ $mul: { price: 2 } }, { price: 24 }],
    [
      { $min: { price: 3 }, $max: { 'shop.floor': 9 } },
      { price: 3, shop: { city: 'Split', floor: 9 } },
    ],
    [{ $push: { tags: { $each: ['a', 'b'], $slice: -3 } } }, { tags: ['salt', 'a', 'b'] }],
    [{ $addToSet: { tags: 'blue' } }, {}],
    [{ $pull: { tags: 'blue' } }, { tags: ['salt'] }],
    [{ $pop: { tags: 1 } }, { tags: ['blue'] }],
    [{ $rename: { price: 'cost' } }, { price: undefined, cost: 12 }],
    [{ $setOnInsert: { price: 1 } }, {}],
    [{ $set: { _id: 1, price: 6 } }, { price: 6 }],
    [[{ $set: { total: { $multiply: ['$price', 2] } } }, { $unset: 'tags' }], { total: 24, tags: undefined }],
  ])('updateOne with %j changes the fields %j of one document only', async (update, changes) => {
    await books.insertMany(copies());
    const isChange = Object.keys(changes).length > 0;
    expect(await books.updateOne({ _id: 1 }, update)).toEqual({
      acknowledged: true,
      matchedCount: 1,
      modifiedCount: isChange ? 1 : 0,
      upsertedCount: 0,
      upsertedId: null,
    });
    const expected: Document = { ...sea, ...changes };
    for (const name of Object.keys(expected)) if (expected[name] === undefined) delete expected[name];
    expect(await books.findOne({ _id: 1 })).toEqual(expected);
    expect(await books.findOne({ _id: 2 })).toEqual(sails);
  });

  test('updateMany changes all matching documents, and `tags.$` the matching array item', async () => {
    await books.insertMany(copies());
    expect(await books.updateMany({ price: { $gt: 1 } }, { $set: { price: 12 } })).toMatchObject({
      matchedCount: 2,
      modifiedCount: 1,
    });
    await books.updateOne({ tags: 'salt' }, { $set: { 'tags.$': 'pepper' } });
    expect((await books.findOne({ _id: 1 }))?.tags).toEqual(['blue', 'pepper']);
  });

  test('the first upsert inserts the values of filter and update; the next one changes that document', async () => {
    const upsert = { upsert: true };
    const update = { $set: { price: 5 }, $setOnInsert: { seen: 1 }, $inc: { visits: 1 } };
    const filter = { isbn: '1', 'shop.city': 'Split', $and: [{ kind: { $eq: 'book' } }, { price: { $ne: 5 } }] };
    const first = await books.updateOne(filter, update, upsert);
    expect(first).toMatchObject({ matchedCount: 0, upsertedCount: 1, upsertedId: expect.any(ObjectId) });
    const stored = { _id: first.upsertedId, isbn: '1', shop: { city: 'Split' }, kind: 'book' };
    expect(await books.findOne()).toEqual({ ...stored, price: 5, seen: 1, visits: 1 });
    expect(await books.updateOne({ isbn: '1' }, update, upsert)).toMatchObject({ matchedCount: 1, upsertedCount: 0 });
    expect(await books.findOne({ isbn: '1' })).toMatchObject({ seen: 1, visits: 2 });
    expect(await books.updateOne({ _id: 'x' }, { $set: { a: 1 } }, upsert)).toMatchObject({ upsertedId: 'x' });
    expect(await books.countDocuments()).toBe(2);
  });

  test('replaceOne replaces all fields except _id, and inserts with upsert', async () => {
    await books.insertMany(copies());
    expect(await books.replaceOne({ title: 'Sea' }, { title: 'Ocean' })).toMatchObject({ modifiedCount: 1 });
    expect(await books.findOne({ _id: 1 })).toEqual({ _id: 1, title: 'Ocean' });
    expect(await books.replaceOne({ _id: 9 }, { title: 'New' }, { upsert: true })).toMatchObject({ upsertedId: 9 });
    expect(await books.replaceOne({ _id: 7 }, { title: 'None' })).toMatchObject({ matchedCount: 0 });
    expect(await code(books.replaceOne({ _id: 1 }, { _id: 2 }))).toBe('storage_rejected');
  });

  test('deleteOne deletes one matching document, deleteMany all of them', async () => {
    await books.insertMany(copies());
    expect(await books.deleteOne({ title: /^S/ })).toEqual({ acknowledged: true, deletedCount: 1 });
    expect((await books.deleteMany({ price: { $exists: true } })).deletedCount).toBe(2);
    expect(await books.countDocuments()).toBe(0);
    expect((await books.insertOne(structuredClone(sea))).insertedId).toBe(1);
  });

  test('ordered inserts stop at a duplicate _id; unordered ones insert the other documents', async () => {
    await books.insertOne({ _id: 'b' });
    const docs = () => ['a', 'b', 'c'].map(_id => ({ _id }));
    const duplicate = { code: 'storage_duplicate_key', insertedCount: 1 };
    await expect(books.insertMany(docs())).rejects.toMatchObject(duplicate);
    expect(await ids({})).toEqual(['a', 'b']);
    await expect(books.insertMany(docs(), { ordered: false })).rejects.toMatchObject(duplicate);
    expect(await ids({})).toEqual(['a', 'b', 'c']);
  });

  test('a unique index makes inserts, updates and replacements refuse duplicates', async () => {
    expect(await books.createIndex({ isbn: 1, 'shop.city': -1 }, { unique: true })).toBe('isbn_1_shop.city_-1');
    expect(await books.createIndex({ isbn: 1, 'shop.city': -1 }, { unique: true })).toBe('isbn_1_shop.city_-1');
    expect(await books.createIndex({ title: 1 }, { name: 'by title' })).toBe('by title');
    await books.insertMany([
      { _id: 1, isbn: 'a', shop: { city: 'Split' } },
      { _id: 2, isbn: 'a', shop: { city: 'Zadar' } },
      { _id: 3 },
    ]);
    const split = { isbn: 'a', 'shop.city': 'Split' };
    expect(await code(books.insertOne({ isbn: 'a', shop: { city: 'Split' } }))).toBe('storage_duplicate_key');
    await expect(books.insertOne({})).rejects.toMatchObject({
      code: 'storage_duplicate_key',
      message: expect.stringContaining('.insertOne: '),
    });
    expect(await code(books.updateOne({ _id: 2 }, { $set: split }))).toBe('storage_duplicate_key');
    expect(await code(books.replaceOne({ _id: 3 }, { isbn: 'a', shop: { city: 'Zadar' } }))).toBe(
      'storage_duplicate_key',
    );
    expect(await books.updateOne(split, { $set: { isbn: 'b' } })).toMatchObject({ modifiedCount: 1 });
    expect(await code(books.insertOne({ isbn: 'a', shop: { city: 'Split' } }))).toBe('done');
    await books.deleteOne({ _id: 3 });
    expect(await code(books.insertOne({}))).toBe('done');
    await expect(books.insertOne({ isbn: 'b', shop: { city: 'Split' } })).rejects.toThrow(
      /isbn: "b".*index isbn_1_shop\.city_-1/,
    );
  });

  test('a unique index refuses duplicate array items, and cannot be created over existing duplicates', async () => {
    await books.createIndex({ tags: 1 }, { unique: true });
    await books.insertMany([{ tags: ['a', 'b', 'b'] }, { tags: ['c'] }]);
    expect(await code(books.insertOne({ tags: ['x', 'b'] }))).toBe('storage_duplicate_key');
    expect(await books.countDocuments({ tags: 'b' })).toBe(1);
    await books.insertMany([
      { kind: 1, tags: 'd' },
      { kind: 1, tags: 'e' },
    ]);
    expect(await code(books.createIndex({ kind: 1 }, { unique: true }))).toBe('storage_duplicate_key');
  });

  test.each<[string, (collection: Collection) => Promise<unknown>]>([
    ['$where', c => c.find({ $where: 'true' }).toArray()],
    ['an unknown operator', c => c.find({ a: { $near2: 1 } }).toArray()],
    ['$out', c => c.aggregate([{ $out: 'x' }]).toArray()],
    ['$function', c => c.aggregate([{ $set: { a: { $function: { body: 'x', args: [], lang: 'js' } } } }]).toArray()],
    ['an update without operators', c => c.updateOne({}, { a: 1 })],
    ['a replacement with operators', c => c.replaceOne({}, { $set: { a: 1 } })],
    ['a document with an operator', c => c.insertOne({ a: { $set: 1 } })],
    ['a value of 100 levels', c => c.insertOne({ a: JSON.parse('['.repeat(100) + ']'.repeat(100)) })],
    ['a change of _id', c => c.updateOne({ _id: 1 }, { $set: { _id: 5 } })],
    ['an _id that is an array', c => c.insertOne({ _id: [1] })],
    ['an index without fields', c => c.createIndex({})],
    ['$inc of a text', c => c.updateOne({ _id: 1 }, { $inc: { title: 'x' } })],
    ['a collection named system.users', () => mongo.collection('system.users').countDocuments()],
    ['a collection with a $', () => mongo.collection('a$b').countDocuments()],
    ['a collection with a dot at its end', () => mongo.collection('a.').countDocuments()],
  ])('mongo calls reject %s and change no document', async (_what, call) => {
    await books.insertMany(copies());
    expect(await code(call(books))).toBe('storage_rejected');
    expect(await books.find().sort({ _id: 1 }).toArray()).toEqual(copies());
  });

  test('a collection name may contain special characters such as slashes, spaces and quotes', async () => {
    const name = `ü/..\\ %2A*?:"<>|${randomUUID()}`;
    await mongo.collection(name).insertOne({ _id: name });
    expect(await mongo.collection(name).findOne()).toEqual({ _id: name });
  });

  test('dataset.push stores rows in order, each with run id and time', async () => {
    const tag = randomUUID();
    void dataset.push([
      { tag, n: 1, when: new Date(5) },
      { tag, n: 2 },
    ]);
    await dataset.push({ tag, n: 3 });
    const row = { _id: expect.any(ObjectId), _run: 'local', _at: expect.any(Date), tag };
    expect(await mongo.collection(dataset.collectionName).find({ tag }).sort({ _id: 1 }).toArray()).toEqual([
      { ...row, n: 1, when: new Date(5) },
      { ...row, n: 2 },
      { ...row, n: 3 },
    ]);
  });

  test('dataset.push with a key stores each key once, and the latest row replaces the others', async () => {
    const tag = randomUUID();
    const key = ['tag', 'shop.id'];
    void dataset.push({ tag, shop: { id: 1 }, n: 0 });
    await dataset.push(
      [
        { tag, shop: { id: 1 }, n: 1, old: true },
        { tag, shop: { id: '1' }, n: 2 },
        { tag, shop: { id: 1 }, n: 3 },
      ],
      { key },
    );
    await dataset.push({ tag, shop: { id: '1' }, $set: 1 }, { key }).catch(() => {});
    await dataset.push([{ tag, shop: { id: '1' }, n: 4, when: new Date(5), none: null, _v: '$n' }], { key });
    const row = { _id: expect.any(ObjectId), _run: expect.any(String), _at: expect.any(Date), tag };
    const keyed = (id: unknown) => ({
      ...row,
      _key: JSON.stringify({ 'shop.id': id, tag }),
      _first: expect.any(String),
      _attempt: 1,
      shop: { id },
    });
    const rows = mongo.collection(dataset.collectionName);
    expect(await rows.find({ tag }).sort({ _id: 1 }).toArray()).toEqual([
      { ...row, shop: { id: 1 }, n: 0 },
      { ...keyed(1), n: 3 },
      { ...keyed('1'), n: 4, when: new Date(5), none: null, _v: '$n' },
    ]);
  });

  test('kv.set keeps the latest value of a key, of any type, up to 1 MB', async () => {
    const key = randomUUID();
    const entries = mongo.collection('kv_local');
    expect(await kv.get(key)).toBeNull();
    const large = { text: 'ä"\\\n'.repeat(100_000), list: Array.from({ length: 60_000 }, (_, n) => n % 10) };
    for (const value of [0, '', false, [], { cookies: [{ name: 'a', expires: new Date(5) }] }, large, 'small', large]) {
      await kv.set(key, value);
      expect(await kv.get(key)).toEqual(value);
    }
    expect(await entries.countDocuments({ key })).toBe(4);
    await expect(kv.set(key, 'x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({
      code: 'storage_too_large',
      message: expect.stringContaining('is 1048577 bytes; the limit is 1048576. Use a collection of mongo'),
    });
    expect(await kv.get(key)).toEqual(large);
    expect(await kv.delete(key)).toBe(true);
    expect(await kv.delete(key)).toBe(false);
    expect(await kv.get(key)).toBeNull();
    expect(await entries.countDocuments({ key })).toBe(0);
  });

  test.each([
    ['text', 'x'.repeat(1024 * 1024)],
    ['text that JSON doubles', '"'.repeat(1024 * 1024)],
    ['bytes', new Binary(Buffer.alloc(1024 * 1024, 7))],
    ['bytes in a Buffer', Buffer.alloc(1024 * 1024, 7)],
    ['a list of numbers', Array.from({ length: 524_287 }, (_, n) => n % 10)],
  ])('kv stores 1 MB of %s', async (_, value) => {
    const key = randomUUID();
    await kv.set(key, value);
    expect(isDeepStrictEqual(await kv.get(key), Buffer.isBuffer(value) ? new Binary(value) : value)).toBe(true);
    await kv.delete(key);
  });

  test('kv.get returns one complete value while other calls replace it', async () => {
    const key = randomUUID();
    const values = ['a', 'b', 'c'].map(letter => letter.repeat(600_000));
    await kv.set(key, values[0]);
    const writes = Promise.all(values.map(value => kv.set(key, value)));
    const reads = await Promise.all(Array.from({ length: 5 }, () => kv.get(key)));
    await writes;
    for (const value of [...reads, await kv.get(key)]) expect(values.includes(value as string)).toBe(true);
  });

  test.each([[''], [7], ['x'.repeat(201)]])('kv refuses the key %p, and kv.set refuses undefined', async key => {
    await expect(kv.get(key as string)).rejects.toThrow('1 to 200 characters');
    await expect(kv.set('key', undefined)).rejects.toThrow('kv.delete');
  });
}
