import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { mongo } from 'mongoose';
import { DataSource } from 'typeorm';
import { sampleOf } from '../../../../scripts/jest/sample.js';
import { withClock } from '../../../test/clock/test-clock.js';
import { appForFile } from '../../../test/test-app.js';
import { databaseForFile } from '../../../test/test-mongo.js';
import { until } from '../../../test/until.js';
import { ImportJobService } from './import-job.service.js';
import { ImportSweepService } from './import-sweep.service.js';
import { ImportsRepository } from './imports.repository.js';

const { app } = appForFile({ settings: { leaseMs: 6_000, importBytes: 8 * 1024 * 1024 } });
const database = databaseForFile(app);

type Body = Record<string, any>;

async function upload(file: string | Buffer, name = 'rows.csv'): Promise<Body> {
  const path = `/joint-api/imports/upload?file_name=${encodeURIComponent(name)}`;
  const { status, body } = await database.api('POST', path, Buffer.from(file), { 'content-type': 'text/csv' });
  expect([status, body.error_message]).toEqual([201, null]);
  return body;
}

const start = (id: string, collection: string, settings: object = {}) =>
  database.api('POST', `/joint-api/imports/${id}/start`, { db_id: database.id, collection, ...settings });

const get = async (id: string): Promise<Body> => (await database.api('GET', `/joint-api/imports/${id}`)).body;

const ended = (id: string) =>
  until(
    () => get(id),
    ({ state }) => !['queued', 'running'].includes(state),
  );

/** Imports a file, and returns the import when it has ended. */
async function imported(
  file: string | Buffer,
  collection: string,
  settings: object = {},
  name?: string,
): Promise<Body> {
  const { id } = await upload(file, name);
  const { status, body } = await start(id, collection, settings);
  // The job may have ended by now, and then its error is in the answer.
  if (status !== 202) throw new Error(body.error_message);
  return ended(id);
}

it('an upload is refused if its file name has a character that reverses the displayed order', async () => {
  const path = `/joint-api/imports/upload?file_name=${encodeURIComponent('rows\u202evsc.exe')}`;
  const { status, body } = await database.api('POST', path, Buffer.from('n\n1\n'), { 'content-type': 'text/csv' });
  expect([status, body.error_code, body.details?.[0]?.field]).toEqual([400, 'validation_failed', 'file_name']);
});

it('the sweep drops a staging collection that a late write made again, but not one of a running import', async () => {
  const { name } = database.fresh();
  const { id } = await imported('n\n1\n', name);
  await database.db.collection('importing-0000000000000001').insertOne({ late: true });
  await database.db.collection('importing-0000000000000002').insertOne({ late: false });
  await app.sql('UPDATE imports SET staging_db = $2, staging = $3 WHERE id = $1', [
    id,
    database.db.databaseName,
    'importing-0000000000000002',
  ]);
  await app.sql(
    `UPDATE jobs SET state = 'running', ended_at = NULL, lease_until = now() + interval '1 minute'
                 WHERE id = (SELECT job_id FROM imports WHERE id = $1)`,
    [id],
  );
  await app.part(ImportSweepService).sweep();
  expect(await leftovers()).toEqual(['importing-0000000000000002']);
  await app.sql(`UPDATE jobs SET state = 'done', ended_at = now() WHERE ended_at IS NULL`);
  await app.part(ImportSweepService).sweep();
});

it('a webhook gets an event when an import is done and when it has failed', async () => {
  const body = { name: 'of imports', url: 'https://receiver.invalid/', events: ['import.finished'] };
  const webhook = (await database.api('POST', '/joint-api/webhooks/addnew', body)).body;
  const { name } = database.fresh();
  const done = await imported('n\n1\n2\n', name, {}, 'done.csv');
  const failed = await imported('{"n":1}\n{', name, { format: 'ndjson' }, 'failed.ndjson');
  const rows = await app.sql<{ data: Body }>(
    `SELECT payload -> 'data' AS data FROM webhook_deliveries WHERE event = 'import.finished' ORDER BY created_at`,
  );
  expect(rows.map(({ data }) => data)).toEqual([
    expect.objectContaining({
      import: { id: done.id, name: 'done.csv' },
      state: 'done',
      inserted: 2,
      collection: name,
    }),
    expect.objectContaining({
      import: { id: failed.id, name: 'failed.ndjson' },
      state: 'failed',
      error_message: failed.error_message,
    }),
  ]);
  await database.api('DELETE', `/joint-api/webhooks/${webhook.id}`);
});

