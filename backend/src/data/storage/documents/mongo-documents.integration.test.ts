import { Binary, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import type { mongo } from 'mongoose';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import type { ListQuery } from '../../../platform/http/lists/list-query.js';
import { parseCursor } from './mongo-cursor.js';

const { app } = appForFile();
const database = databaseForFile(app);

type Query = Record<string, string | number | undefined>;

const list = async (at: string, query: Query) => {
  const text = new URLSearchParams(query as Record<string, string>);
  return database.api('GET', `${at}/list?${text}`);
};

const csvOf = async (at: string, query: Query) =>
  database.api('GET', `${at}/csv?${new URLSearchParams(JSON.parse(JSON.stringify(query)))}`);

/** Follows the cursors from page to page, up to the end. Returns the `n` of every document. */
async function walk(at: string, query: Query): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let after: string | undefined, pages = 0; pages < 100; pages++) {
    const { status, body } = await list(at, { ...query, ...(after ? { after } : {}) });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    seen.push(...body.items.map(({ n }: { n: number }) => n));
    if (body.next === undefined) return seen;
    after = body.next;
  }
  throw new Error('the pages have no end');
}

describe('a list of MongoDB documents', () => {
  it('returns the matching documents and their total', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany(
      Array.from({ length: 25 }, (_, n) => ({ n, kind: n % 5, at: new Date(n), oid: new ObjectId() })),
    );
    const filter = JSON.stringify({ kind: { $in: [1, 2] }, at: { $gte: { $date: { $numberLong: '10' } } } });
    expect((await list(at, { filter, sort: 'n', limit: 2, select: 'n' })).body).toMatchObject({
      total: 6,
      items: [{ n: 11 }, { n: 12 }],
      next: expect.any(String),
    });
    expect((await list(at, { limit: 10 })).body).toMatchObject({ total: 25 });
    expect((await list(at, { limit: 10, skip: 20 })).body).toMatchObject({ total: 25, skip: 20 });
    expect((await list(at, { limit: 10, skip: 30 })).body).toMatchObject({ total: 25, items: [] });
    const [first] = (await list(at, { sort: '_id', limit: 1, select: '_id' })).body.items;
    expect(first).toEqual({ _id: { $oid: expect.any(String) } });
    const { items } = (await list(at, { filter: JSON.stringify({ _id: first._id }), select: '-oid,-at' })).body;
    expect(items).toEqual([{ ...first, n: 0, kind: 0 }]);
    expect((await list(at, { select: '-_id', limit: 1 })).body.items[0]).toHaveProperty('oid');
  });

  it('has an exact total up to 10,000, also after inserts and deletions', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany(Array.from({ length: 9_999 }, (_, n) => ({ n })));
    const total = async (query = {}) => {
      const { body } = await list(at, { limit: 1, ...query });
      return [body.total, body.total_capped];
    };
    expect(await total()).toEqual([9_999, undefined]);
    await collection.insertMany([{ n: 9_999 }, { n: 10_000 }]);
    expect(await total()).toEqual([10_000, true]);
    expect(await total({ filter: '{"n":{"$gte":0}}' })).toEqual([10_000, true]);
    await collection.deleteMany({ n: { $lt: 10 } });
    expect(await total()).toEqual([9_991, undefined]);
    expect((await database.api('GET', `${at}/count`)).body).toEqual({ total: 9_991 });
  });

  it('continues by cursor after its last document, even if documents were added before it', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany(Array.from({ length: 10 }, (_, n) => ({ n, price: n % 3 })));
    const first = (await list(at, { sort: '-price,n', limit: 4 })).body;
    await collection.insertMany([{ n: 99, price: 2 }].map(doc => ({ ...doc, n: -1 })));
    const second = (await list(at, { sort: '-price,n', limit: 4, after: first.next })).body;
    expect([...first.items, ...second.items].map(({ n }: { n: number }) => n)).toEqual([2, 5, 8, 1, 4, 7, 0, 3]);
    expect(second.total).toBe(10);
  });

  const id = new ObjectId();
  const VALUES = [
    1,
    -5,
    2.5,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    Long.fromString('9007199254740993'),
    Decimal128.fromString('7.5'),
    'a',
    'b',
    '',
    'NaN',
    true,
    false,
    null,
    undefined,
    new Date(0),
    new Date(5),
    id,
    new ObjectId(),
    { a: 1 },
    { b: 1 },
    new Binary(Buffer.from('x')),
    new Timestamp({ t: 1, i: 1 }),
    new MinKey(),
    new MaxKey(),
    1,
    'a',
    null,
    { a: 1 },
  ];

  it.each(['v', '-v', 'v,n', '-v,-n', '_id', '-_id'])(
    'gives each document once, in the order of sort=%s, over values of every type',
    async sort => {
      const { at, collection } = database.fresh();
      await collection.insertMany(VALUES.map((v, n) => (v === undefined ? { n } : { n, v })));
      const direction = sort.startsWith('-') ? -1 : 1;
      const fields = Object.fromEntries(sort.split(',').map(name => [name.replace('-', ''), direction]));
      const expected = await collection
        .find()
        .sort({ ...fields, _id: direction } as mongo.Sort)
        .toArray();
      for (const limit of [1, 4]) expect(await walk(at, { sort, limit })).toEqual(expected.map(({ n }) => n));
    },
  );

  it('can be paged by cursor when the values of _id have different types', async () => {
    const { at, collection } = database.fresh();
    const ids = [1, 2.5, 'a', '', id, new Date(0), { a: 1 }, true, null, new Binary(Buffer.from('x'))];
    await collection.insertMany(ids.map((_id, n) => ({ _id, n })));
    const sorted = async (direction: 1 | -1) =>
      (await collection.find().sort({ _id: direction }).toArray()).map(({ n }) => n);
    expect(await walk(at, { limit: 2 })).toEqual(await sorted(-1));
    expect(await walk(at, { limit: 2, sort: '_id' })).toEqual(await sorted(1));
  });

  it.each(['tags', '-tags'])(
    'refuses to page by a field that contains arrays (sort=%s), instead of giving documents twice',
    async sort => {
      const { at, collection } = database.fresh();
      await collection.insertMany([{ tags: 1 }, { tags: [0, 9] }, { tags: 5 }, { tags: 7 }, { tags: [] }]);
      expect((await list(at, { sort })).status).toBe(200);
      await expect(walk(at, { sort, limit: 1 })).rejects.toThrow('Cannot page by tags');
    },
  );

  it('scans an index only from the start of the requested page', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany(Array.from({ length: 3_000 }, (_, n) => ({ n, price: n % 100 })));
    await collection.createIndex({ price: 1, _id: 1 });
    const sort = { price: 1, _id: 1 } as const;
    let after = (await list(at, { sort: 'price', limit: 100 })).body.next;
    for (let page = 0; page < 20; page++) {
      const query: ListQuery = { sort: 'price', limit: 100, skip: 0, after };
      const read = collection.find(parseCursor(query, sort)?.beyond as object, { sort, limit: 101 });
      const { executionStats } = await read.explain('executionStats');
      expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(120);
      after = (await list(at, { sort: 'price', limit: 100, after })).body.next;
    }
  });

  it.each([
    ['{', 'filter'],
    ['[]', 'filter'],
    ['null', 'filter'],
    ['{"a":{"$date":"x"}}', 'filter.a'],
    ['{"a":{"$oid":"1","$ne":2}}', 'filter.a'],
    ['{"a\\u0000":1}', 'filter.a\0'],
    ['{"__proto__":{"a":1}}', 'filter.__proto__'],
    [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'filter'],
  ])('refuses the filter %s and names the field', async (filter, field) => {
    const answer = await list(database.fresh().at, { filter });
    expect([answer.status, answer.body.details?.[0].field]).toEqual([400, field]);
  });

  it('refuses a malformed cursor, and a cursor of another sort or filter', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany([{ n: 1 }, { n: 2 }]);
    const { next } = (await list(at, { limit: 1, sort: 'n' })).body;
    for (const query of [
      { after: next, sort: '-n' },
      { after: next, sort: 'n', filter: '{"n":1}' },
      { after: next, sort: 'n', skip: 1 },
      { after: 'nonsense', sort: 'n' },
    ]) {
      expect([query, (await list(at, query)).status]).toEqual([query, 400]);
    }
  });
});

