import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StorageAnswer, type StorageMethod, storageOperationSchema } from '@trawl/contracts';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  DBRef,
  Decimal128,
  Double,
  deserialize,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
  UUID,
} from 'bson';
import mongoose from 'mongoose';
import { DataSource } from 'typeorm';
import { decodeMessage, encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { describeStorage } from '../../../../../packages/storage/test/storage-contract.js';
import { startTestApp, type TestApp } from '../../../../test/test-app.js';
import { Contention } from '../../../platform/common/shares/contention.service.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import { MongoDatabase } from '../databases/mongo-database.entity.js';
import { MongoDatabasesService } from '../databases/mongo-databases.service.js';
import { CollectionLimitService } from '../mongodb/collection-limit.service.js';
import { MongoConnectionService } from '../mongodb/mongo-connection.service.js';
import { StorageUsageService } from '../usage/storage-usage.service.js';
import { MAX_CURSORS_PER_RUN, RunCursorsService } from './run-cursors.service.js';
import { StorageOperationsService } from './storage-operations.service.js';

let app: TestApp;
let ownerId: string;
let postgres: DataSource;
let connection: mongoose.Connection;
let cursors: RunCursorsService;
let operations: StorageOperationsService;
const executionId = randomUUID();

function operationsOn(uri: string): StorageOperationsService {
  connection = mongoose.createConnection(uri, { serverSelectionTimeoutMS: 500, monitorCommands: true });
  connection.asPromise().catch(() => {});
  const databases = new MongoDatabasesService(postgres.getRepository(MongoDatabase), app.part(QuotasService));
  cursors = new RunCursorsService();
  return new StorageOperationsService(
    databases,
    new MongoConnectionService(connection, { ...app.config, mongodbUri: uri }),
    cursors,
    app.part(StorageUsageService),
    new CollectionLimitService(),
    new Contention(),
  );
}

beforeAll(async () => {
  app = await startTestApp();
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  ownerId = user?.id ?? '';
  postgres = new DataSource({
    type: 'postgres',
    url: app.config.postgresUrl,
    entities: [MongoDatabase],
  });
  await postgres.initialize();
  operations = operationsOn(app.config.mongodbUri);
}, 60_000);
afterAll(async () => {
  const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE owner_id = $1', [
    ownerId,
  ]);
  await cursors.onApplicationShutdown();
  await connection.getClient().db(row?.db_name).dropDatabase();
  await connection.close();
  await postgres.destroy();
  await app.close();
});

let collection = '';
beforeEach(() => {
  collection = `c_${randomUUID()}`;
});
const send = (
  method: StorageMethod,
  args: object,
  more: { resend?: boolean; db?: string } = {},
): Promise<StorageAnswer> =>
  operations.run(ownerId, executionId, {
    collection,
    method,
    args: encodeMessage(args),
    resend: false,
    ...more,
  });
async function result(method: StorageMethod, args: object, more: { resend?: boolean } = {}): Promise<any> {
  const answer = await send(method, args, more);
  if ('error' in answer) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return decodeMessage(answer.result);
}
const code = async (method: StorageMethod, args: object, more: { resend?: boolean; db?: string } = {}) => {
  const answer = await send(method, args, more);
  return 'error' in answer ? answer.error.code : JSON.stringify(decodeMessage(answer.result));
};
const insert = (docs: object[], more = {}) => result('insertMany', { docs, ordered: true }, more);

