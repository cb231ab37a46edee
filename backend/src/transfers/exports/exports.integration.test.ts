import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Decimal128, Long } from 'bson';
import { parse } from 'csv-parse/sync';
import { mongo } from 'mongoose';
import readXlsx from 'read-excel-file/node';
import { withClock } from '../../../test/clock/test-clock.js';
import { mayMount, mountDisk, unmountDisk } from '../../../test/servers/test-disk.js';
import { appForFile } from '../../../test/test-app.js';
import { databaseForFile } from '../../../test/test-mongo.js';
import { until } from '../../../test/until.js';
import { MAX_CONCURRENT_CALLS } from '../../data/storage/access/mongo-call-limit.interceptor.js';
import { JobRunnerService } from '../../platform/jobs/job-runner.service.js';
import { MAX_ATTEMPTS } from '../../platform/jobs/jobs.repository.js';
import { ExportFilesService } from './export-files.service.js';

const { app, developer } = appForFile({ settings: { leaseMs: 2_000 } });
const database = databaseForFile(app);
const folder = () => join(app.config.dataDir, 'exports');

let at: string;
let name: string;
let collection: ReturnType<typeof database.fresh>['collection'];
beforeEach(() => {
  ({ at, name, collection } = database.fresh());
});

const books = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ n, title: `Book ${n}`, seller: { country: 'HR', rating: n / 2 } }));

const wideBooks = (count: number) => books(count).map(book => ({ ...book, wide: 'x'.repeat(10_000) }));