describe('MongoDB documents', () => {
  it('are added with the given _id or a new one; a duplicate _id is refused', async () => {
    const { at } = database.fresh();
    const made = await database.api('POST', `${at}/addnew`, { title: 'Deep', price: { $numberDecimal: '9.50' } });
    expect([made.status, made.body]).toEqual([
      201,
      { _id: { $oid: expect.any(String) }, title: 'Deep', price: { $numberDecimal: '9.50' } },
    ]);
    expect((await database.api('GET', `${at}/${made.body._id.$oid}`)).body).toEqual(made.body);
    expect((await database.api('POST', `${at}/addnew`, { _id: 7 })).body).toEqual({ _id: 7 });
    expect(await database.api('POST', `${at}/addnew`, { _id: 7 })).toMatchObject({
      status: 409,
      body: { error_code: 'storage_duplicate_key', error_message: expect.not.stringContaining(database.dbName) },
    });
  });

  it('are added in bulk; an error names the invalid document', async () => {
    const { at } = database.fresh();
    const add = (body: object) => database.api('POST', `${at}/addnew-many`, body);
    expect((await add({ documents: [{ _id: 'a' }, { n: 2 ** 40 }] })).body).toEqual({
      inserted: 2,
      ids: ['a', { $oid: expect.any(String) }],
    });
    expect(await add({ documents: [{ n: 1 }, { $set: 1 }] })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'documents.1' }] },
    });
    expect((await add({ documents: [{ _id: 'x' }, { _id: 'a' }, { _id: 'y' }], ordered: false })).status).toBe(409);
    expect((await database.api('GET', `${at}/count`)).body).toEqual({ total: 4 });
    for (const documents of [[], {}, 'text', Array(1_001).fill({})]) {
      expect((await add({ documents })).body).toMatchObject({ details: [{ field: 'documents' }] });
    }
  });

  it('are updated and deleted by a filter; deletion refuses an empty filter', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany([{ url: 'ab' }, { url: 'abc' }, { url: 'b' }]);
    const update = { filter: { url: { $regex: '^a' } }, update: { $set: { seen: true }, $inc: { n: 1 } } };
    expect((await database.api('POST', `${at}/update-many`, update)).body).toEqual({ matched: 2, modified: 2 });
    expect(await database.api('POST', `${at}/update-many`, { filter: {}, update: { seen: 1 } })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'update' }] },
    });
    expect(await database.api('POST', `${at}/delete-many`, { filter: {} })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'filter' }] },
    });
    // Both conditions must count. `EJSON.parse` would drop the second one.
    const narrowed = { filter: { url: { $regex: '^a', $ne: 'ab' } } };
    expect((await database.api('POST', `${at}/delete-many`, narrowed)).body).toEqual({ deleted: { documents: 1 } });
    expect((await collection.find().toArray()).map(({ url }) => url)).toEqual(['ab', 'b']);
  });

  it('of a missing collection are answered with 404 and its name, and those of an empty collection with 200', async () => {
    const { at, name } = database.fresh();
    const reads: [method: string, path: string, body?: object][] = [
      ['GET', `${at}/list`],
      ['GET', `${at}/csv`],
      ['GET', `${at}/count`],
      ['GET', `${at}/distinct?field=n`],
      ['POST', `${at}/aggregate`, { pipeline: [] }],
    ];
    for (const [method, path, body] of reads) {
      const answer = await database.api(method, path, body);
      expect([path, answer.status, answer.body.error_code]).toEqual([path, 404, 'not_found']);
      expect(answer.body.error_message).toContain(name);
    }
    await database.api('POST', `${at}/addnew`, { _id: 1 });
    await database.api('DELETE', `${at}/1`);
    for (const [method, path, body] of reads) expect((await database.api(method, path, body)).status).toBe(200);
  });

  it('can be read as distinct values and with an aggregation', async () => {
    const { at, name, collection } = database.fresh();
    await collection.insertMany(Array.from({ length: 30 }, (_, n) => ({ n, tags: [`t${n % 3}`], kind: n % 2 })));
    expect((await database.api('GET', `${at}/distinct?field=tags`)).body).toEqual({ values: ['t0', 't1', 't2'] });
    expect((await database.api('GET', `${at}/distinct?field=n&limit=2`)).body).toEqual({
      values: [0, 1],
      truncated: true,
    });
    const pipeline = [
      { $group: { _id: '$kind', sum: { $sum: '$n' }, last: { $max: '$_id' } } },
      { $lookup: { from: name, localField: '_id', foreignField: 'n', as: 'same' } },
      { $project: { sum: 1, same: { $size: '$same' } } },
      { $sort: { _id: 1 } },
    ];
    expect((await database.api('POST', `${at}/aggregate`, { pipeline })).body).toEqual({
      items: [
        { _id: 0, sum: 210, same: 1 },
        { _id: 1, sum: 225, same: 1 },
      ],
    });
    expect((await database.api('POST', `${at}/aggregate`, { pipeline: [], limit: 1 })).body).toMatchObject({
      truncated: true,
    });
    expect((await database.api('POST', `${at}/aggregate`, { pipeline: [{ a: 1, b: 2 }] })).body).toMatchObject({
      details: [{ field: 'pipeline.0' }],
    });
  });

  it('are returned as plain JSON with format=relaxed', async () => {
    const { at, collection } = database.fresh();
    const _id = new ObjectId();
    const long = Long.fromString('9007199254740993');
    const values = {
      at: new Date('2026-02-15T09:30:00.000Z'),
      long,
      price: Decimal128.fromString('-1.50'),
      bytes: new Binary(Buffer.from('hi')),
      uuid: Binary.createFromHexString('019a2b3c4d5e7f608a1b2c3d4e5f6071', 4),
      none: null,
      nan: Number.NaN,
      list: [{ id: _id }],
      min: new MinKey(),
      time: new Timestamp({ t: 1, i: 2 }),
    };
    await collection.insertOne({ _id, ...values });
    const plain = {
      _id: _id.toHexString(),
      at: '2026-02-15T09:30:00.000Z',
      long: '9007199254740993',
      price: '-1.50',
      bytes: 'aGk=',
      uuid: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
      none: null,
      nan: 'NaN',
      list: [{ id: _id.toHexString() }],
      min: 'MinKey',
      time: '4294967298',
    };
    expect((await list(at, { format: 'relaxed' })).body).toMatchObject({ total: 1, items: [plain] });
    expect((await database.api('GET', `${at}/${_id}?format=relaxed`)).body).toEqual(plain);
    expect((await database.api('GET', `${at}/distinct?field=_id&format=relaxed`)).body).toEqual({
      values: [plain._id],
    });
    const aggregation = { pipeline: [], format: 'relaxed' };
    expect((await database.api('POST', `${at}/aggregate`, aggregation)).body).toEqual({ items: [plain] });
    expect((await database.api('GET', `${at}/${_id}?format=extended`)).body._id).toEqual({ $oid: plain._id });
  });

  it('are returned as CSV, in which no cell is a formula', async () => {
    const { at, collection } = database.fresh();
    await collection.insertMany([
      { _id: 1, title: '=HYPERLINK("http://x")', price: -1.5, exact: Decimal128.fromString('-2.50'), '@sum': true },
      {
        _id: 2,
        title: 'a "quoted", text\nin two lines',
        tags: ['x'],
        price: null,
        far: Long.fromString('-9007199254740993'),
      },
      { _id: 3, title: '\t+1' },
    ]);
    const first = await csvOf(at, { sort: '_id', limit: 2 });
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(first.body).toBe(
      [
        "_id,title,price,exact,'@sum,tags,far",
        `1,"'=HYPERLINK(""http://x"")",-1.5,-2.50,true,,`,
        '2,"a ""quoted"", text\nin two lines",,,,"[""x""]",-9007199254740993',
        '',
      ].join('\n'),
    );
    const after = String(first.headers.get('x-next-cursor'));
    const next = await csvOf(at, { sort: '_id', limit: 2, after });
    expect([next.body, next.headers.get('x-next-cursor')]).toEqual(["_id,title\n3,'\t+1\n", null]);
    expect((await list(at, { sort: '_id', limit: 2, after })).body.items).toHaveLength(1);
  });

  it('have the selected columns in CSV, even if no document matches', async () => {
    const { at, collection } = database.fresh();
    await collection.insertOne({ _id: 1, b: { c: 1, d: 2 }, a: 2 });
    const csv = async (query: Query) => (await csvOf(at, { select: 'b.c,a', ...query })).body;
    expect(await csv({})).toBe('_id,b,a\n1,"{""c"":1}",2\n');
    expect(await csv({ filter: '{"a":3}' })).toBe('_id,b,a\n');
    await collection.insertOne(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, n])));
    expect((await csv({ select: undefined })).error_code).toBe('payload_too_large');
  });

  it('over the size limit of a page are refused instead of held in memory', async () => {
    const { at, collection } = database.fresh();
    for (let n = 0; n < 5; n++) await collection.insertOne({ text: 'x'.repeat(4 * 1024 * 1024) });
    for (const format of ['extended', 'relaxed'])
      expect((await list(at, { limit: 10, format })).body.error_code).toBe('payload_too_large');
    expect((await csvOf(at, { limit: 10 })).body.error_code).toBe('payload_too_large');
    expect((await database.api('POST', `${at}/aggregate`, { pipeline: [] })).body.error_code).toBe('payload_too_large');
    expect((await list(at, { limit: 10, select: '-text' })).body.items).toHaveLength(5);
  });
});