async function badRowsOf(id: string): Promise<string> {
  const headers = { authorization: `Bearer ${await app.token('developer')}` };
  return (await fetch(`${app.url}/joint-api/imports/${id}/bad-rows`, { headers })).text();
}

/** Everything in the collection without the `_id`s that Trawl made. */
const documentsIn = (collection: mongo.Collection, projection: object = { _id: 0 }) =>
  collection.find({}, { projection, sort: { _id: 1 } }).toArray();

async function developer(): Promise<string> {
  const [row] = await app.sql<{ owner_id: string }>('SELECT owner_id FROM mongo_databases WHERE id = $1', [
    database.id,
  ]);
  return String(row?.owner_id);
}

async function leftovers(): Promise<string[]> {
  const names = await database.db.listCollections({}, { nameOnly: true }).toArray();
  return names.map(({ name }) => name).filter(name => name.startsWith('importing-'));
}
afterEach(async () => {
  jest.restoreAllMocks();
  expect(await leftovers()).toEqual([]);
});

/** Imports all columns as text, and returns the rows of the exported CSV in the order of the file's columns. */
async function roundTrip(file: Buffer, settings: object = {}): Promise<{ names: string[]; rows: string[][] }> {
  const { name } = database.fresh();
  const { id } = await upload(file);
  const { columns } = (await database.api('GET', `/joint-api/imports/${id}/preview`)).body as { columns: Body[] };
  const texts = columns.map(({ index, field }) => ({ index, field, type: 'text' }));
  await start(id, name, { columns: texts, ...settings });
  expect(await ended(id)).toMatchObject({ state: 'done', error_message: null });
  const path = `/joint-api/mongo/${database.id}/${encodeURIComponent(name)}/export?escape_formulas=false`;
  const [header = [], ...rows] = parse((await database.api('GET', path)).body) as string[][];
  const places = columns.map(({ field }) => header.indexOf(field));
  return { names: columns.map(column => column.name), rows: rows.map(row => places.map(place => row[place] ?? '')) };
}

it('the preview adds later rows with non-ASCII letters, which show whether the encoding is right', async () => {
  const words = Array.from({ length: 200 }, (_, n) => (n < 100 ? `row ${n}` : `Čaša ${n}`));
  const { id } = await upload(Buffer.from(['word', ...words].join('\n')));
  const shown = async (query = '') => {
    const { documents } = (await database.api('GET', `/joint-api/imports/${id}/preview${query}`)).body as Body;
    return documents.map(({ word }: Body) => word);
  };
  expect(await shown()).toEqual([...words.slice(0, 20), ...words.slice(100, 105)]);
  expect((await shown('?encoding=windows-1252'))[20]).toBe('ÄŒaÅ¡a 100');
});