test('a run inserts, finds, counts, updates and deletes MongoDB documents', async () => {
  const id = new ObjectId();
  expect(
    await insert([
      { _id: id, title: 'a', price: 5 },
      { _id: 2, title: 'b', price: 7.5 },
    ]),
  ).toEqual({ inserted_count: 2 });
  expect(await result('find', { filter: { price: { $gt: 6 } }, projection: { title: 1 } })).toEqual({
    docs: [{ _id: 2, title: 'b' }],
    cursor: null,
  });
  expect(await result('countDocuments', { filter: {} })).toEqual({ count: 2 });
  expect(await result('distinct', { field: 'title', filter: {} })).toEqual({ values: ['a', 'b'] });
  expect(await result('aggregate', { pipeline: [{ $group: { _id: null, sum: { $sum: '$price' } } }] })).toEqual({
    docs: [{ _id: null, sum: 12.5 }],
    cursor: null,
  });
  expect(
    await result('updateOne', { filter: { _id: id }, update: { $set: { price: 6 } }, upsert: false }),
  ).toMatchObject({ matched_count: 1, modified_count: 1 });
  expect(await result('replaceOne', { filter: { _id: 3 }, replacement: { title: 'c' }, upsert: true })).toMatchObject({
    upserted_count: 1,
    upserted_id: 3,
  });
  expect(await result('deleteOne', { filter: { _id: 3 } })).toEqual({ deleted_count: 1 });
  expect(await result('createIndex', { keys: { title: 1 }, unique: true })).toEqual({ name: 'title_1' });
  const duplicate = await send('insertMany', { docs: [{ _id: 9, title: 'a' }], ordered: true });
  expect(duplicate).toEqual({
    error: { code: 'storage_duplicate_key', message: expect.stringMatching(/title: "a".*title_1/) },
  });
  expect(await result('deleteMany', { filter: {} })).toEqual({ deleted_count: 2 });
});

test('the answer to a write that names the default database of the account has is_default', async () => {
  const [first] = await app.sql<{ name: string }>(
    'SELECT name FROM mongo_databases WHERE owner_id = $1 ORDER BY id LIMIT 1',
    [ownerId],
  );
  const db = first?.name ?? '';
  const docs = { docs: [{ _id: 1 }], ordered: true };
  expect(await send('insertMany', docs, { db })).toMatchObject({ is_default: true });
  const again = await send('insertMany', docs, { db });
  expect(again).toMatchObject({ error: { code: 'storage_duplicate_key' }, is_default: true });
  for (const [method, more] of [
    ['insertMany', {}],
    ['countDocuments', { db }],
  ] as const) {
    expect(await send(method, method === 'insertMany' ? docs : { filter: {} }, more)).not.toHaveProperty('is_default');
  }
});

test('a resent insertMany stores each document once, whatever the first attempt stored', async () => {
  const docs = [1, 2, 3, 4].map(n => ({ n, _id: n }));
  await insert(docs.slice(0, 2));
  expect(await insert(docs, { resend: true })).toEqual({ inserted_count: 4 });
  expect(await insert(docs, { resend: true })).toEqual({ inserted_count: 4 });
  expect(await result('countDocuments', { filter: {} })).toEqual({ count: 4 });
  expect(await code('insertMany', { docs: [{ _id: 1, n: 'other' }], ordered: true }, { resend: true })).toBe(
    'storage_duplicate_key',
  );
  expect(await code('insertMany', { docs, ordered: true })).toBe('storage_duplicate_key');
  // A stored document that is larger than all that were sent.
  await result('updateOne', { filter: { _id: 4 }, update: { $set: { text: 'x'.repeat(1_000) } }, upsert: false });
  expect(await code('insertMany', { docs, ordered: true }, { resend: true })).toBe('storage_duplicate_key');
});

