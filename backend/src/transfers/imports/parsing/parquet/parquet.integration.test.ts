import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { EJSON } from 'bson';
import { sampleOf } from '../../../../../../scripts/jest/sample.js';
import { until } from '../../../../../test/until.js';
import type { Source } from '../source.js';
import type { ParquetCell } from './parquet-messages.js';
import { openParquet } from './parquet-rows.js';
import { page, parquetFile } from './test-parquet.js';

const folder = mkdtempSync(join(tmpdir(), 'trawl-parquet-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The processes of this one that read Parquet. */
const readers = (): string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(pid => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('parquet-child'));

const opened = (file: Buffer): Source => ({
  open: async function* () {
    yield file;
  },
  size: async () => file.length,
  slice: async (start, end) => file.subarray(start, end),
});

async function read(file: Buffer, forTable = false): Promise<{ types: string[]; rows: ParquetCell[][] }> {
  const { columns, rows } = await openParquet(opened(file), forTable, Number.POSITIVE_INFINITY);
  const found: ParquetCell[][] = [];
  for await (const row of rows) found.push(row);
  return { types: columns.map(column => (forTable ? column.tableType : column.type)), rows: found };
}

/** Writes what a statement selects with DuckDB. */
async function written(sql: string, options = ''): Promise<Buffer> {
  const path = join(folder, 'file.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet${options})`);
  connection.closeSync();
  instance.closeSync();
  return readFileSync(path);
}

const TYPED = `SELECT 9007199254740993::BIGINT AS long, 7::TINYINT AS small, 18446744073709551615::UBIGINT AS huge,
  -12345678901234567890.12345::DECIMAL(38,5) AS exact, -0.05::DECIMAL(4,2) AS cents, 'NaN'::DOUBLE AS ratio, 0.5::FLOAT AS half,
  true AS yes, DATE '0001-01-01' AS day, TIMESTAMPTZ '2026-11-24 18:00:00.000256+00' AS at, TIMESTAMP '1815-12-10 09:30:00.123456' AS local,
  TIMESTAMP_NS '2026-11-24 18:00:00.000256789' AS nanos, TIME '23:59:59.5' AS clock, '\\x00\\xFF'::BLOB AS raw, 'Žižek 👩‍👩‍👧‍👦' AS name,
  '0f0e0d0c-0b0a-0908-0706-050403020100'::UUID AS key, '{"a":1}'::JSON AS doc, [1::BIGINT, NULL, 9007199254740993] AS list, []::INT[] AS none,
  {'a': 1.50::DECIMAL(4,2), 'b': [{'c': DATE '2026-01-02'}]} AS nested, MAP {'x': 1, 'y': NULL} AS pairs, NULL::BIGINT AS nothing`;

test('a Parquet file that is read for PostgreSQL keeps its declared types', async () => {
  const { types, rows } = await read(
    await written(`${TYPED} UNION ALL SELECT ${Array(22).fill('NULL').join(', ')}`),
    true,
  );
  expect(types).toEqual(
    'bigint bigint numeric numeric numeric double,precision double,precision boolean date timestamptz timestamp timestamp time bytea text uuid jsonb jsonb jsonb jsonb jsonb bigint'
      .split(' ')
      .map(type => type.replace(',', ' ')),
  );
  expect(rows).toEqual([
    [
      '9007199254740993',
      '7',
      '18446744073709551615',
      '-12345678901234567890.12345',
      '-0.05',
      'NaN',
      '0.5',
      'true',
      '0001-01-01',
      '2026-11-24T18:00:00.000256Z',
      '1815-12-10T09:30:00.123456',
      '2026-11-24T18:00:00.000256',
      '23:59:59.500000',
      '\\x00ff',
      'Žižek 👩‍👩‍👧‍👦',
      '0f0e0d0c-0b0a-0908-0706-050403020100',
      '{"a":1}',
      '[1,null,9007199254740993]',
      '[]',
      '{"a":1.50,"b":[{"c":"2026-01-02"}]}',
      '{"x":1,"y":null}',
      undefined,
    ],
    Array(22).fill(undefined),
  ]);
});

test('a Parquet file that is read for MongoDB keeps its declared types', async () => {
  const { types, rows } = await read(await written(TYPED));
  expect(types.join(' ')).toBe(
    'number number number number number number number boolean date date date date text binary text binary json json json json json number',
  );
  expect(EJSON.serialize(rows[0] as object, { relaxed: false })).toEqual(
    [
      { $numberLong: '9007199254740993' },
      { $numberInt: '7' },
      { $numberDecimal: '18446744073709551615' },
      { $numberDecimal: '-12345678901234567890.12345' },
      { $numberDecimal: '-0.05' },
      { $numberDouble: 'NaN' },
      { $numberDouble: '0.5' },
      true,
      { $date: { $numberLong: String(new Date('0001-01-01').getTime()) } },
      { $date: { $numberLong: String(Date.UTC(2026, 10, 24, 18)) } },
      { $date: { $numberLong: String(new Date('1815-12-10T09:30:00.123Z').getTime()) } },
      { $date: { $numberLong: String(Date.UTC(2026, 10, 24, 18)) } },
      '23:59:59.500000',
      { $binary: { base64: 'AP8=', subType: '00' } },
      'Žižek 👩‍👩‍👧‍👦',
      { $binary: { base64: 'Dw4NDAsKCQgHBgUEAwIBAA==', subType: '04' } },
      '{"a":1}',
      [{ $numberInt: '1' }, null, { $numberLong: '9007199254740993' }],
      [],
      {
        a: { $numberDecimal: '1.50' },
        b: [{ c: { $date: { $numberLong: String(Date.UTC(2026, 0, 2)) } } }],
      },
      { x: { $numberInt: '1' }, y: null },
      null,
    ].map(value => (value === null ? null : value)),
  );
});

test.each(sampleOf(['uncompressed', 'snappy', 'gzip', 'zstd', 'lz4_raw', 'brotli'], { oneIn: 2 }))(
  'a Parquet file with 30,000 rows in several row groups is read, compressed with %s',
  async codec => {
    const sql = `SELECT i AS n, 'text ' || (i % 7) AS t, CASE WHEN i % 3 = 0 THEN NULL ELSE [i, i + 1] END AS list FROM range(30000) r(i)`;
    const { rows } = await read(await written(sql, `, COMPRESSION ${codec}, ROW_GROUP_SIZE 12000`), true);
    expect(rows).toHaveLength(30_000);
    const wrong = rows.findIndex(
      ([n, text, list], i) =>
        n !== String(i) || text !== `text ${i % 7}` || list !== (i % 3 === 0 ? undefined : `[${i},${i + 1}]`),
    );
    expect(wrong).toBe(-1);
  },
);

describe('a hostile Parquet file', () => {
  const whole = () => written(`SELECT i AS n, repeat('x', i::INT) AS t FROM range(1000) r(i)`);

  test('that is cut off, or lacks a part in the middle, is refused with a reason', async () => {
    const file = await whole();
    for (const share of sampleOf([0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999], { oneIn: 2 })) {
      const cut = Buffer.concat([file.subarray(0, Math.floor(file.length * share))]);
      await expect(read(cut)).rejects.toThrow(/cannot read the Parquet file: .* Write it again/);
      const middle = Buffer.concat([cut, file.subarray(file.length - 400)]);
      await expect(read(middle)).rejects.toThrow(/Parquet/);
    }
  });

  test('with a few wrong bytes yields rows or is refused with a reason', async () => {
    const file = await whole();
    for (let seed = 0; seed < (isFullTest ? 300 : 4); seed += 1) {
      const damaged = Buffer.from(file);
      for (let n = 0; n < 5; n += 1)
        damaged[(seed * 7_919 + n * 104_729) % (file.length - 8)] = (seed * 31 + n * 17) % 256;
      await read(damaged).catch(error => expect(error.message).toMatch(/Parquet/));
    }
  });

  test('that is encrypted is refused, and the error names encryption', async () => {
    const file = Buffer.concat([Buffer.from('PARE'), Buffer.alloc(20), Buffer.from('PARE')]);
    await expect(read(file)).rejects.toThrow(/it is encrypted/);
  });

  const bombs: [string, () => Buffer][] = [
    ['says that it has 2^40 rows', () => parquetFile({ rows: 2n ** 40n, pages: page({ values: 3 }) })],
    [
      'says that a page has 2^31 values',
      () => parquetFile({ rows: 3n, pages: page({ values: 3, declared: 2 ** 31 - 1 }) }),
    ],
    ['says that a page has -5 values', () => parquetFile({ rows: 3n, pages: page({ values: 3, declared: -5 }) })],
    [
      'says that a page unpacks to 2 GB',
      () => parquetFile({ rows: 3n, codec: 2, pages: page({ values: 3, unpacked: 2 ** 31 - 1 }) }),
    ],
    [
      'unpacks to 400 times its size',
      () => parquetFile({ rows: 20_000_000n, codec: 2, pages: page({ values: 20_000_000, gzip: true }) }),
    ],
    ['has 100,000 levels', () => parquetFile({ rows: 1n, pages: page({ values: 1 }), depth: 100_000 })],
    ['has 2^30 children', () => parquetFile({ rows: 1n, pages: page({ values: 1 }), children: 2 ** 30 })],
    ['has a column at -1 bytes', () => parquetFile({ rows: 1n, pages: page({ values: 1 }), offset: -1n })],
    ['has a column beyond its end', () => parquetFile({ rows: 1n, pages: page({ values: 1 }), offset: 2n ** 50n })],
    ['has a list of 2^30 row groups', () => parquetFile({ rows: 1n, pages: page({ values: 1 }), groups: 2 ** 30 })],
  ];
  test.each(sampleOf(bombs, { oneIn: 3 }))('that %s is refused', async (_, make) => {
    await expect(read(make())).rejects.toThrow(/Parquet/);
  });

  test('is read by a process that ends even if the reader stops early', async () => {
    const { rows } = await openParquet(opened(await whole()), false, Number.POSITIVE_INFINITY);
    for await (const _ of rows) break;
    await until(
      async () => readers(),
      ({ length }) => length === 0,
    );
  });
});