describe('a CSV file that is imported into MongoDB and exported again', () => {
  const wide = [Array.from({ length: 5_000 }, (_, n) => `c${n}`), Array.from({ length: 5_000 }, (_, n) => `${n}x`)];
  const hostile = [
    ['a', 'a', '', 'b.c', 'b.d', '$set', '_id.x', '__proto__', 'constructor', 'n\0l'],
    ['"', '""', 'x,y', '\r', '\n', '\r\n', ' ', '\0', '🎣', '=1+1'],
    ['', '007', '1,234', '-0', '+49', '1e5', 'x'.repeat(100_000), '\ufeff', '{', 'Žižek'],
  ];
  const latin = [
    ['a', 'b'],
    ['é;', 'ÿ'],
  ];

  const cases: [string, string[][], Buffer][] = [
    ['hostile cells and names', hostile, Buffer.from(stringify(hostile))],
    ['a byte order mark', hostile, Buffer.from(`\ufeff${stringify(hostile)}`)],
    ['UTF-16', hostile, Buffer.from(`\ufeff${stringify(hostile)}`, 'utf16le')],
    ['UTF-16 the other way round', hostile, Buffer.from(`\ufeff${stringify(hostile)}`, 'utf16le').swap16()],
    ['windows-1252', latin, Buffer.from(stringify(latin), 'latin1')],
    ['5,000 columns', wide, Buffer.from(stringify(wide))],
    ['semicolons', latin, Buffer.from(stringify(latin, { delimiter: ';' }))],
    ['carriage returns', latin, Buffer.from(stringify(latin, { record_delimiter: '\r' }))],
  ];
  test.each(sampleOf(cases, { oneIn: 3 }))('keeps %s', async (_, [names, ...rows], file) => {
    expect(await roundTrip(file)).toEqual({ names, rows });
  });

  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.csv'))
      .map(file => join(folder, file));

  async function keeps(file: string): Promise<void> {
    const bytes = readFileSync(file);
    const [names, ...rows] = parse(bytes, { bom: true }) as string[][];
    expect([file, await roundTrip(bytes)]).toEqual([file, { names, rows }]);
  }

  test('keeps the content of the sample files of the website', async () => {
    const files = filesIn('website/static/samples');
    expect(files.length).toBeGreaterThan(10);
    for (const file of sampleOf(files, { oneIn: 5 })) await keeps(file);
  });

  if (isFullTest) {
    test('keeps the content of the CSV files of Debian packages', async () => {
      const folder = join(cacheDir(), 'csv-files');
      const packages = ['distro-info-data', 'r-cran-data.table', 'r-cran-readr'];
      if (!existsSync(folder)) await fetchDebianPackages({ folder, packages });
      const files = filesIn(folder).filter(isCommaSeparated);
      expect(files.length).toBeGreaterThan(9);
      for (const file of files) await keeps(file);
    });
  }

  /** Whether a file has commas between its cells, rows of equal length, and UTF-8 text: other files need settings. */
  function isCommaSeparated(file: string): boolean {
    const bytes = readFileSync(file);
    try {
      const [names = []] = parse(bytes, { bom: true, to_line: 1 }) as string[][];
      parse(bytes, { bom: true });
      return names.length > 1 && names.every(name => !/[;\t|]/.test(name)) && isUtf8(bytes);
    } catch {
      return false;
    }
  }

  test('has empty cells at the end of short rows, while rows that are too long are bad', async () => {
    const { name, collection } = database.fresh();
    const done = await imported('a,b,c\n1,2,x\n3\n4,5,y,6\n7,8,\n', name, { skip_bad_rows: true });
    expect(done).toMatchObject({ state: 'done', inserted: 3, updated: 0, bad_rows: 1, rows_read: 4 });
    expect(await documentsIn(collection)).toEqual([
      { a: 1, b: 2, c: 'x' },
      { a: 3, c: '' },
      { a: 7, b: 8, c: '' },
    ]);
    expect(parse(await badRowsOf(done.id), { relax_column_count: true })).toEqual([
      ['row', 'reason', 'a', 'b', 'c'],
      [
        '3',
        'The row has 4 cells; the file has 3 columns. Choose another `delimiter` or quote the cells that contain it.',
        '4',
        '5',
        'y',
        '6',
      ],
    ]);
  });
});

describe('a file with bad rows', () => {
  test('fails without changing anything, and can be imported again with other settings', async () => {
    const { name, collection } = database.fresh();
    const { id } = await upload(`n\n${Array.from({ length: 3_000 }, (_, n) => n).join('\n')}\nx\n`);
    await start(id, name);
    const failed = await ended(id);
    expect(failed).toMatchObject({ state: 'failed', error_code: 'validation_failed', bad_rows: 1, inserted: null });
    expect(failed.error_message).toMatch(/Row 3001: n: "x" is not a number/);
    expect(await badRowsOf(id)).toBe('row,reason,n\n3001,"n: ""x"" is not a number such as 1234.5.",x\n');
    expect(await database.db.listCollections({ name }).toArray()).toEqual([]);
    await start(id, name, { columns: [{ index: 0, field: 'a.n', type: 'text' }] });
    expect(await ended(id)).toMatchObject({ state: 'done', bad_rows: 0, inserted: 3_001 });
    expect((await documentsIn(collection)).at(-1)).toEqual({ a: { n: 'x' } });
  });

  const broken: [format: string, file: string, good: object[]][] = [
    ['csv', 'a,b\n1,2\n"3,4\n', [{ a: 1, b: 2 }]],
    ['csv', 'a,b\n1,2\n3', [{ a: 1, b: 2 }]],
    ['json', '[{"a":1},{"a":2},', [{ a: 1 }, { a: 2 }]],
    ['ndjson', '{"a":1}\n{"a":\n{"$a":1}\n7\n{"a":2}', [{ a: 1 }, { a: 2 }]],
  ];
  test.each(sampleOf(broken, { oneIn: 2 }))(
    'of the format %s is imported only with skip_bad_rows, and then without the bad rows',
    async (format, file, good) => {
      const { name, collection } = database.fresh();
      expect(await imported(file, name, { format })).toMatchObject({
        state: 'failed',
        error_code: 'validation_failed',
      });
      expect(await database.db.listCollections({ name }).toArray()).toEqual([]);
      const done = await imported(file, name, { format, skip_bad_rows: true });
      expect(done).toMatchObject({ state: 'done', inserted: good.length });
      expect(await documentsIn(collection)).toEqual(good);
      expect(await badRowsOf(done.id)).toMatch(/reason/);
    },
  );

  test('fails early, after 1,000 bad rows', async () => {
    const { name } = database.fresh();
    const file = `n\n1\n${'x\n'.repeat(5_000)}`;
    const settings = { columns: [{ index: 0, field: 'n', type: 'number' }] };
    const { bad_rows, error_message } = await imported(file, name, settings);
    expect(bad_rows).toBe(1_000);
    expect(error_message).toContain('1000 or more rows are bad');
  });
});