test('MongoDB values and ids of every type are stored and returned byte for byte', async () => {
  const values = {
    int: new Int32(5),
    double: new Double(6),
    long: Long.fromString('9007199254740993'),
    decimal: Decimal128.fromString('0.10'),
    date: new Date(-5),
    id: new ObjectId(),
    uuid: new UUID(),
    data: new Binary(Buffer.from([0, 255]), 128),
    timestamp: new Timestamp({ t: 1, i: 2 }),
    pattern: new BSONRegExp('(?i)^a', 'ms'),
    symbol: new BSONSymbol('s'),
    ref: new DBRef('books', new ObjectId()),
    least: new MinKey(),
    most: new MaxKey(),
    nested: { list: [null, true, { '': 'ä' }] },
  };
  const ids = Object.values(values).filter(value => !(value instanceof BSONRegExp));
  const docs = ids.map((_id, n) => ({ _id, n, ...values }));
  await insert(docs);
  const answer = (await send('find', { filter: {}, sort: { n: 1 } })) as { result: Uint8Array };
  const { docs: found } = deserialize(answer.result) as { docs: Binary };
  expect(Buffer.from(found.buffer)).toEqual(Buffer.concat(docs.map(doc => serialize(doc))));
});

test('a MongoDB operation is refused if its arguments are not valid BSON', async () => {
  const whole = Buffer.from(encodeMessage({ filter: { a: 'text' } }));
  const broken = [
    Buffer.alloc(0),
    Buffer.from('{"filter":{}}'),
    whole.subarray(0, whole.length - 1),
    Buffer.concat([whole, whole]),
    Buffer.alloc(600_000),
    serialize({ filter: [1] }),
    serialize({ filter: new Binary(whole) }),
  ];
  for (const args of broken) {
    const answer = await operations.run(ownerId, executionId, { collection, method: 'find', args, resend: false });
    expect(answer).toEqual({
      error: { code: expect.stringMatching(/rejected|too_large/), message: expect.any(String) },
    });
  }
  for (const docs of [new Binary(), new Binary(whole.subarray(4)), [{ _id: 1 }], 'text']) {
    const args = serialize({ docs, ordered: true });
    const answer = await operations.run(ownerId, executionId, {
      collection,
      method: 'insertMany',
      args,
      resend: false,
    });
    expect(answer).toMatchObject({ error: { code: 'storage_rejected', message: expect.stringMatching(/docs|BSON/) } });
  }
});

test('a resent updateOne is not repeated if it could change the data twice', async () => {
  await insert([
    { _id: 1, url: 'a', n: 1 },
    { _id: 2, url: 'twice', n: 1 },
    { _id: 3, url: 'twice', n: 1 },
  ]);
  const again = (filter: object, update: object) =>
    code('updateOne', { filter, update, upsert: false }, { resend: true });
  expect(await again({ _id: 1 }, { $inc: { n: 1 } })).toBe('storage_outcome_unknown');
  expect(await again({ url: 'twice' }, { $set: { n: 5 } })).toBe('storage_outcome_unknown');
  expect(await again({ url: 'a' }, { $set: { n: 5 } })).toContain('"matched_count":1');
  expect((await result('find', { filter: {}, sort: { _id: 1 } })).docs.map((doc: { n: number }) => doc.n)).toEqual([
    5, 1, 1,
  ]);
});

test('a filter applies a regular expression and the other conditions of the same field', async () => {
  await insert([{ _id: 'ab' }, { _id: 'abc' }, { _id: 'b' }]);
  expect(await result('deleteMany', { filter: { _id: { $regex: '^a', $ne: 'ab' } } })).toEqual({ deleted_count: 1 });
  expect((await result('find', { filter: {} })).docs).toEqual([{ _id: 'ab' }, { _id: 'b' }]);
});

test('a MongoDB cursor of a run returns every document once, and repeats a batch on request', async () => {
  await insert(Array.from({ length: 25 }, (_, n) => ({ _id: n })));
  const first = await result('find', { filter: {}, sort: { _id: 1 }, batch_size: 10 });
  const second = await result('next', { cursor: first.cursor });
  expect(await result('next', { cursor: first.cursor })).toEqual(second);
  const third = await result('next', { cursor: second.cursor });
  expect([...first.docs, ...second.docs, ...third.docs].map(({ _id }) => _id)).toEqual(
    Array.from({ length: 25 }, (_, n) => n),
  );
  expect(third.cursor).toBeNull();
  expect(await result('next', { cursor: second.cursor })).toEqual(third);
});

