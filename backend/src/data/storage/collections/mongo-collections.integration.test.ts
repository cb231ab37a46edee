import { randomUUID } from 'node:crypto';
import { deserialize, serialize } from 'bson';
import { withClock } from '../../../../test/clock/test-clock.js';
import { appForFile, startTestApp, type TestApp } from '../../../../test/test-app.js';
import { databaseForFile, makeDatabase } from '../../../../test/test-mongo.js';
import { until } from '../../../../test/until.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { StorageOperationsService } from '../runs/storage-operations.service.js';

const DATABASES = '/joint-api/mongo-databases';

const { app } = appForFile();
const database = databaseForFile(app);
let collections: string;
beforeAll(async () => {
  collections = `/joint-api/mongo-collections/${database.id}`;
});

describe('MongoDB databases', () => {
  it('are created, renamed and read with their size; answers never contain their internal name', async () => {
    const made = await database.api('POST', `${DATABASES}/addnew`, { name: 'prices 2026' });
    expect([made.status, made.body.name]).toEqual([201, 'prices 2026']);
    expect((await database.api('POST', `${DATABASES}/addnew`, { name: 'prices 2026' })).body.error_code).toBe(
      'name_taken',
    );
    const at = `${DATABASES}/${made.body.id}`;
    expect((await database.api('PUT', at, { ...made.body, name: 'Preise' })).body).toMatchObject({ name: 'Preise' });
    expect((await database.api('PUT', at, { name: 'main' })).body.error_code).toBe('name_taken');
    await database.api('POST', `/joint-api/mongo/${made.body.id}/books/addnew`, { title: 'Deep' });
    const { body } = await database.api('GET', at);
    expect(body).toMatchObject({ name: 'Preise', collections: 1, documents: 1, size: expect.any(Number) });
    expect(JSON.stringify(body)).not.toContain(made.body.id.replaceAll('-', ''));
    for (const name of ['', ' a', 'a/b', 'a\u0000', 'x'.repeat(61)]) {
      expect([name, (await database.api('POST', `${DATABASES}/addnew`, { name })).status]).toEqual([name, 400]);
    }
  });

  it('that an administrator shares can be read, but not changed, by all accounts and their runs', async () => {
    const [admin, developer] = [await app.as('admin'), await app.as('developer')];
    const name = 'catalogue';
    const { id } = (await admin('POST', `${DATABASES}/addnew`, { name })).body;
    const documents = `/joint-api/mongo/${id}/books`;
    const _id = 'emma';
    await admin('POST', `${documents}/addnew`, { _id, title: 'Emma' });
    const within = `/joint-api/mongo-collections/${id}`;
    const reads: [string, string, object?][] = [
      ['GET', `${DATABASES}/${id}`],
      ['GET', `${within}/list`],
      ['GET', `${within}/books`],
      ['GET', `${within}/books/indexes/list`],
      ['GET', `${documents}/list`],
      ['GET', `/joint-api/mongo/${name}/books/list`],
      ['GET', `${documents}/${_id}`],
      ['GET', `${documents}/count`],
      ['GET', `${documents}/distinct?field=title`],
      ['POST', `${documents}/aggregate`, { pipeline: [] }],
      ['GET', `${documents}/csv`],
      ['GET', `${documents}/export?format=ndjson`],
    ];
    const writes: [string, string, object?][] = [
      ['POST', `${documents}/addnew`, { title: 'Mine' }],
      ['POST', `${documents}/addnew-many`, { documents: [{ title: 'Mine' }] }],
      ['POST', `${documents}/update-many`, { filter: {}, update: { $set: { title: 'Mine' } } }],
      ['POST', `${documents}/delete-many`, { filter: { title: 'Emma' } }],
      ['PUT', `${documents}/${_id}`, { title: 'Mine' }],
      ['DELETE', `${documents}/${_id}`],
      ['POST', `${within}/addnew`, { name: 'mine' }],
      ['POST', `${within}/books/copy`, { to: 'mine' }],
      ['POST', `${within}/books/rename`, { to: 'mine' }],
      ['DELETE', `${within}/books`],
      ['POST', `${within}/books/indexes/addnew`, { keys: { title: 1 } }],
      ['DELETE', `${within}/books/indexes/title_1`],
    ];
    /** Returns the calls that the developer does not get this status for. */
    const others = async (status: number, calls: typeof reads) => {
      const all: string[] = [];
      for (const [method, path, body] of calls) {
        const answer = await developer(method, path, body);
        if (answer.status !== status) all.push(`${answer.status} ${method} ${path} ${JSON.stringify(answer.body)}`);
      }
      return all;
    };
    expect(await others(404, [...reads, ...writes])).toEqual([]);
    expect((await developer('GET', `${DATABASES}/list?shared=true`)).body.items).toEqual([]);
    expect((await admin('PUT', `${DATABASES}/${id}`, { shared: true })).body).toMatchObject({ name, shared: true });
    const { items } = (await developer('GET', `${DATABASES}/list?shared=true`)).body;
    expect(items).toMatchObject([{ id, name, shared: true, read_only: true }]);
    const own = (await developer('GET', `${DATABASES}/list`)).body.items;
    expect(own.map((one: { id: string }) => one.id)).not.toContain(id);
    expect(await others(200, reads)).toEqual([]);
    expect(await others(403, writes)).toEqual([]);
    expect((await developer('PUT', `${DATABASES}/${id}`, { shared: false })).status).toBe(404);
    expect((await developer('DELETE', `${DATABASES}/${id}`)).status).toBe(404);
    const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
    const run = async (method: 'countDocuments' | 'deleteMany') => {
      const operation = { method, db: name, collection: 'books', args: serialize({ filter: {} }), resend: false };
      const answer = await app.part(StorageOperationsService).run(String(user?.id), randomUUID(), operation);
      return 'error' in answer ? answer.error.message : deserialize(answer.result);
    };
    expect(await run('countDocuments')).toEqual({ count: 1 });
    expect(await run('deleteMany')).toContain('shared for reading only');
    expect((await admin('GET', `${documents}/list`)).body.items).toEqual([{ _id, title: 'Emma' }]);
    await app.sql(`UPDATE users SET role = 'developer' WHERE username = 'admin'`);
    expect((await developer('GET', `${DATABASES}/list?shared=true`)).body.items).toEqual([]);
    await app.sql(`UPDATE users SET role = 'admin' WHERE username = 'admin'`);
    await admin('PUT', `${DATABASES}/${id}`, { shared: false });
    expect(await others(404, reads)).toEqual([]);
    await admin('DELETE', `${DATABASES}/${id}`);
  });

  it('cannot be shared by developers', async () => {
    const developer = await app.as('developer');
    const [{ id }] = (await developer('GET', `${DATABASES}/list`)).body.items;
    const { status, body } = await developer('PUT', `${DATABASES}/${id}`, { shared: true });
    expect([status, body.error_code]).toEqual([403, 'forbidden']);
  });

  it('stay within the account’s quota, even when created concurrently', async () => {
    const [{ n }] = (await app.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM mongo_databases WHERE owner_id = (SELECT id FROM users WHERE username = $1)',
      ['developer'],
    )) as [{ n: number }];
    await app.sql(`UPDATE users SET quotas = $1 WHERE username = 'developer'`, [JSON.stringify({ databases: n + 1 })]);
    const answers = await Promise.all(
      [1, 2, 3].map(one => database.api('POST', `${DATABASES}/addnew`, { name: `at once ${one}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429]);
    await app.sql(`UPDATE users SET quotas = '{}' WHERE username = 'developer'`);
  });

  it('stay deleted even if a late write creates them again', async () => {
    const doomed = await makeDatabase(app);
    await doomed.api('POST', `/joint-api/mongo/${doomed.id}/books/addnew-many`, { documents: [{ n: 1 }, { n: 2 }] });
    expect((await doomed.api('DELETE', `${DATABASES}/${doomed.id}`)).body).toEqual({
      deleted: { databases: 1, collections: 1, documents: 2 },
    });
    expect((await doomed.api('GET', `/joint-api/mongo/${doomed.id}/books/list`)).status).toBe(404);
    await doomed.db.collection('late').insertOne({ n: 3 });
    await withClock(3_600_000, () => app.part(DueWork).look());
    expect(await doomed.db.collection('late').countDocuments()).toBe(1);
    await app.sql(`UPDATE jobs SET run_at = now() WHERE kind = 'mongo_drop'`);
    await until(
      () => app.sql(`SELECT 1 FROM jobs WHERE kind = 'mongo_drop'`),
      open => open.length === 0,
    );
    expect(await doomed.db.listCollections().toArray()).toEqual([]);
    await doomed.close();
  });

  it('of another account are answered with 404 on every route', async () => {
    const admin = await app.as('admin');
    const documents = `/joint-api/mongo/${database.id}/books`;
    for (const [method, path, body] of [
      ['GET', `${DATABASES}/${database.id}`],
      ['PUT', `${DATABASES}/${database.id}`, { name: 'mine' }],
      ['DELETE', `${DATABASES}/${database.id}`],
      ['GET', `${collections}/books`],
      ['POST', `${collections}/books/copy`, { to: 'mine' }],
      ['POST', `${documents}/aggregate`, { pipeline: [] }],
      ['POST', `${documents}/delete-many`, { filter: { a: 1 } }],
    ] as const) {
      expect([path, (await admin(method, path, body)).body.error_code]).toEqual([path, 'not_found']);
    }
  });
});

describe('MongoDB collections', () => {
  it('are created, measured and dropped', async () => {
    const { name, at } = database.fresh();
    expect((await database.api('GET', `${collections}/${name}`)).status).toBe(404);
    expect((await database.api('POST', `${collections}/addnew`, { name })).body).toMatchObject({
      name,
      count: 0,
      indexes: 1,
    });
    expect((await database.api('POST', `${collections}/addnew`, { name })).body.error_code).toBe('name_taken');
    await database.api('POST', `${at}/addnew`, { title: 'Deep' });
    expect((await database.api('GET', `${collections}/${name}`)).body).toMatchObject({ count: 1, indexes: 1 });
    expect((await database.api('DELETE', `${collections}/${name}`)).body).toEqual({
      deleted: { collections: 1, documents: 1 },
    });
    expect((await database.api('DELETE', `${collections}/${name}`)).status).toBe(404);
  });

  it.each(['system.users', 'a$b', '.a', 'a.', '', 'x'.repeat(121)])('cannot be named %j', async name => {
    const source = database.fresh();
    await source.collection.insertOne({});
    for (const [path, body] of [
      ['addnew', { name }],
      [`${source.name}/rename`, { to: name }],
      [`${source.name}/copy`, { to: name }],
    ] as const) {
      expect([path, (await database.api('POST', `${collections}/${path}`, body)).status]).toEqual([path, 400]);
    }
  });

  it('are renamed; a rename never replaces another collection', async () => {
    const [one, other] = [database.fresh(), database.fresh()];
    await one.collection.insertOne({ n: 1 });
    await other.collection.insertOne({ n: 2 });
    const rename = (to: string) => database.api('POST', `${collections}/${one.name}/rename`, { to });
    for (const to of [other.name, one.name]) expect((await rename(to)).body.error_code).toBe('name_taken');
    expect((await rename(`${one.name}-2`)).body).toMatchObject({ name: `${one.name}-2`, count: 1 });
    expect((await rename('x')).status).toBe(404);
    expect(await other.collection.countDocuments()).toBe(1);
  });

  it('are copied with their indexes; a copy replaces another collection only with overwrite', async () => {
    const [source, target] = [database.fresh(), database.fresh()];
    await source.collection.insertMany(Array.from({ length: 500 }, (_, n) => ({ n })));
    await source.collection.createIndex({ n: -1 }, { unique: true, name: 'by-n' });
    await target.collection.insertOne({ old: true });
    const copy = (body: object) => database.api('POST', `${collections}/${source.name}/copy`, body);
    expect((await copy({ to: target.name })).body.error_code).toBe('name_taken');
    expect((await copy({ to: source.name, overwrite: true })).body.error_code).toBe('name_taken');
    expect(await target.collection.countDocuments({ old: true })).toBe(1);
    expect(await copy({ to: target.name, overwrite: true })).toMatchObject({
      status: 201,
      body: { name: target.name, count: 500, indexes: 2 },
    });
    expect(await target.collection.find().sort({ _id: 1 }).toArray()).toEqual(
      await source.collection.find().sort({ _id: 1 }).toArray(),
    );
    expect((await target.collection.indexes())[1]).toMatchObject({ name: 'by-n', key: { n: -1 }, unique: true });
    const names = (await database.api('GET', `${collections}/list?limit=1000`)).body.items.map(
      ({ name }: { name: string }) => name,
    );
    expect(names.filter((name: string) => name.startsWith('copying-'))).toEqual([]);
    expect((await database.api('POST', `${collections}/nowhere/copy`, { to: 'x' })).status).toBe(404);
  });
});

describe('MongoDB indexes', () => {
  it('are listed, created and deleted; duplicates and deleting the _id index are refused', async () => {
    const { name, collection } = database.fresh();
    const at = `${collections}/${name}/indexes`;
    expect((await database.api('GET', `${at}/list`)).status).toBe(404);
    await collection.insertMany([{ price: 1 }, { price: 1 }]);
    const add = (body: object) => database.api('POST', `${at}/addnew`, body);
    const made = { name: 'price_-1__id_-1', keys: { price: -1, _id: -1 }, unique: false, sparse: false };
    expect(await add({ keys: made.keys })).toMatchObject({ status: 201, body: made });
    for (const body of [{ keys: made.keys }, { keys: made.keys, name: 'other' }, { keys: { a: 1 }, name: made.name }]) {
      expect([body, (await add(body)).body.error_code]).toEqual([body, 'name_taken']);
    }
    expect((await add({ keys: { price: 1 }, unique: true })).body.error_code).toBe('storage_duplicate_key');
    expect((await add({ keys: { at: 1 }, sparse: true, expire_after_s: 60 })).body).toEqual({
      name: 'at_1',
      keys: { at: 1 },
      unique: false,
      sparse: true,
      expire_after_s: 60,
    });
    expect((await add({ keys: { title: 'text' } })).body.keys).toEqual({ title: 'text' });
    const { items } = (await database.api('GET', `${at}/list`)).body;
    expect(items.map((index: { name: string }) => index.name)).toEqual(['_id_', made.name, 'at_1', 'title_text']);
    expect((await database.api('DELETE', `${at}/${made.name}`)).body).toEqual({ deleted: { indexes: 1 } });
    for (const other of [made.name, '*', 'nope']) {
      expect([other, (await database.api('DELETE', `${at}/${encodeURIComponent(other)}`)).status]).toEqual([
        other,
        404,
      ]);
    }
    expect((await database.api('DELETE', `${at}/_id_`)).status).toBe(422);
    expect(await collection.indexes()).toHaveLength(3);
  });

  it.each([
    [{ keys: {} }, 'keys'],
    [{ keys: [] }, 'keys'],
    [{ keys: { $where: 1 } }, 'keys'],
    [{ keys: { '$**': 1 } }, 'keys'],
    [{ keys: { a: 2 } }, 'keys.a'],
    [{ keys: { a: 1, b: 1 }, expire_after_s: 1 }, 'expire_after_s'],
    [{ keys: { a: 1 }, name: '*' }, 'name'],
  ])('are refused with the invalid definition %j', async (body, field) => {
    const { name, collection } = database.fresh();
    await collection.insertOne({});
    const answer = await database.api('POST', `${collections}/${name}/indexes/addnew`, body);
    expect([answer.status, answer.body.details?.[0].field]).toEqual([400, field]);
  });

  it('are limited to 32 per collection', async () => {
    const { name, collection } = database.fresh();
    for (let n = 1; n < 32; n++) await collection.createIndex({ [`f${n}`]: 1 });
    expect(
      (await database.api('POST', `${collections}/${name}/indexes/addnew`, { keys: { last: 1 } })).body.error_code,
    ).toBe('quota_exceeded');
  });
});

describe('while MongoDB is down', () => {
  let down: TestApp;
  beforeAll(async () => {
    down = await startTestApp({ settings: { mongodbUri: 'mongodb://127.0.0.1:1/?directConnection=true' } });
  });
  afterAll(() => down?.close());

  it('routes that need MongoDB answer 503 and all others work', async () => {
    const api = await down.as('developer');
    const { id } = (await api('POST', `${DATABASES}/addnew`, { name: 'elsewhere' })).body;
    const documents = `/joint-api/mongo/${id}/books`;
    const answers = await Promise.all([
      api('GET', `${documents}/list`),
      api('POST', `${documents}/addnew`, { a: 1 }),
      api('POST', `${documents}/update-many`, { filter: {}, update: { $inc: { n: 1 } } }),
      api('POST', `/joint-api/mongo-collections/${id}/addnew`, { name: 'books' }),
      api('GET', `${DATABASES}/${id}`),
      api('DELETE', `${DATABASES}/${id}`),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(
      answers.map(() => [503, 'storage_unavailable']),
    );
    expect((await api('PUT', `${DATABASES}/${id}`, { name: 'still here' })).status).toBe(200);
    expect((await api('GET', `${DATABASES}/list`)).body.items).toHaveLength(2);
    expect((await api('GET', '/joint-api/skripts/list')).status).toBe(200);
  });
});
