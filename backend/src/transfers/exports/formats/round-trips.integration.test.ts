import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Code, Int32, serialize } from 'bson';
import readXlsx from 'read-excel-file/node';
import { HOSTILE_TABLE_TEXTS, hostileDocument, hostileTable } from '../../../../test/rows/hostile-rows.js';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { until } from '../../../../test/until.js';
import { FORMATS, type FormatName } from './formats.js';

const { app, developer } = appForFile();
const database = databaseForFile(app);
const IS_FULL = process.env.TRAWL_TEST_FULL === '1';
const ROWS = IS_FULL ? 50_000 : 60;
if (IS_FULL) jest.setTimeout(30 * 60_000);

const folder = mkdtempSync(join(tmpdir(), 'round-trips-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Target = { db_id: string; collection: string } | { table: string };

async function downloaded(path: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${await app.token('developer')}` };
  const answer = await fetch(`${app.url}/joint-api/${path}`, { headers });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** Exports a collection. */
const exported = ({ db_id, collection }: { db_id: string; collection: string }, format: FormatName, others = '') =>
  downloaded(`mongo/${db_id}/${collection}/export?format=${format}&escape_formulas=false${others}`);

/** Exports a table in the order of its ids, because PostgreSQL keeps rows in any order. */
async function exportedTable(table: string, format: FormatName): Promise<Buffer> {
  const body = { source: 'query', sql: `SELECT * FROM ${table} ORDER BY id`, format };
  const settings = { flatten: false, escape_formulas: false };
  const { id } = (await developer('POST', '/joint-api/exports/addnew', { ...body, ...settings })).body;
  const get = async () => (await developer('GET', `/joint-api/exports/${id}`)).body;
  let job = await get();
  while (job.ended_at === null) {
    const { rows } = job;
    job = await until(get, now => now.ended_at !== null || now.rows > rows);
  }
  expect([job.state, job.error_message]).toEqual(['done', null]);
  return downloaded(`exports/${id}/file`);
}

/** Imports a file, and waits for the end of the import while it makes progress. */
async function imported(file: Buffer, format: FormatName, to: Target, settings: object = {}): Promise<void> {
  const type = { 'content-type': 'application/octet-stream' };
  const name = `rows.${FORMATS[format].extension}`;
  const { id } = (await developer('POST', `/joint-api/imports/upload?file_name=${name}`, file, type)).body;
  const { status, body } = await developer('POST', `/joint-api/imports/${id}/start`, { format, ...to, ...settings });
  // The job may have ended by now, and then its error is in the answer.
  if (status !== 202) throw new Error(body.error_message);
  const get = async () => (await developer('GET', `/joint-api/imports/${id}`)).body;
  const isEnded = ({ state }: { state: string }) => !['queued', 'running'].includes(state);
  let job = await get();
  while (!isEnded(job)) {
    const before = job;
    job = await until(
      get,
      now => isEnded(now) || now.rows_read > before.rows_read || now.rows_moved > before.rows_moved,
    );
  }
  expect([job.state, job.error_message, job.inserted]).toEqual(['done', null, ROWS]);
}

/** A difference of whole files would be too long to read. */
function expectSame(found: Buffer, wanted: Buffer): void {
  if (found.equals(wanted)) return;
  const [one, other] = [found.toString().split('\n'), wanted.toString().split('\n')];
  const at = one.findIndex((line, n) => line !== other[n]);
  expect([at, one[at]?.slice(0, 3_000)]).toEqual([at, other[at]?.slice(0, 3_000)]);
  throw new Error(`The files have ${found.length} and ${wanted.length} bytes.`);
}

const fieldsIn = (header: Buffer): string[] => header.subarray(0, header.indexOf(0x0a)).toString().split(',');

const hasPython = spawnSync('python3', ['--version']).status === 0;
/** The digest of the texts of some columns, in all rows, as Python's csv reads them. */
function digestByPython(file: Buffer, columns: string[]): string {
  const path = join(folder, 'file.csv');
  writeFileSync(path, file);
  const script = `import csv,hashlib,json,sys
csv.field_size_limit(10**8)
whole=hashlib.md5()
for row in csv.DictReader(open(sys.argv[1],newline="",encoding="utf-8")):
    whole.update("\\x1f".join(row[name] for name in json.loads(sys.argv[2])).encode())
print(whole.hexdigest())`;
  return execFileSync('python3', ['-c', script, path, JSON.stringify(columns)])
    .toString()
    .trim();
}

async function duck(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

describe('export, import and another export of a collection', () => {
  const target = (name: string) => ({ db_id: database.id, collection: name });
  const source = () => target('hostile');
  const TEXTS = ['t0', 't9', 't20'];
  beforeAll(async () => {
    const collection = database.db.collection<any>('hostile');
    for (let start = 0; start < ROWS; start += 1_000) {
      const size = Math.min(1_000, ROWS - start);
      await collection.insertMany(Array.from({ length: size }, (_, n) => hostileDocument(start + n)));
    }
  });

  it('as Extended JSON yield the same file and the same BSON', async () => {
    const file = await exported(source(), 'extjson');
    await imported(file, 'extjson', target('of-extjson'));
    expectSame(await exported(target('of-extjson'), 'extjson'), file);
    const raw = (name: string) => database.db.collection<any>(name).find({}, { promoteValues: false });
    const [before, after] = [raw('hostile'), raw('of-extjson')];
    let different = -1;
    for (let n = 0; n < ROWS && different < 0; n += 1) {
      const bytes = async (cursor: typeof before) => Buffer.from(serialize((await cursor.next()) ?? {}));
      if (!(await bytes(before)).equals(await bytes(after))) different = n;
    }
    expect(different).toBe(-1);
  });

  it('as Extended JSON keep names of fields and code', async () => {
    const nested = { 'a.b': { $price: 1, '': 'empty name' }, $where: 'x' };
    const document = (n: number) => ({ _id: n as any, nested, code: new Code('return 1', { n: new Int32(n) }) });
    await database.db.collection('names').insertMany(Array.from({ length: ROWS }, (_, n) => document(n)));
    const file = await exported(target('names'), 'extjson');
    await imported(file, 'extjson', target('of-names'));
    expectSame(await exported(target('of-names'), 'extjson'), file);
  });

  it('as NDJSON yield the same lines', async () => {
    const file = await exported(source(), 'ndjson');
    await imported(file, 'ndjson', target('of-ndjson'));
    expectSame(await exported(target('of-ndjson'), 'ndjson'), file);
  });

  it('as CSV, imported as text, yield the same file', async () => {
    const file = await exported(source(), 'csv');
    const columns = fieldsIn(file).map((field, index) => ({ index, field, type: 'text' }));
    expect(columns).toHaveLength(61);
    await imported(file, 'csv', target('of-csv'), { columns, encoding: 'utf-8', delimiter: 'comma' });
    expectSame(await exported(target('of-csv'), 'csv', `&fields=${fieldsIn(file).join()}`), file);
    if (!hasPython && !IS_FULL) return;
    const whole = createHash('md5');
    for (let n = 0; n < ROWS; n += 1) {
      const document = hostileDocument(n);
      whole.update([String(n - 7), ...TEXTS.map(name => document[name]), document.missing ?? ''].join('\x1f'));
    }
    expect(digestByPython(file, ['int', ...TEXTS, 'missing'])).toBe(whole.digest('hex'));
  });

  it('as Parquet yield the same file', async () => {
    const file = await exported(source(), 'parquet');
    await imported(file, 'parquet', target('of-parquet'));
    const names = fieldsIn(await exported(source(), 'csv')).join();
    const again = await exported(target('of-parquet'), 'parquet', `&fields=${names}`);
    expect(again.equals(file)).toBe(true);
  });

  it('as XLSX yield the same file for columns of one type', async () => {
    const mixed = ['_id', 'odd', 'decimal', 'nothing'];
    const names = fieldsIn(await exported(source(), 'csv')).filter(name => !mixed.includes(name));
    const fields = `&fields=${names.join()}`;
    const file = await exported(source(), 'xlsx', fields);
    await imported(file, 'xlsx', target('of-xlsx'));
    const again = await exported(target('of-xlsx'), 'xlsx', fields);
    expect(again.equals(file)).toBe(true);
    const [sheet] = await readXlsx(IS_FULL ? await exported(source(), 'xlsx', '&fields=int,time,t0') : file);
    const [header = [], ...rows] = sheet?.data ?? [];
    expect(rows).toHaveLength(ROWS);
    const wrong = rows.findIndex((row, n) => {
      const { time, t0 } = hostileDocument(n) as { time: Date; t0: string };
      const cell = (name: string) => row[header.indexOf(name)] ?? '';
      // This reader cuts fractions of a millisecond, and trims texts.
      const isTime = Math.abs(Number(cell('time')) - time.getTime()) <= 1;
      return !(cell('int') === n - 7 && isTime && String(cell('t0')).trim() === t0.trim());
    });
    expect(wrong).toBe(-1);
  });

  it('as XLSX turn columns of mixed types into text, which then stays the same', async () => {
    const fields = '&fields=_id,odd,decimal,int';
    await imported(await exported(source(), 'xlsx', fields), 'xlsx', target('of-mixed'));
    const texts = await exported(target('of-mixed'), 'xlsx', fields);
    await imported(texts, 'xlsx', target('of-texts'));
    expect((await exported(target('of-texts'), 'xlsx', fields)).equals(texts)).toBe(true);
    const values = (name: string) => database.db.collection<any>(name).find().sort({ int: 1 }).limit(60).toArray();
    const found = (await values('of-mixed')).map(({ odd }) => odd);
    expect(found).toEqual((await values('hostile')).map(({ odd }) => String(odd)));
  });
});

describe('export, import and another export of a table', () => {
  const sql = async (text: string): Promise<any[]> => {
    const { body } = await developer('POST', '/joint-api/postgres/query', { sql: text, read_only: false });
    expect(body.error_message).toBeUndefined();
    return body.rows;
  };
  const texts = Array.from({ length: HOSTILE_TABLE_TEXTS }, (_, n) => `t${n}`);
  beforeAll(() => sql(hostileTable('hostile', ROWS)));

  /** Exports, imports into an empty table of the same columns, and exports again. */
  async function roundTrip(format: FormatName): Promise<Buffer> {
    await sql(`CREATE TABLE of_${format} (LIKE hostile)`);
    const file = await exportedTable('hostile', format);
    const settings = format === 'csv' ? { encoding: 'utf-8', delimiter: 'comma' } : {};
    await imported(file, format, { table: `of_${format}` }, settings);
    const again = await exportedTable(`of_${format}`, format);
    if (format === 'xlsx' || format === 'parquet') expect(again.equals(file)).toBe(true);
    else expectSame(again, file);
    return file;
  }

  /** Counts the rows of a table that the other one lacks, each column as the expression that `as` returns. */
  async function differences(table: string, as: (column: string, type: string) => string): Promise<unknown> {
    const columns = await sql(`SELECT quote_ident(attname), format_type(atttypid, NULL) FROM pg_attribute
      WHERE attrelid = 'hostile'::regclass AND attnum > 0 ORDER BY attnum`);
    const list = columns
      .map(row => Object.values(row) as [string, string])
      // For PostgreSQL, 1.10 and 1.1 in jsonb are equal.
      .map(([column, type]) => (type === 'jsonb' ? `(${as(column, type)})::text` : as(column, type)))
      .join(', ');
    const [row] = await sql(`SELECT count(*)::int AS n FROM
      (SELECT ${list} FROM hostile EXCEPT ALL SELECT ${list} FROM ${table}) missing`);
    return Object.values(row)[0];
  }
  const emptyIsNull = (column: string, type: string) =>
    ['text', 'tsvector', 'bit varying'].includes(type) ? `nullif(${column}, '')` : column;

  const nullIsNull = (column: string, type: string) => (type === 'jsonb' ? `nullif(${column}, 'null')` : column);

  it.each(['ndjson', 'json'] as const)('as %s yield the same rows, but null in jsonb becomes NULL', async format => {
    await roundTrip(format);
    expect(await differences(`of_${format}`, nullIsNull)).toBe(0);
  });

  it('as Extended JSON yield the same rows, but null in jsonb becomes NULL and its longest numbers text', async () => {
    await roundTrip('extjson');
    const inExtjson = (column: string, type: string) =>
      type === 'jsonb'
        ? `CASE WHEN jsonb_typeof(${column}) = 'number' AND length(${column}::text) > 34 THEN to_jsonb(${column}::text)
                ELSE ${nullIsNull(column, type)} END`
        : column;
    expect(await differences('of_extjson', inExtjson)).toBe(0);
  });

  it('as CSV yield the same rows', async () => {
    const file = await roundTrip('csv');
    expect(await differences('of_csv', column => column)).toBe(0);
    if (!hasPython && !IS_FULL) return;
    const joined = ['id::text', ...texts].map(name => `coalesce(${name}, '')`).join(` || E'\\x1f' || `);
    const [row] = await sql(`SELECT md5(string_agg(${joined}, '' ORDER BY id)) FROM hostile`);
    expect(digestByPython(file, ['id', ...texts])).toBe(Object.values(row)[0]);
  });

  it('as XLSX yield the same rows, but empty texts become NULL and times are cut to milliseconds', async () => {
    await roundTrip('xlsx');
    const inXlsx = (column: string, type: string) =>
      type.startsWith('timestamp') ? `date_trunc('milliseconds', ${column} + '500 us')` : emptyIsNull(column, type);
    expect(await differences('of_xlsx', inXlsx)).toBe(0);
  });

  it('as Parquet yield the same rows, and DuckDB reads the same values', async () => {
    const path = join(folder, 'file.parquet');
    writeFileSync(path, await roundTrip('parquet'));
    expect(await differences('of_parquet', column => column)).toBe(0);
    const joined = ['big::text', ...texts].map(name => `coalesce(${name}, '-')`).join(` || '|' || `);
    const digest = `md5(string_agg(md5(${joined}), '' ORDER BY id))`;
    const [found] = await duck(`SELECT ${digest} AS digest FROM '${path}'`);
    const [row] = await sql(`SELECT ${digest} AS digest FROM hostile`);
    expect(found?.digest).toBe(Object.values(row)[0]);
    const groups = await duck(`SELECT DISTINCT row_group_num_rows::int AS n FROM parquet_metadata('${path}')`);
    expect(groups).toEqual([{ n: ROWS }]);
  });
});