test('the encoding of a compressed file is detected from its whole text', async () => {
  const letters = Buffer.from('\x8a, \x9e, \xe8: \x8eupanja, \xc8akovec, \x8aibenik, Vara\x9edin\n', 'latin1');
  const text = Buffer.concat([Buffer.from(`name\n${'plain letters\n'.repeat(100_000)}`), letters]);
  const plain = await upload(text);
  const packed = await upload(gzipSync(text), 'rows.csv.gz');
  expect([plain.encoding, packed.encoding]).toEqual(['windows-1250', 'windows-1250']);
  const { body } = await database.api('GET', `/joint-api/imports/${packed.id}/preview`);
  expect(body.encoding).toBe('windows-1250');
  const cut = await upload(gzipSync(text).subarray(0, 200), 'rows.csv.gz');
  expect(cut.encoding).toBeNull();
});

test('an import that ends while it is requested is returned in a consistent state', async () => {
  const { id } = await upload('n\nx\n');
  await start(id, database.fresh().name);
  await ended(id);
  let answers: Promise<Body[]> | undefined;
  await app.part(DataSource).transaction(async manager => {
    await manager.query('LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE');
    const list = database.api('GET', '/joint-api/imports/list?limit=1').then(({ body }) => body.items[0]);
    answers = Promise.all([get(id), list]);
    const waiting = () => app.sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'jobs'::regclass`);
    await until(waiting, ({ length }) => length >= 2);
    await manager.query('UPDATE imports SET bad_rows = 1 WHERE id = $1', [id]);
  });
  expect((await answers)?.map(({ bad_rows }) => bad_rows)).toEqual([1, 1]);
});

describe('an import into an existing collection', () => {
  /** A collection with two books, and unique indexes on `isbn` and, if it is there, on `shop` with `code`. */
  async function books() {
    const fresh = database.fresh();
    await fresh.collection.insertMany([
      { _id: 1, isbn: 'a', shop: 's', code: 1, kept: true, seller: { name: 'x', city: 'Zagreb' } },
      { _id: 2, isbn: 'b' },
    ]);
    await fresh.collection.createIndex({ isbn: 1 }, { unique: true });
    await fresh.collection.createIndex({ shop: 1, code: 1 }, { unique: true, sparse: true });
    return fresh;
  }

  test('refuses rows that repeat a unique value of the file or of a document', async () => {
    const { name, collection } = await books();
    const before = await documentsIn(collection, {});
    const rows = [
      { isbn: 'c' },
      { isbn: 'c' },
      { isbn: 'a' },
      { isbn: 'd', shop: 's', code: 1 },
      { _id: 2, isbn: 'e' },
      { isbn: 'f' },
    ];
    const file = rows.map(row => JSON.stringify(row)).join('\n');
    expect(await imported(file, name, {}, 'x.ndjson')).toMatchObject({ state: 'failed', bad_rows: 4 });
    expect(await documentsIn(collection, {})).toEqual(before);
    const { id, inserted, updated } = await imported(file, name, { skip_bad_rows: true }, 'x.ndjson');
    expect([inserted, updated]).toEqual([2, 0]);
    expect((await documentsIn(collection)).map(({ isbn }) => isbn).sort()).toEqual(['a', 'b', 'c', 'f']);
    const bad = (await badRowsOf(id))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(bad.map(({ row, reason }) => [row, reason]).sort()).toEqual([
      [2, 'An earlier row of the file has the same isbn.'],
      [3, 'The collection already has a document with the same isbn.'],
      [4, 'The collection already has a document with the same shop, code.'],
      [5, 'The collection already has a document with the same _id.'],
    ]);
  });

  test('with a key sets the fields of a row in the matching document and keeps other fields', async () => {
    const { name, collection } = await books();
    const file = 'isbn,price,seller.name\na,5,y\nc,7,z\nb,,w\n';
    const { inserted, updated, error_message } = await imported(file, name, { key: ['isbn'] });
    expect([inserted, updated, error_message]).toEqual([1, 2, null]);
    expect((await documentsIn(collection)).sort((one, two) => (one.isbn < two.isbn ? -1 : 1))).toEqual([
      { isbn: 'a', shop: 's', code: 1, kept: true, seller: { name: 'y', city: 'Zagreb' }, price: 5 },
      { isbn: 'b', seller: { name: 'w' } },
      { isbn: 'c', price: 7, seller: { name: 'z' } },
    ]);
  });

  test('with an empty list as key makes a new document for each row', async () => {
    const { name, collection } = await books();
    expect(await imported('isbn\nc\n', name, { key: [] })).toMatchObject({ inserted: 1, updated: 0 });
    expect(await collection.countDocuments()).toBe(3);
  });

  test('with a key refuses rows whose key is empty or repeated, or whose values conflict with a document', async () => {
    const { name } = await books();
    const file = 'isbn,shop,code\n,,\nc,,\nc,,\nb,s,1\na,t,2\n';
    const { id, ...counts } = await imported(file, name, { key: ['isbn'], skip_bad_rows: true });
    expect(counts).toMatchObject({ bad_rows: 3, inserted: 1, updated: 1 });
    expect(
      parse(await badRowsOf(id))
        .map(([row, reason]: string[]) => [row, reason])
        .sort(),
    ).toEqual([
      ['1', 'isbn: a key must not be empty.'],
      ['3', 'An earlier row of the file has the same isbn.'],
      ['4', 'The collection already has a document with the same shop, code.'],
      ['row', 'reason'],
    ]);
  });

  test('needs a unique index on its key; a new collection gets that index', async () => {
    const { name, collection } = database.fresh();
    await collection.insertOne({ sku: 1 });
    const { id } = await upload('sku\n1\n');
    const { status, body } = await start(id, name, { key: ['sku'] });
    expect([status, body.error_code]).toEqual([422, 'storage_rejected']);
    const fresh = database.fresh();
    for (const updated of [0, 1]) {
      expect(await imported('sku,n\n1,2\n', fresh.name, { key: ['sku'] })).toMatchObject({ updated });
    }
    expect(await documentsIn(fresh.collection)).toEqual([{ sku: 1, n: 2 }]);
  });

  test.each([false, true])(
    'makes a row bad if a document takes its unique value during the move (skip_bad_rows: %s)',
    async skip_bad_rows => {
      const { name, collection } = await books();
      const file = `isbn\n${Array.from({ length: 5_000 }, (_, n) => `n${n}`).join('\n')}\n`;
      const repository = app.part(ImportsRepository);
      const begin = repository.beginMoving.bind(repository);
      jest.spyOn(repository, 'beginMoving').mockImplementation(async (...call) => {
        await collection.insertOne({ isbn: 'n3333' });
        return begin(...call);
      });
      const { id, state, inserted, rows_moved, error_message } = await imported(file, name, { skip_bad_rows });
      // Without `skip_bad_rows`, its owner expects all rows.
      expect([state, inserted, rows_moved]).toEqual(skip_bad_rows ? ['done', 4_999, 4_999] : ['failed', null, 4_999]);
      if (!skip_bad_rows)
        expect(error_message).toMatch(/^4999 of 5000 rows are in the collection.* Row 3334: .*exists/);
      expect(await collection.countDocuments()).toBe(5_002);
      expect(parse(await badRowsOf(id))).toEqual([
        ['row', 'reason', 'isbn'],
        ['3334', expect.stringContaining('already exists'), 'n3333'],
      ]);
    },
  );
});

describe('an import whose backend dies', () => {
  const ENDED_LEASE = `UPDATE jobs SET attempt = attempt + 1, lease_until = now() - interval '1 s' WHERE state = 'running'`;
  /** Makes the next call of a step fail, before or after it has done its work, as if the process had been killed. */
  function dieAt(
    step: 'beginStaging' | 'beginMoving' | 'addBadRows' | 'saveMoved' | 'finishImport',
    after: boolean,
  ): Promise<void> {
    const repository = app.part(ImportsRepository);
    const real = (repository[step] as any).bind(repository);
    return new Promise(resolve => {
      jest.spyOn(repository, step as any).mockImplementationOnce(async (...call: any[]) => {
        if (after) await real(...call);
        // `finishImport` is part of the transaction that ends the job, so the lease must wait for its end.
        if (step !== 'finishImport') await app.sql(ENDED_LEASE);
        resolve();
        throw new Error('killed');
      });
    });
  }

  const deaths = [
    ['beginStaging', true],
    ['addBadRows', true],
    ['beginMoving', false],
    ['beginMoving', true],
    ['saveMoved', false],
    ['saveMoved', true],
    ['finishImport', false],
  ] as const;
  test.each(sampleOf(deaths, { oneIn: 3 }))(
    'at %s (after that step: %s) still imports every row once and leaves no staging collection',
    async (step, after) => {
      for (const isNew of [true, false]) {
        if (isNew && step === 'saveMoved') continue;
        const { name, collection } = database.fresh();
        if (!isNew) await collection.insertOne({ n: -1 });
        const numbers = Array.from({ length: 4_500 }, (_, n) => n);
        const { id } = await upload(`n\n${numbers.join('\n')}\nx\n`);
        const died = dieAt(step, after);
        const columns = [{ index: 0, field: 'n', type: 'number' }];
        await start(id, name, { columns, skip_bad_rows: true });
        await died;
        if (step === 'finishImport') await app.sql(ENDED_LEASE);
        expect(await ended(id)).toMatchObject({ state: 'done', bad_rows: 1, inserted: 4_500, updated: 0 });
        const found = (await documentsIn(collection)).map(({ n }) => n).sort((a, b) => a - b);
        expect(found).toEqual(isNew ? numbers : [-1, ...numbers]);
        expect(await leftovers()).toEqual([]);
      }
    },
  );

  test('three times during the move is continued by the sweep', async () => {
    const { name, collection } = database.fresh();
    await collection.insertOne({ n: -1 });
    const { id } = await upload(`n\n${Array.from({ length: 4_500 }, (_, n) => n).join('\n')}\n`);
    const repository = app.part(ImportsRepository);
    jest.spyOn(repository, 'saveMoved').mockImplementation(() => Promise.reject(new Error('a fault')));
    await start(id, name);
    expect(await ended(id)).toMatchObject({ state: 'failed', error_code: 'internal_error' });
    expect((await database.api('POST', `/joint-api/imports/${id}/cancel`)).status).toBe(409);
    expect((await database.api('DELETE', `/joint-api/imports/${id}`)).status).toBe(409);
    jest.restoreAllMocks();
    await app.part(ImportSweepService).sweep();
    expect(await ended(id)).toMatchObject({ state: 'done', inserted: 4_500 });
    expect(await collection.countDocuments()).toBe(4_501);
  });
});

describe('an import with a server error of MongoDB', () => {
  const { prototype } = mongo.Collection;
  const diskFull = { code: 14_031, message: 'No space left on device' };

  test('while rows are staged fails, without counting rows as bad', async () => {
    const { name } = database.fresh();
    const refused = Object.assign(new mongo.MongoServerError(diskFull), { writeErrors: [{ index: 0, ...diskFull }] });
    jest.spyOn(prototype, 'insertMany').mockRejectedValue(refused);
    const failed = await imported('n\n1\n2\n', name, { skip_bad_rows: true });
    expect(failed).toMatchObject({ state: 'failed', error_code: 'storage_rejected', bad_rows: 0 });
    expect(failed.error_message).toContain('No space left');
  });

  /** An import whose move has failed. */
  async function stuck(): Promise<{ id: string; collection: mongo.Collection }> {
    const { name, collection } = database.fresh();
    await collection.insertOne({ n: -1 });
    const { aggregate } = prototype;
    jest.spyOn(prototype, 'aggregate').mockImplementation(function (this: mongo.Collection, ...call) {
      if (call[0]?.some(stage => '$merge' in stage)) throw new mongo.MongoServerError(diskFull);
      return aggregate.apply(this, call) as never;
    });
    const { id, ...failed } = await imported('n\n1\n2\n', name);
    expect(failed).toMatchObject({ state: 'failed', error_code: 'storage_rejected', bad_rows: 0 });
    expect(failed.error_message).toMatch(/No space left.* up to 0 of 2 are in the collection so far/);
    jest.restoreAllMocks();
    return { id, collection };
  }

  test('while rows are moved is continued by the sweep, even if continuing another import fails', async () => {
    const moves = [await stuck(), await stuck()];
    jest.spyOn(app.part(ImportsRepository), 'lock').mockRejectedValueOnce(new Error('a fault'));
    await app.part(ImportSweepService).sweep();
    await until(
      () => Promise.all(moves.map(({ id }) => get(id))),
      found => found.filter(({ state }) => state === 'done').length === 1,
    );
    await app.part(ImportSweepService).sweep();
    for (const { id, collection } of moves) {
      expect(await ended(id)).toMatchObject({ state: 'done', inserted: 2, bad_rows: 0 });
      expect(await collection.countDocuments()).toBe(3);
    }
  });

  const clocks: [what: string, failing: string, continued: number, aheadMs: number][] = [
    ['its databases has jumped ahead by a day', '25 hours', 0, 0],
    ['the backend is an hour ahead', '23.5 hours', 10, 3_600_000],
    ['the backend is an hour behind', '15 minutes', 10, -3_600_000],
  ];
  test.each(sampleOf(clocks, { oneIn: 3 }))(
    'is continued although the clock of %s',
    async (_what, failing, continued, aheadMs) => {
      const { id, collection } = await stuck();
      await app.sql(
        `WITH i AS (
         UPDATE imports SET move = move::jsonb || jsonb_build_object('since', now() - $2::interval, 'continued', $3::int)
         WHERE id = $1 RETURNING job_id)
       UPDATE jobs SET ended_at = now() - $2::interval / 2 FROM i WHERE jobs.id = i.job_id`,
        [id, failing, continued],
      );
      await withClock(aheadMs, () => app.part(ImportSweepService).sweep());
      expect(await ended(id)).toMatchObject({ state: 'done', inserted: 2 });
      expect(await collection.countDocuments()).toBe(3);
    },
  );

  test('that lasts for more than a day fails for good', async () => {
    const { id } = await stuck();
    await app.sql(
      `UPDATE imports SET move = move::jsonb || jsonb_build_object('since', now() - interval '25 hours', 'continued', 10) WHERE id = $1`,
      [id],
    );
    await app.part(ImportSweepService).sweep();
    expect(await get(id)).toMatchObject({ state: 'failed', error_code: 'storage_rejected' });
    expect((await database.api('DELETE', `/joint-api/imports/${id}`)).status).toBe(200);
  });
});

test('an import whose move was given up and that is started again adds no row twice', async () => {
  const { name, collection } = database.fresh();
  await collection.insertOne({ n: -1 });
  const repository = app.part(ImportsRepository);
  // The rows are moved, but Trawl never gets to know it.
  jest.spyOn(repository, 'saveMoved').mockImplementation(() => Promise.reject(new Error('a fault')));
  const { id } = await imported('n\n1\n2\n', name);
  expect(await collection.countDocuments()).toBe(3);
  await app.sql(
    `UPDATE imports SET move = move::jsonb || jsonb_build_object('since', now() - interval '25 hours', 'continued', 10) WHERE id = $1`,
    [id],
  );
  await app.part(ImportSweepService).sweep();
  jest.restoreAllMocks();
  await start(id, name);
  expect(await ended(id)).toMatchObject({ state: 'done', bad_rows: 0 });
  expect((await collection.find().toArray()).map(({ n }) => n)).toEqual([-1, 1, 2]);
});

test('an attempt that lost its import to another attempt leaves the other’s staging collection', async () => {
  const { name, collection } = database.fresh();
  const { id } = await upload('n\n1\n2\n');
  const repository = app.part(ImportsRepository);
  const begin = repository.beginMoving.bind(repository);
  jest.spyOn(repository, 'beginMoving').mockImplementation(async (importId, holder, ...plan) => {
    const params = await app.sql<{ params: never }>('SELECT params FROM jobs WHERE id = $1', [holder.id]);
    const job = { id: holder.id, attempt: 0, owner_id: await developer(), params: params[0]?.params as never };
    const context = { signal: AbortSignal.abort('lost'), progress: () => undefined };
    await expect(app.part(ImportJobService).run(job, context)).rejects.toBe('lost');
    return begin(importId, holder, ...plan);
  });
  await start(id, name);
  expect(await ended(id)).toMatchObject({ state: 'done', inserted: 2 });
  expect(await collection.countDocuments()).toBe(2);
});

test('the file of bad rows leaves out rows that are too long, and rows beyond 16 MiB', async () => {
  const { name } = database.fresh();
  const repository = app.part(ImportsRepository);
  const add = repository.addBadRows.bind(repository);
  jest
    .spyOn(repository, 'addBadRows')
    .mockImplementation((id, job, lines, count) => add(id, job, lines + ' '.repeat(9 * 1024 * 1024), count));
  const columns = [{ index: 0, field: 'n', type: 'number' }];
  const file = `n\n${'x'.repeat(300_000)}\n${'x\n'.repeat(8_000)}`;
  const { id, bad_rows } = await imported(file, name, { columns, skip_bad_rows: true });
  expect(bad_rows).toBe(8_001);
  const kept = await badRowsOf(id);
  expect(kept).toMatch(/^row,reason,n\n1,.{1,300}The row is too long to repeat here/);
  expect(kept.length).toBeGreaterThan(9 * 1024 * 1024);
  expect(kept.length).toBeLessThan(16 * 1024 * 1024);
  await database.api('DELETE', `/joint-api/imports/${id}`);
});

test('an unfinished upload without a backend is deleted after half an hour', async () => {
  const add = (minutes: number) =>
    app.sql<{ id: string }>(
      `INSERT INTO imports (id, owner_id, name, updated_at)
       VALUES (gen_random_uuid(), $1, 'x', now() - $2 * interval '1 minute') RETURNING id`,
      [owner, minutes],
    );
  const owner = await developer();
  const [[old], [young]] = [await add(31), await add(29)];
  await app.part(ImportSweepService).sweep();
  const kept = await app.sql('DELETE FROM imports WHERE id = ANY($1) RETURNING id', [[old?.id, young?.id]]);
  expect(kept).toEqual([young]);
});

test('a cancelled import changes nothing and can be deleted', async () => {
  const { name } = database.fresh();
  const { id } = await upload(`n\n${'1\n'.repeat(5_000)}`);
  const repository = app.part(ImportsRepository);
  const begin = repository.beginMoving.bind(repository);
  let cancelled: Promise<unknown> | undefined;
  jest.spyOn(repository, 'beginMoving').mockImplementation(async (...call) => {
    cancelled ??= database.api('POST', `/joint-api/imports/${id}/cancel`);
    await cancelled;
    return begin(...call);
  });
  await start(id, name);
  expect(await ended(id)).toMatchObject({ state: 'cancelled', inserted: null });
  expect(await database.db.listCollections({ name }).toArray()).toEqual([]);
  const { body } = await database.api('DELETE', `/joint-api/imports/${id}`);
  expect(body).toEqual({ deleted: { imports: 1 } });
  expect(await app.sql('SELECT 1 FROM import_chunks WHERE import_id = $1', [id])).toEqual([]);
});

test('a finished import loses its uploaded file and cannot be started again', async () => {
  const { name } = database.fresh();
  const { id } = await imported('n\n1\n', name);
  expect(await app.sql('SELECT 1 FROM import_chunks WHERE import_id = $1', [id])).toEqual([]);
  for (const [method, path] of [
    ['POST', 'start'],
    ['GET', 'preview'],
  ] as const) {
    const { status, body } = await database.api(
      method,
      `/joint-api/imports/${id}/${path}`,
      method === 'POST' ? { db_id: database.id, collection: name } : undefined,
    );
    expect([status, body.error_code]).toEqual([409, 'conflict']);
  }
});

test('an import fails if its database is deleted while it runs', async () => {
  const created = (await database.api('POST', '/joint-api/mongo-databases/addnew', { name: 'short-lived' })).body;
  const { id } = await upload(`n\n${'1\n'.repeat(3_000)}`);
  const repository = app.part(ImportsRepository);
  const begin = repository.beginMoving.bind(repository);
  jest.spyOn(repository, 'beginMoving').mockImplementation(async (...call) => {
    await database.api('DELETE', `/joint-api/mongo-databases/${created.id}`);
    return begin(...call);
  });
  await database.api('POST', `/joint-api/imports/${id}/start`, { db_id: created.id, collection: 'c' });
  expect(await ended(id)).toMatchObject({ state: 'failed', error_code: 'not_found' });
  expect(await app.sql('SELECT 1 FROM imports WHERE staging IS NOT NULL')).toEqual([]);
});

test('an upload that is cut off or exceeds a limit leaves nothing', async () => {
  const before = await app.sql('SELECT id FROM imports');
  const { status, body } = await database.api('POST', '/joint-api/imports/upload', Buffer.alloc(9 * 1024 * 1024, 'x'));
  expect([status, body.error_code]).toEqual([413, 'payload_too_large']);
  const kept = await upload(`n\n${'1\n'.repeat(2 * 1024 * 1024)}`);
  const second = await database.api('POST', '/joint-api/imports/upload', Buffer.alloc(6 * 1024 * 1024, 'x'));
  expect([second.status, second.body.error_code]).toEqual([429, 'quota_exceeded']);
  const token = await app.token('developer');
  const request = fetch(`${app.url}/joint-api/imports/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new ReadableStream({
      start: controller => controller.enqueue(Buffer.alloc(1024 * 1024, 'x')),
      pull: controller => controller.error(new Error('cut off')),
    }),
    duplex: 'half',
  } as RequestInit);
  await expect(request).rejects.toThrow();
  // The refused uploads were not read to their end, so their connections may be reset while a call reuses them.
  await until(
    () => database.api('DELETE', `/joint-api/imports/${kept.id}`).catch(() => null),
    answer => answer !== null,
  );
  await until(
    () => app.sql('SELECT id FROM imports'),
    found => found.length === before.length,
  );
});