async function download(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const authorization = `Bearer ${await app.token('developer')}`;
  const response = await fetch(app.url + path, { method, headers: { authorization, ...headers } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

const start = async (body: object = {}) => {
  const { status, body: created } = await developer('POST', '/joint-api/exports/addnew', {
    db_id: database.id,
    collection: name,
    ...body,
  });
  expect(status).toBe(201);
  return created as { id: string; state: string };
};
const get = async (id: string) => (await developer('GET', `/joint-api/exports/${id}`)).body;
const ended = (id: string) =>
  until(
    () => get(id),
    ({ ended_at }) => ended_at !== null,
  );

describe('a download of a collection', () => {
  it('contains every document, as CSV, NDJSON, JSON and XLSX', async () => {
    await collection.insertMany([...books(2_500), { long: Long.fromString('9007199254740993') }]);
    const csv = await download(`${at}/export`);
    expect(csv.response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.response.headers.get('content-disposition')).toBe(`attachment; filename=${name}.csv`);
    const [head, ...rows] = parse(csv.bytes) as string[][];
    expect(head).toEqual(['_id', 'n', 'title', 'seller.country', 'seller.rating', 'long']);
    expect(rows).toHaveLength(2_501);
    expect(rows[2_499]?.slice(1)).toEqual(['2499', 'Book 2499', 'HR', '1249.5', '']);
    expect(rows[2_500]?.[5]).toBe('9007199254740993');

    const lines = (await download(`${at}/export?format=ndjson`)).bytes.toString().trimEnd().split('\n');
    expect(lines).toHaveLength(2_501);
    expect(JSON.parse(String(lines[1]))).toMatchObject({ n: 1, seller: { country: 'HR', rating: 0.5 } });
    expect(JSON.parse((await download(`${at}/export?format=json`)).bytes.toString())).toHaveLength(2_501);
    const [sheet] = await readXlsx((await download(`${at}/export?format=xlsx`)).bytes);
    expect(sheet?.data).toHaveLength(2_502);
  });

  it('contains only the documents that match the filter, and the chosen fields in their order', async () => {
    await collection.insertMany(books(5));
    const query = new URLSearchParams({ filter: '{"n":{"$gte":3}}', fields: 'seller.country,n' });
    const { bytes } = await download(`${at}/export?${query}`);
    expect(bytes.toString()).toBe('seller.country,n\nHR,3\nHR,4\n');
  });

  it.each([
    ['fields=a,a', 'names "a" twice'],
    ['fields=a.b,a', 'names both a and a field inside it'],
    ['fields=a,,b', 'is not a field name'],
    ['fields=$where', 'is not a field name'],
    ['format=pdf', 'csv, json, ndjson, extjson, xlsx, parquet'],
    ['filter={', 'is not valid JSON'],
  ])('is refused with the query %s', async (query, message) => {
    const { status, body } = await developer('GET', `${at}/export?${query}`);
    expect(status).toBe(400);
    expect(body.error_message).toContain(message);
  });

  it('is an empty file if the collection has no documents, and answers 404 if it does not exist', async () => {
    for (const format of ['csv', 'json']) {
      const { status, body } = await developer('GET', `${at}/export?format=${format}`);
      expect([status, body.error_message]).toEqual([404, `This database has no collection named ${name}.`]);
    }
    await database.db.createCollection(name);
    expect((await download(`${at}/export`)).bytes.toString()).toBe('');
    expect((await download(`${at}/export?format=json`)).bytes.toString()).toBe('[\n\n]\n');
  });

  it('is cut off if a new field appears while it is written, so that it cannot be taken for complete', async () => {
    // More than the buffers of a connection hold, so the export waits for its client.
    await collection.insertMany(wideBooks(2_000));
    const cut = new Promise<{ complete: boolean; bytes: number }>((resolve, reject) => {
      void app.token('developer').then(token => {
        const sent = request(`${app.url}${at}/export`, { headers: { authorization: `Bearer ${token}` } });
        sent.on('error', reject).on('response', async response => {
          let bytes = 0;
          response.once('readable', async () => {
            // The headers are here, so the columns are known. This document comes last.
            await collection.insertOne({ surprise: 1 });
            response.on('data', chunk => (bytes += chunk.length));
          });
          response.on('error', () => {}).on('close', () => resolve({ complete: response.complete, bytes }));
        });
        sent.end();
      });
    });
    expect(await cut).toMatchObject({ complete: false });
  });

  it('takes one of the account’s call slots until the client has read it or disconnects', async () => {
    await collection.insertMany(wideBooks(2_000));
    const token = await app.token('developer');
    const slow = await Promise.all(
      Array.from({ length: MAX_CONCURRENT_CALLS }, async () => {
        const sent = request(`${app.url}${at}/export?fields=wide`, { headers: { authorization: `Bearer ${token}` } });
        sent.end();
        const [response] = await once(sent, 'response');
        return { sent, response };
      }),
    );
    let isAnswered = false;
    const waiting = developer('GET', `${at}/count`).then(answer => {
      isAnswered = true;
      return answer;
    });
    await developer('GET', '/joint-api/account');
    expect(isAnswered).toBe(false);
    for (const { sent } of slow) sent.on('error', () => {}).destroy();
    expect((await waiting).body.total).toBe(2_000);
  });
});

describe('an export in the background', () => {
  it('writes a file that can be downloaded whole or in parts, and requested with HEAD', async () => {
    await collection.insertMany(books(1_000));
    const { id } = await start({ fields: 'n,title' });
    expect(await ended(id)).toMatchObject({
      state: 'done',
      source: 'collection',
      format: 'csv',
      file_name: `${name}.csv`,
      rows: 1_000,
    });
    const path = `/joint-api/exports/${id}/file`;
    const { bytes, response } = await download(path);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${name}.csv`);
    expect(bytes).toHaveLength((await get(id)).bytes);
    expect(parse(bytes)).toHaveLength(1_001);
    const part = await download(path, { range: 'bytes=5-9' });
    expect(part.response.status).toBe(206);
    expect(part.response.headers.get('content-range')).toBe(`bytes 5-9/${bytes.length}`);
    expect(part.bytes).toEqual(bytes.subarray(5, 10));
    const outside = await download(path, { range: `bytes=${bytes.length}-` });
    expect(outside.response.status).toBe(416);
    const head = await download(path, {}, 'HEAD');
    expect(head.response.headers.get('content-length')).toBe(String(bytes.length));
    expect(head.bytes).toHaveLength(0);
    expect(readdirSync(folder())).toContain(id);
  });

  it('as Parquet keeps numbers, times and booleans for DuckDB', async () => {
    await collection.insertMany([
      { n: 1, price: 1.5, at: new Date('1815-12-10T10:00:00.000Z'), yes: true, text: "it's", big: Long.MAX_VALUE },
      { n: 2, price: 2, at: new Date(0), yes: false, text: 'ž', decimal: Decimal128.fromString('0.10') },
    ]);
    const { id } = await start({ format: 'parquet' });
    await ended(id);
    const duckdb = await (await DuckDBInstance.create()).connect();
    const answer = await duckdb.runAndReadAll(
      `SELECT n, price, CAST("at" AS VARCHAR) AS "at", yes, text, big, decimal, typeof(n) AS type
       FROM read_parquet('${join(folder(), id)}') ORDER BY n`,
    );
    expect(answer.getRowObjects()).toEqual([
      {
        n: 1n,
        price: 1.5,
        at: expect.stringContaining('1815-12-10 10:00:00'),
        yes: true,
        text: "it's",
        big: 2n ** 63n - 1n,
        decimal: null,
        type: 'BIGINT',
      },
      {
        n: 2n,
        price: 2,
        at: expect.stringContaining('1970-01-01'),
        yes: false,
        text: 'ž',
        big: null,
        decimal: '0.10',
        type: 'BIGINT',
      },
    ]);
    duckdb.closeSync();
  });

  it.each([
    ['json', 4],
    ['ndjson', 4],
    ['xlsx', 3],
    ['csv', 0],
    ['extjson', 0],
    ['parquet', 0],
  ])('as %s counts the numbers that it had to write as text', async (format, count) => {
    await collection.insertMany([
      { a: Number.NaN, b: -Infinity },
      { a: Infinity, list: [{ c: Number.NaN }] },
      { a: 1 },
    ]);
    expect(await ended((await start({ format })).id)).toMatchObject({ state: 'done', numbers_as_text: count });
  });

  it('contains only documents that were added in the requested time', async () => {
    await collection.insertOne({ old: true });
    await collection.insertOne({ _id: 'no time', old: true });
    const { id } = await start({ added_from: new Date(Date.now() + 60_000).toISOString() });
    expect(await ended(id)).toMatchObject({ state: 'done', rows: 0 });
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const behind = await withClock(-7_200_000, async () => ended((await start({ added_from: anHourAgo })).id));
    expect(behind).toMatchObject({ state: 'done', rows: 1 });
    const other = await start({ added_before: new Date(Date.now() + 60_000).toISOString() });
    expect(await ended(other.id)).toMatchObject({ state: 'done', rows: 1 });
    const { id: all } = await start({ added_from: '1960-01-01T00:00:00Z', added_before: '2200-01-01T00:00:00Z' });
    expect(await ended(all)).toMatchObject({ state: 'done', rows: 1 });
  });

  it('that fails shows the reason and leaves no file', async () => {
    const wide = Object.fromEntries(Array.from({ length: 16_385 }, (_, n) => [`c${n}`, n]));
    await collection.insertOne(wide);
    const { id } = await start();
    expect(await ended(id)).toMatchObject({ state: 'failed', error_code: 'payload_too_large' });
    expect((await download(`/joint-api/exports/${id}/file`)).response.status).toBe(409);
    expect(readdirSync(folder()).filter(file => file.startsWith(id))).toEqual([]);
  });

  it('fails if the files of the account would exceed their limit of bytes', async () => {
    await collection.insertOne({ n: 1 });
    const { id } = await start({ fields: 'n' });
    await ended(id);
    const limit = (await get(id)).bytes + 9_999_999_000;
    await app.sql(`UPDATE jobs SET result = json_build_object('rows', 1, 'bytes', $2::bigint) WHERE id = $1`, [
      id,
      limit,
    ]);
    await collection.insertMany(books(100));
    const over = await start();
    expect(await ended(over.id)).toMatchObject({ state: 'failed', error_code: 'quota_exceeded' });
    await developer('DELETE', `/joint-api/exports/${id}`);
    expect(await ended((await start()).id)).toMatchObject({ state: 'done' });
  });

  it('can be cancelled or deleted, which also deletes its file', async () => {
    await collection.insertMany(books(20_000));
    const { id } = await start({ format: 'xlsx' });
    await developer('POST', `/joint-api/exports/${id}/cancel`);
    expect(await ended(id)).toMatchObject({ state: 'cancelled' });
    await until(
      () => readdirSync(folder()).filter(file => file.startsWith(id)),
      files => files.length === 0,
    );
    const kept = await start();
    await ended(kept.id);
    expect((await developer('DELETE', `/joint-api/exports/${kept.id}`)).body).toEqual({ deleted: { exports: 1 } });
    expect(existsSync(join(folder(), kept.id))).toBe(false);
    expect((await developer('GET', `/joint-api/exports/${kept.id}`)).status).toBe(404);
  });

  it('starts again after its backend was killed, and leaves no partial file', async () => {
    await collection.insertMany(books(100));
    // A killed backend leaves this behind: a job whose lease has ended, and part of a file.
    const { id } = await start();
    await ended(id);
    await app.sql(
      `UPDATE jobs SET state = 'running', attempt = 1, ended_at = NULL, result = NULL, lease_until = now() - interval '1 s'
       WHERE id = $1`,
      [id],
    );
    writeFileSync(join(folder(), `${id}.1.part`), 'half a li');
    app.part(JobRunnerService).flush();
    expect(await ended(id)).toMatchObject({ state: 'done', rows: 100 });
    expect(readdirSync(folder()).filter(file => file.startsWith(id))).toEqual([id]);
  });

  it('is retried without limit while MongoDB is unavailable, and then succeeds', async () => {
    await collection.insertMany(books(3));
    const outage = Object.assign(new Error('connection 1 closed'), { name: 'MongoNetworkError' });
    const { command } = mongo.Db.prototype;
    let failures = 0;
    jest.spyOn(mongo.Db.prototype, 'command').mockImplementation(function (this: mongo.Db, ...call) {
      if (!('find' in call[0])) return command.apply(this, call);
      failures += 1;
      if (failures <= MAX_ATTEMPTS) return Promise.reject(outage);
      return command.apply(this, call);
    });
    const { id } = await start();
    expect(await ended(id)).toMatchObject({ state: 'done', rows: 3 });
    expect(failures).toBeGreaterThan(MAX_ATTEMPTS);
    jest.restoreAllMocks();
  });

  it('is deleted with its file when its account is deleted', async () => {
    const admin = await app.as('admin');
    const signIn = { username: 'leaver@example.com', password: 'correct horse battery staple' };
    const { id: userId } = (await admin('POST', '/joint-api/users/addnew', { ...signIn, quotas: { databases: 5 } }))
      .body;
    const { jwtToken } = (await app.anonymous('POST', '/panel/login', signIn)).body;
    const leaver = app.bearer(jwtToken);
    const { id: dbId } = (await leaver('POST', '/joint-api/mongo-databases/addnew', { name: 'mine' })).body;
    await leaver('POST', `/joint-api/mongo/${dbId}/c/addnew`, { n: 1 });
    const { id } = (await leaver('POST', '/joint-api/exports/addnew', { db_id: dbId, collection: 'c' })).body;
    await until(
      async () => (await leaver('GET', `/joint-api/exports/${id}`)).body.state,
      state => state === 'done',
    );
    expect(existsSync(join(folder(), id))).toBe(true);
    expect((await admin('DELETE', `/joint-api/users/${userId}`)).status).toBe(200);
    expect(existsSync(join(folder(), id))).toBe(false);
    expect(await app.sql('SELECT 1 FROM jobs WHERE id = $1', [id])).toEqual([]);
  });

  it('has its file deleted by the sweep once its row is gone; old partial files are deleted as well', async () => {
    await collection.insertOne({ n: 1 });
    const { id } = await start();
    await ended(id);
    await app.sql('DELETE FROM jobs WHERE id = $1', [id]);
    const oldPart = join(folder(), `${randomUUID()}.1.part`);
    const kept = (await start()).id;
    await ended(kept);
    const newPart = join(folder(), `${kept}.7.part`);
    for (const path of [oldPart, newPart]) writeFileSync(path, 'half');
    await app.part(ExportFilesService).sweep();
    expect(readdirSync(folder())).toEqual(expect.arrayContaining([kept, `${kept}.7.part`]));
    expect([existsSync(join(folder(), id)), existsSync(oldPart)]).toEqual([false, false]);
    utimesSync(newPart, 0, 0);
    await app.part(ExportFilesService).sweep();
    expect(existsSync(newPart)).toBe(false);
  });

  it('answers 404 to other accounts', async () => {
    const { id } = await start();
    const admin = await app.as('admin');
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/file'],
      ['POST', '/cancel'],
      ['DELETE', ''],
    ]) {
      expect((await admin(String(method), `/joint-api/exports/${id}${path}`)).status).toBe(404);
    }
    expect((await admin('POST', '/joint-api/exports/addnew', { db_id: database.id, collection: name })).status).toBe(
      404,
    );
    expect((await admin('GET', `${at}/export`)).status).toBe(404);
    expect((await admin('GET', '/joint-api/exports/list')).body.total).toBe(0);
  });
});

describe('on a full disk', () => {
  (mayMount() ? it : it.skip)(
    'an export fails with the reason, leaves no partial file, and works again once there is space',
    async () => {
      await collection.insertMany(books(5_000));
      expect(mountDisk(folder(), 'size=64k')).toBe(true);
      try {
        expect(await ended((await start()).id)).toMatchObject({
          state: 'failed',
          error_code: 'service_unavailable',
          error_message: expect.stringContaining('disk is full'),
        });
        expect(readdirSync(folder())).toEqual([]);
      } finally {
        unmountDisk(folder());
      }
      expect(await ended((await start()).id)).toMatchObject({ state: 'done', rows: 5_000 });
    },
  );
});