test('a batch of a MongoDB cursor stays below the size limit of an answer', async () => {
  for (let n = 0; n < 4; n++) await insert([{ _id: n, text: 'x'.repeat(300_000) }]);
  let page = await result('find', { filter: {} });
  const sizes = [page.docs.length];
  while (page.cursor) {
    page = await result('next', { cursor: page.cursor });
    sizes.push(page.docs.length);
  }
  expect(sizes).toEqual([1, 1, 1, 1]);
});

test('MongoDB cursors are limited, belong to their run, and close when idle or when the run ends', async () => {
  await insert([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  const open = () => result('find', { filter: {}, batch_size: 1 });
  const { cursor } = await open();
  const stranger = await operations.run(ownerId, randomUUID(), {
    collection,
    method: 'next',
    args: encodeMessage({ cursor }),
    resend: false,
  });
  expect(stranger).toMatchObject({ error: { code: 'storage_cursor_lost' } });
  await expect(
    (async () => {
      for (let n = 0; n < MAX_CURSORS_PER_RUN; n++) await open();
    })(),
  ).rejects.toThrow('storage_rejected');
  await operations.end(executionId);
  expect(await code('next', { cursor })).toBe('storage_cursor_lost');
  const idle = await open();
  cursors.closeIdle(performance.now() + 1);
  expect(await code('next', { cursor: idle.cursor })).toBe('storage_cursor_lost');
});

test.each([
  ['find', { filter: { $where: '1' } }, '$where'],
  ['aggregate', { pipeline: [{ $out: { db: 'admin', coll: 'x' } }] }, '$out'],
  [
    'updateOne',
    { filter: {}, update: [{ $set: { a: { $function: { body: 'x', args: [], lang: 'js' } } } }], upsert: false },
    '$function',
  ],
  ['insertMany', { docs: [{ a: 1 }], ordered: true }, '_id'],
  ['find', { filter: {}, hint: 'x' }, 'hint'],
  ['find', { filter: { $foo: 1 } }, '$foo'],
] as const)(
  'the MongoDB operation %s %j is refused, and the error names the forbidden part',
  async (method, args, named) => {
    expect(await send(method, args)).toEqual({
      error: { code: 'storage_rejected', message: expect.stringContaining(named) },
    });
  },
);

test('a MongoDB operation of a run cannot reach the database admin or a system collection', async () => {
  expect(await code('find', { filter: {} }, { db: 'admin' })).toBe('storage_rejected');
  collection = 'system.users';
  expect(await code('find', { filter: {} })).toBe('storage_rejected');
});

test('a MongoDB operation of a run reports that MongoDB is unreachable', async () => {
  const before = { connection, cursors };
  const lost = operationsOn('mongodb://127.0.0.1:1/?directConnection=true');
  const answer = await lost.run(ownerId, executionId, {
    collection,
    method: 'updateMany',
    args: encodeMessage({ filter: {}, update: { $inc: { a: 1 } }, upsert: false }),
    resend: false,
  });
  await connection.close();
  ({ connection, cursors } = before);
  expect(answer).toMatchObject({ error: { code: 'storage_unavailable' } });
});

test('MongoDB operations of a run report an outage without the address of MongoDB, and work after it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trawl-mongo-'));
  const path = join(folder, 'mongodb.sock');
  const sockets = new Set<Socket>();
  const [, host = ''] = /^mongodb:\/\/([^/?]+)/.exec(app.config.mongodbUri) ?? [];
  const target = decodeURIComponent(host);
  const [hostname, port] = target.split(':');
  const server = createServer(client => {
    const upstream = target.startsWith('/') ? connect(target) : connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>(resolve => server.listen(path, resolve));
  const before = { connection, cursors, operations };
  operations = operationsOn(`mongodb://${encodeURIComponent(path)}/?directConnection=true`);
  try {
    await insert([{ _id: 1 }]);
    const closed = new Promise(resolve => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
    for (let n = 2; n < 5; n++) {
      expect(await send('insertMany', { docs: [{ _id: n }], ordered: true })).toEqual({
        error: { code: 'storage_unavailable', message: 'MongoDB cannot be reached right now.' },
      });
    }
    await new Promise<void>(resolve => server.listen(path, resolve));
    // Send the operation again until MongoDB is back, as the worker does.
    let answer: string;
    do answer = await code('insertMany', { docs: [{ _id: 2 }], ordered: true }, { resend: true });
    while (answer === 'storage_unavailable');
    expect(answer).toContain('inserted_count');
  } finally {
    await connection.close();
    for (const socket of sockets) socket.destroy();
    await new Promise(resolve => server.close(resolve));
    ({ connection, cursors, operations } = before);
    await rm(folder, { recursive: true, force: true });
  }
});

describe('MongoDB documents over the API', () => {
  test('are listed, read, changed and deleted by an _id of any type', async () => {
    const api = await app.as('developer');
    const [database] = (await api('GET', '/joint-api/mongo-databases/list')).body.items;
    const id = new ObjectId();
    await insert([
      { _id: id, n: 1, at: new Date(0) },
      { _id: id.toHexString(), n: 2 },
      { _id: 7, n: 3 },
      { _id: '7', n: 4 },
    ]);
    const at = `/joint-api/mongo/${database.id}/${collection}`;
    const n = async (path: string) => (await api('GET', `${at}/${path}`)).body.n;
    expect([await n(`${id}`), await n(`${id}?id_type=string`), await n('7'), await n('7?id_type=number')]).toEqual([
      1, 2, 4, 3,
    ]);
    expect((await api('GET', `${at}/list?sort=-n&limit=2&select=n`)).body).toEqual({
      total: 4,
      limit: 2,
      skip: 0,
      next: expect.any(String),
      items: [
        { _id: '7', n: 4 },
        { _id: 7, n: 3 },
      ],
    });
    expect(
      (await api('PUT', `${at}/${id}`, { _id: { $oid: `${id}` }, n: 10, at: { $date: '2026-01-01T00:00:00Z' } })).body,
    ).toEqual({ _id: { $oid: `${id}` }, n: 10, at: { $date: '2026-01-01T00:00:00Z' } });
    for (const body of [{ $set: { n: 1 } }, { 'a.b': 1 }, { _id: 5 }, {}, { a: { $inc: 1 } }]) {
      expect([body, (await api('PUT', `${at}/${id}`, body)).body.error_code]).toEqual([body, 'validation_failed']);
    }
    expect((await api('DELETE', `${at}/${id}`)).body).toEqual({ deleted: { documents: 1 } });
    expect(await n(`${id}`)).toBe(2);
    expect((await api('GET', `${at}/nobody`)).status).toBe(404);
    const collections = (await api('GET', `/joint-api/mongo-collections/${database.id}/list`)).body.items;
    expect(collections.find(({ name }: { name: string }) => name === collection)).toMatchObject({
      count: 3,
      size: expect.any(Number),
    });
    const others = await app.as('admin');
    expect((await others('GET', `${at}/list`)).status).toBe(404);
    expect((await others('GET', `/joint-api/mongo-collections/${database.id}/list`)).status).toBe(404);
  });
  test('an integer beyond the safe range stays exact, as an _id and in answers', async () => {
    const api = await app.as('developer');
    const [database] = (await api('GET', '/joint-api/mongo-databases/list')).body.items;
    const at = `/joint-api/mongo/${database.id}/${collection}`;
    const [even, odd] = ['9007199254740992', '9007199254740993'].map(text => Long.fromString(text));
    await insert([{ _id: even, n: odd, list: [{ n: odd }] }, { _id: odd }]);
    const exact = { $numberLong: '9007199254740993' };
    expect((await api('GET', `${at}/list`)).body.items).toEqual([
      { _id: exact },
      { _id: 2 ** 53, n: exact, list: [{ n: exact }] },
    ]);
    expect((await api('PUT', `${at}/9007199254740993`, { _id: exact, n: exact })).body).toEqual({
      _id: exact,
      n: exact,
    });
    expect((await api('DELETE', `${at}/9007199254740993?id_type=number`)).status).toBe(200);
    for (const other of ['9007199254740993', '9007199254740992.5', '9.007199254740993e15']) {
      expect([other, (await api('DELETE', `${at}/${other}`)).status]).toEqual([other, 404]);
    }
    expect((await api('DELETE', `${at}/9007199254740992`)).body).toEqual({ deleted: { documents: 1 } });
  });

  test.each([
    ['v.$symbol', { v: { $symbol: 1 } }],
    ['v', { v: { $date: 'x' } }],
    ['v.a.0', { v: { a: [{ $numberInt: '1.5' }] } }],
    ['v', { v: { $oid: 'x' } }],
    ['v', { v: { $numberLong: '99999999999999999999' } }],
    ['v', { v: { $numberDouble: 'much' } }],
    ['v', { v: { $numberDecimal: '1.2.3' } }],
    ['v', { v: { $binary: { base64: '?', subType: '00' } } }],
    ['v', { v: { $timestamp: { t: -1, i: 0 } } }],
    ['v', { v: { $oid: '64b7f0c2a1d3e4f5a6b7c8d9', more: 1 } }],
    ['v.$code', { v: { $code: 'return 1' } }],
    ['v._bsontype', { v: { _bsontype: 'Long' } }],
    ['v.$undefined', { v: { $undefined: true } }],
  ])('malformed Extended JSON is refused, and the error names the field %s: %j', async (field, body) => {
    const api = await app.as('developer');
    const [database] = (await api('GET', '/joint-api/mongo-databases/list')).body.items;
    await insert([{ _id: 1 }]);
    expect(await api('PUT', `/joint-api/mongo/${database.id}/${collection}/1`, body)).toMatchObject({
      status: 400,
      body: { error_code: 'validation_failed', details: [{ field }] },
    });
    expect((await result('find', { filter: {} })).docs).toEqual([{ _id: 1 }]);
  });

  test('every BSON type survives a round trip', async () => {
    const api = await app.as('developer');
    const [database] = (await api('GET', '/joint-api/mongo-databases/list')).body.items;
    const at = `/joint-api/mongo/${database.id}/${collection}`;
    await insert([{ _id: 'x' }]);
    const document = {
      _id: 'x',
      oid: { $oid: '64b7f0c2a1d3e4f5a6b7c8d9' },
      date: { $date: '2026-01-01T00:00:00.5Z' },
      old: { $date: { $numberLong: '-62135596800000' } },
      decimal: { $numberDecimal: '1.50' },
      nan: { $numberDouble: 'NaN' },
      binary: { $binary: { base64: 'AAE=', subType: '00' } },
      uuid: { $binary: { base64: 'ASNFZ4mrTe+BI0VniavN7w==', subType: '04' } },
      timestamp: { $timestamp: { t: 1, i: 2 } },
      regex: { $regularExpression: { pattern: '^a', options: 'i' } },
      min: { $minKey: 1 },
      max: { $maxKey: 1 },
      ref: { $ref: 'books', $id: 5 },
      list: [1, 2.5, 3_000_000_000, -0.5, null, true, { a: {} }, []],
      constructor: 'C',
    };
    await api('PUT', `${at}/x`, document);
    expect((await api('GET', `${at}/x`)).body).toEqual({ ...document, date: { $date: '2026-01-01T00:00:00.500Z' } });
  });

  test('are refused if they are nested too deeply', async () => {
    const api = await app.as('developer');
    const [database] = (await api('GET', '/joint-api/mongo-databases/list')).body.items;
    const at = `/joint-api/mongo/${database.id}/${collection}/1`;
    await insert([{ _id: 1 }]);
    const nested = (levels: number) => `{"v":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    for (const levels of [81, 500, 50_000]) {
      expect(await api('PUT', at, nested(levels))).toMatchObject({
        status: 400,
        body: { error_message: expect.stringMatching(/levels deep|nested too deeply/) },
      });
    }
    expect((await api('PUT', at, nested(79))).status).toBe(200);
  });
});

describe('rows with a key', () => {
  const row = (n: number, at: number, key: string | null = 'k') => ({
    key,
    doc: { _id: new ObjectId(), _at: new Date(at), n },
  });
  const [first, second] = ['019ab000-0000-7000-8000-000000000001', '019ab000-0000-7000-8000-000000000002'];
  const push = (run: string, rows: { key: string | null; doc: object }[], attempt = run === first ? 1 : 2) => {
    const args = encodeMessage({ docs: rows.map(({ doc }) => doc), keys: rows.map(({ key }) => key) });
    const operation = { collection, method: 'upsertRows' as const, args, resend: false };
    return operations.run(ownerId, run, operation, { firstId: first, attempt });
  };
  const stored = async () => {
    const { docs } = await result('find', { filter: {}, projection: { _id: 0, n: 1, _run: 1 } });
    return docs;
  };

  it('a copy of a call that arrives late, and a late call of an earlier attempt, replace no newer row', async () => {
    await push(first, [row(1, 10)]);
    await push(first, [row(2, 20)]);
    await push(first, [row(1, 10)]);
    expect(await stored()).toEqual([{ _run: first, n: 2 }]);
    // The clock of the next attempt may be behind.
    await push(second, [row(3, 5)]);
    await push(first, [row(4, 30)]);
    expect(await stored()).toEqual([{ _run: second, n: 3 }]);
  });

  it('a row of a retry replaces the one of the first attempt, also if the clocks of backends give it a lower id', async () => {
    const early = '019aaff0-0000-7000-8000-000000000000';
    await push(first, [row(1, 10)]);
    await push(early, [row(2, 5)], 2);
    expect(await stored()).toEqual([{ _run: early, n: 2 }]);
    await push(first, [row(3, 30)]);
    expect(await stored()).toEqual([{ _run: early, n: 2 }]);
  });

  it('rows without a key are stored once as they are, in the order of the call', async () => {
    const plain = { key: null, doc: { _id: new ObjectId(), _run: first, _at: new Date(1), _key: 'mine', n: 1 } };
    const rows = [row(0, 1, 'a'), plain, row(2, 1, 'b')];
    const counts = async (answer: Promise<StorageAnswer>) =>
      decodeMessage(((await answer) as { result: Buffer }).result);
    expect(await counts(push(first, rows))).toMatchObject({ matched_count: 0, upserted_count: 3 });
    await result('updateOne', { filter: { n: 1 }, update: { $set: { price: 9 } }, upsert: false });
    expect(await counts(push(first, rows))).toMatchObject({ matched_count: 3, upserted_count: 0 });
    const { docs } = await result('find', { filter: {} });
    expect(docs.map(({ n }: { n: number }) => n)).toEqual([0, 1, 2]);
    expect(docs[1]).toEqual({ ...plain.doc, price: 9 });
  });

  it('a push with keys inserts new rows and finds the others by the index of row keys, also by the one of an older version', async () => {
    const [owned] = await app.sql<{ db_name: string }>(
      'SELECT db_name FROM mongo_databases WHERE owner_id = $1 ORDER BY id LIMIT 1',
      [ownerId],
    );
    const db = connection.getClient().db(owned?.db_name);
    const isText = { $type: 'string' };
    const older = { unique: true, partialFilterExpression: { _first: isText, _key: isText } };
    await db.collection(collection).createIndex({ _first: 1, _key: 1 }, older);
    const calls: { updates?: object[] }[] = [];
    const watch = ({ command }: mongoose.mongo.CommandStartedEvent) => void calls.push(command);
    await push(first, [row(1, 10)]);
    connection.getClient().on('commandStarted', watch);
    await push(first, [row(1, 20, 'new'), row(1, 20)]);
    connection.getClient().off('commandStarted', watch);
    const writes = calls.filter(sent => 'insert' in sent || 'update' in sent);
    expect(writes).toMatchObject([{ insert: collection, maxTimeMS: 20_000 }, { maxTimeMS: 20_000 }]);
    const [update] = writes.flatMap(({ updates = [] }) => updates);
    const plan = await db.command({ explain: { update: collection, updates: [update] }, verbosity: 'queryPlanner' });
    expect(JSON.stringify(plan.queryPlanner.winningPlan)).toMatch(/"IXSCAN".*"keys_of_rows"/);
  });

  it('a push with keys names the documents that do not allow the index of row keys', async () => {
    await insert([1, 2].map(_id => ({ _id, _first: 'mine', _key: 'twice' })));
    expect(await push(first, [row(1, 10)])).toMatchObject({
      error: {
        code: 'storage_rejected',
        message: expect.stringMatching(new RegExp(`${collection}.*_first and _key: {"_first":"mine","_key":"twice"}`)),
      },
    });
  });

  it('a push with keys says that MongoDB did not build the index of row keys in time', async () => {
    const createIndexes = jest.fn(async () => {
      throw new mongoose.mongo.MongoServerError({ code: 50, message: 'operation exceeded time limit' });
    });
    const slow = { dbName: 'any', collectionName: collection, createIndexes } as unknown as mongoose.mongo.Collection;
    const ensuring = new CollectionLimitService().ensureRowKeys(slow, 20_000);
    await expect(ensuring).rejects.toThrow(`needs an index on ${collection}, and MongoDB did not build it within 20 s`);
    expect(createIndexes).toHaveBeenCalledWith([expect.anything()], { maxTimeMS: 20_000 });
  });

  it('concurrent calls with the same keys store each key once', async () => {
    const docs = (at: number) => Array.from({ length: 50 }, (_, n) => row(n, at, `k${n}`));
    const answers = await Promise.all([1, 2, 3, 4].map(at => push(first, docs(at))));
    expect(answers.map(answer => 'result' in answer)).toEqual([true, true, true, true]);
    expect(await stored()).toHaveLength(50);
  });

  it('a row without a time is refused, as is a call without a key or null for each row', async () => {
    expect(await push(first, [{ key: 'k', doc: { _id: 1 } }])).toMatchObject({ error: { code: 'storage_rejected' } });
    expect(await code('upsertRows', { docs: [row(1, 1).doc], keys: [] })).toBe('storage_rejected');
  });

  it('if MongoDB refuses a row, the error says how many before it are new, and how many have replaced one', async () => {
    await result('createIndex', { keys: { n: 1 }, unique: true });
    await push(first, [row(1, 1, 'a'), row(2, 1, 'b')]);
    const rows = [row(3, 2, 'a'), row(4, 2, 'b'), row(5, 2, 'c'), row(5, 2, 'd'), row(6, 2, 'e')];
    expect(await push(first, rows)).toMatchObject({
      error: { code: 'storage_duplicate_key', inserted_count: 1, modified_count: 2 },
    });
  });
});

// The last block, because it leaves more collections than a page of the API has.
describe('the contract of @trawl/storage', () => {
  const port = Symbol.for('trawl.storage');
  beforeAll(() => {
    // The worker keeps `uncounted` to itself.
    const send = ({ uncounted: _, ...request }: { uncounted?: boolean }) =>
      operations.run(ownerId, executionId, storageOperationSchema.parse({ ...request, resend: false }));
    Object.assign(globalThis, { [port]: send });
  });
  afterAll(() => Reflect.deleteProperty(globalThis, port));
  describeStorage();
});
