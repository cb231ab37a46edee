import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Binary, Code, DBRef, Decimal128, Double, EJSON, Int32, Long, ObjectId, serialize, Timestamp } from 'bson';
import readXlsx from 'read-excel-file/node';
import { HOSTILE_TEXTS } from '../../../../test/rows/hostile-rows.js';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { FORMATS, type FormatName } from './formats.js';

const { app, developer } = appForFile();
const database = databaseForFile(app);
const IS_FULL = process.env.TRAWL_TEST_FULL === '1';
const ROWS = IS_FULL ? 50_000 : 60;

const folder = mkdtempSync(join(tmpdir(), 'exports-typed-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Downloads an export and saves it. */
async function saved(path: string, format: FormatName, others = ''): Promise<{ bytes: Buffer; file: string }> {
  const authorization = `Bearer ${await app.token('developer')}`;
  const answer = await fetch(`${app.url}/joint-api/${path}format=${format}${others}`, { headers: { authorization } });
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const file = join(folder, `file.${FORMATS[format].extension}`);
  writeFileSync(file, bytes);
  return { bytes, file };
}

async function duck(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** One of each hostile thing; `n` decides which, so that neighbours differ. */
function hostile(n: number): Record<string, unknown> {
  const document: Record<string, unknown> = {
    _id: n % 3 === 0 ? new ObjectId() : n % 3 === 1 ? `own-${n}` : new Int32(n),
    int: new Int32(n - 7),
    long: Long.fromString(n % 2 ? '9007199254740993' : '-9223372036854775808'),
    whole: new Double(n),
    double: new Double(
      [0.1, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324][n % 6] as number,
    ),
    decimal: Decimal128.fromString(n % 2 ? '-0.10' : '1234567890123456789012345678901234'),
    yes: n % 2 === 0,
    nothing: null,
    date: new Date([0, -1, -2_208_988_800_000, Date.UTC(1815, 11, 10), Date.UTC(12_000, 0), 1][n % 6] as number),
    bytes: new Binary(Buffer.from([0, 255, n % 256])),
    uuid: new Binary(Buffer.alloc(16, n % 256), Binary.SUBTYPE_UUID),
    stamp: new Timestamp({ t: n, i: 1 }),
    code: new Code('return 1', { n: new Int32(n) }),
    reference: new DBRef('books', new ObjectId()),
    list: [new Int32(1), null, 'x', [], {}, [new Double(1)]],
    nested: { 'deep.er': { $price: new Int32(1), '': 'empty name' }, 'a.b': 'dot' },
    'dotted.key': n % 2 ? 'x' : null,
    long_text: n === 5 ? 'x'.repeat(40_000) : 'short',
  };
  if (n % 4 === 0) document.missing = 'here';
  for (let index = 0; Object.keys(document).length < 58; index += 1)
    document[`t${index}`] = HOSTILE_TEXTS[(n + index) % HOSTILE_TEXTS.length];
  return document;
}

describe('an export from MongoDB', () => {
  const path = () => `mongo/${database.id}/hostile/export?`;
  const stored: Buffer[] = [];
  beforeAll(async () => {
    const collection = database.db.collection<any>('hostile');
    for (let start = 0; start < ROWS; start += 1_000) {
      const documents = Array.from({ length: Math.min(1_000, ROWS - start) }, (_, n) => hostile(start + n));
      await collection.insertMany(documents, { ignoreUndefined: false });
      for (const document of documents) stored.push(Buffer.from(serialize(document)));
    }
  });

  it('as Extended JSON can be parsed back into the same bytes of BSON', async () => {
    const lines = (await saved(path(), 'extjson')).bytes.toString().split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(ROWS);
    const back = lines.map(line => Buffer.from(serialize(EJSON.parse(line, { relaxed: false }))));
    expect(back.findIndex((bytes, n) => !bytes.equals(stored[n] as Buffer))).toBe(-1);
  });

  it('as NDJSON keeps texts and missing fields, and writes NaN and Infinity as text', async () => {
    const lines = (await saved(path(), 'ndjson')).bytes.toString().trimEnd().split('\n');
    const doubles = lines.slice(0, 6).map(line => JSON.parse(line).double);
    expect(doubles).toEqual([0.1, 0, 'NaN', 'Infinity', '-Infinity', 5e-324]);
    for (const [n, line] of lines.entries()) {
      const found = JSON.parse(line);
      expect([found.t0, found.t9, 'missing' in found]).toEqual([
        HOSTILE_TEXTS[n % HOSTILE_TEXTS.length],
        HOSTILE_TEXTS[(n + 9) % HOSTILE_TEXTS.length],
        n % 4 === 0,
      ]);
    }
  });

  it('as Parquet without documents can be read by DuckDB', async () => {
    const { file } = await saved(`${path()}filter=${encodeURIComponent('{"int":"none"}')}&`, 'parquet');
    expect(await duck(`SELECT count(*)::int AS n FROM '${file}'`)).toEqual([{ n: 0 }]);
  });

  it('as Parquet is read by DuckDB with the right types and values', async () => {
    const { file } = await saved(path(), 'parquet');
    const types = await duck(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM '${file}')`);
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toMatchObject({
      _id: 'VARCHAR',
      int: 'BIGINT',
      long: 'BIGINT',
      double: 'DOUBLE',
      decimal: 'VARCHAR',
      yes: 'BOOLEAN',
      date: 'TIMESTAMP WITH TIME ZONE',
      bytes: 'BLOB',
      uuid: 'VARCHAR',
      t0: 'VARCHAR',
    });
    const rows = await duck(
      `SELECT int, long, double, epoch_ms(date) AS ms, hex(bytes) AS hex, hex(t0) AS t0, hex(t9) AS t9, missing FROM '${file}' ORDER BY int`,
    );
    expect(rows).toHaveLength(ROWS);
    const wrong = rows.findIndex((row, n) => {
      const { date, t0, t9, long, missing = null } = hostile(n) as { date: Date; [name: string]: unknown };
      const expected = [String(long), String(date.getTime()), hexOf(t0), hexOf(t9), missing];
      return JSON.stringify([row.long, row.ms, row.t0, row.t9, row.missing]) !== JSON.stringify(expected);
    });
    expect(wrong).toBe(-1);
  });

  it('as XLSX has dates and numbers, and text where Excel would change the value', async () => {
    const { bytes } = await saved(path(), 'xlsx', IS_FULL ? '&fields=int,long,date,decimal,long_text,t0,t9' : '');
    const [sheet] = await readXlsx(bytes);
    const [names = [], ...rows] = sheet?.data ?? [];
    expect(rows).toHaveLength(ROWS);
    const cell = (n: number, name: string) => rows[n]?.[names.indexOf(name)] ?? '';
    for (let n = 0; n < Math.min(ROWS, 60); n += 1) {
      const { date, t0, t9 } = hostile(n) as { date: Date; t0: string; t9: string };
      const isKnown = date.getTime() >= Date.UTC(1900, 2) && date.getTime() < Date.UTC(10_000, 0);
      expect(cell(n, 'int')).toBe(n - 7);
      // This reader cuts fractions of a millisecond.
      if (isKnown) expect(Math.abs(Number(cell(n, 'date')) - date.getTime())).toBeLessThanOrEqual(1);
      else expect(cell(n, 'date')).toBe(date.toISOString());
      // This reader trims texts.
      expect([cell(n, 't0'), cell(n, 't9')].map(text => String(text).trim())).toEqual([t0.trim(), t9.trim()]);
      expect(cell(n, 'long')).toBe(n % 2 ? '9007199254740993' : '-9223372036854775808');
      expect(cell(n, 'decimal')).toBe(n % 2 ? -0.1 : '1234567890123456789012345678901234');
    }
    expect(String(cell(5, 'long_text'))).toMatch(/x… \(cut; the whole text has 40000 characters\)$/);
  });
});

describe('an export from PostgreSQL', () => {
  const sql = async (text: string) =>
    expect(
      (await developer('POST', '/joint-api/postgres/query', { sql: text, read_only: false })).body,
    ).not.toHaveProperty('error_code');
  beforeAll(async () => {
    await sql(`CREATE TABLE typed (id bigint, small smallint, price numeric(12,2), free numeric, day date, at timestamptz,
      local timestamp, yes boolean, ratio double precision, raw bytea, doc jsonb, tags text[], name text, some_day date)`);
    await sql(`INSERT INTO typed VALUES
      (9007199254740993, 1, 1234567890.12, 0.1, '1900-01-01', '2026-11-24T18:00:00.000256Z', '2026-11-24 12:00:00', true, 'NaN', '\\x00ff', '{"a":1}', '{x,y}', 'Emma', 'infinity'),
      (-1, NULL, -0.05, 12345678901234567890, '0001-01-01', '1815-12-10T00:00:00Z', '10000-01-01', false, '-0', '', '{"a":2}', NULL, '', '2026-01-01'),
      (123, 2, NULL, NULL, NULL, NULL, NULL, NULL, 'Infinity', NULL, NULL, '{}', NULL, NULL)`);
    await sql('CREATE TABLE bare (id bigint, price numeric(5,1), at timestamptz)');
  });

  it('writes a time too late for a JavaScript Date as text in Parquet and XLSX', async () => {
    await sql(`CREATE TABLE late AS SELECT 1 AS id, timestamp '294276-12-31 23:59:59.999999' AS far`);
    const { file } = await saved('postgres-tables/late/export?', 'parquet');
    expect(await duck(`SELECT far FROM '${file}'`)).toEqual([{ far: '294276-12-31 23:59:59.999999' }]);
    const { bytes } = await saved('postgres-tables/late/export?', 'xlsx');
    expect(JSON.stringify(await readXlsx(bytes))).toContain('294276-12-31 23:59:59.999999');
  });

  it('as Parquet has the types of the table’s columns', async () => {
    const { file } = await saved('postgres-tables/typed/export?', 'parquet');
    const types = await duck(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM '${file}')`);
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toEqual({
      id: 'BIGINT',
      small: 'BIGINT',
      price: 'DECIMAL(12,2)',
      free: 'VARCHAR',
      day: 'DATE',
      at: 'TIMESTAMP WITH TIME ZONE',
      local: 'TIMESTAMP',
      yes: 'BOOLEAN',
      ratio: 'DOUBLE',
      raw: 'BLOB',
      'doc.a': 'BIGINT',
      doc: 'VARCHAR',
      tags: 'VARCHAR',
      name: 'VARCHAR',
      some_day: 'VARCHAR',
    });
    const rows = await duck(
      `SELECT id, price::text AS price, free, day::text AS day, epoch_us("at") AS "at", "local"::text AS "local", ratio::text AS ratio,
       hex(raw) AS raw, "doc.a" AS a, tags, name, some_day FROM '${file}'`,
    );
    expect(rows).toEqual([
      {
        id: '9007199254740993',
        price: '1234567890.12',
        free: '0.1',
        day: '1900-01-01',
        at: String(Date.UTC(2026, 10, 24, 18) * 1_000 + 256),
        local: '2026-11-24 12:00:00',
        ratio: 'nan',
        raw: '00FF',
        a: '1',
        tags: '{x,y}',
        name: 'Emma',
        some_day: 'infinity',
      },
      {
        id: '-1',
        price: '-0.05',
        free: '12345678901234567890',
        day: '0001-01-01',
        at: String(Date.UTC(1815, 11, 10) * 1_000),
        local: '10000-01-01 00:00:00',
        ratio: '-0.0',
        raw: '',
        a: '2',
        tags: null,
        name: '',
        some_day: '2026-01-01',
      },
      {
        id: '123',
        price: null,
        free: null,
        day: null,
        at: null,
        local: null,
        ratio: 'inf',
        raw: null,
        a: null,
        tags: '{}',
        name: null,
        some_day: null,
      },
    ]);
  });

  it('as XLSX has dates and numbers, and text where Excel has no such value', async () => {
    const [sheet] = await readXlsx(
      (await saved('postgres-tables/typed/export?', 'xlsx', '&fields=id,price,free,day,at,local')).bytes,
    );
    expect(sheet?.data.slice(1)).toEqual([
      [
        '9007199254740993',
        1234567890.12,
        0.1,
        '1900-01-01',
        new Date('2026-11-24T18:00:00Z'),
        new Date('2026-11-24T12:00:00Z'),
      ],
      [-1, -0.05, '12345678901234567890', '0001-01-01', '1815-12-10T00:00:00Z', '10000-01-01 00:00:00'],
      [123, null, null, null, null, null],
    ]);
  });

  it('as Extended JSON has 64-bit integers, decimals and bytes', async () => {
    const [first = ''] = (await saved('postgres-tables/typed/export?', 'extjson')).bytes.toString().split('\n');
    expect(JSON.parse(first)).toMatchObject({
      id: { $numberLong: '9007199254740993' },
      small: { $numberInt: '1' },
      price: { $numberDecimal: '1234567890.12' },
      ratio: { $numberDouble: 'NaN' },
      raw: { $binary: { base64: 'AP8=', subType: '00' } },
      at: '2026-11-24T18:00:00.000256Z',
    });
  });

  it('of a table without rows has the columns of the table', async () => {
    expect((await saved('postgres-tables/bare/export?', 'csv')).bytes.toString()).toBe('id,price,at\n');
    const { file } = await saved('postgres-tables/bare/export?', 'parquet');
    const types = await duck(`SELECT column_type AS type FROM (DESCRIBE SELECT * FROM '${file}')`);
    expect(types.map(({ type }) => type)).toEqual(['BIGINT', 'DECIMAL(5,1)', 'TIMESTAMP WITH TIME ZONE']);
  });
});

const hexOf = (text: unknown): string => Buffer.from(String(text)).toString('hex').toUpperCase();
