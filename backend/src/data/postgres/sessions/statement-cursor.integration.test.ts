import { Client } from 'pg';
import { StatementCursor, type TextRow } from './statement-cursor.js';

const client = new Client(String(process.env.TRAWL_TEST_POSTGRES_URL));
beforeAll(() => client.connect());
afterAll(() => client.end());

const MB = 1024 * 1024;
const bytesOf = (rows: TextRow[]) => rows.reduce((sum, row) => sum + String(row[1]).length, 0);
/** Rows with these sizes, numbered from 1. */
const rowsOf = (...parts: [count: number, bytes: number][]) =>
  `SELECT row_number() OVER (), repeat('x', bytes) FROM (${parts
    .map(([count, bytes], at) => `SELECT ${at} AS part, ${bytes} AS bytes FROM generate_series(1, ${count})`)
    .join(' UNION ALL ')}) r ORDER BY 1`;

async function pagesOf(sql: string): Promise<TextRow[][]> {
  const cursor = client.query(new StatementCursor(sql, []));
  const pages: TextRow[][] = [];
  while (!cursor.isDone) pages.push(await cursor.readPage());
  return pages;
}

/** Each statement leaves a connection that the next one can use. */
afterEach(async () => {
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

it('a SQL cursor reads 5,000 small rows in fewer than 16 pages', async () => {
  const pages = await pagesOf(rowsOf([5_000, 100]));
  expect(pages.flat().map(([n]) => Number(n))).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 1));
  expect(pages.length).toBeLessThan(16);
});

it.each([
  ['rows that become large after many small ones', rowsOf([1_000, 10], [300, 200_000], [1_000, 10]), 2_300],
  ['large rows only', rowsOf([40, 3 * MB]), 40],
  ['a large last row', rowsOf([31, 10], [1, 2 * MB]), 32],
  ['a row that is large alone', rowsOf([1, 10 * MB]), 1],
])('a SQL cursor keeps few megabytes in memory: %s', async (_, sql, count) => {
  const pages = await pagesOf(sql);
  expect(pages.flat().map(([n]) => Number(n))).toEqual(Array.from({ length: count }, (_row, at) => at + 1));
  for (const page of pages) expect(bytesOf(page) - bytesOf(page.slice(-1))).toBeLessThan(2 * MB);
});

it.each([1, 10, 40, 60])('a SQL cursor can be closed after %s pages, and its connection stays usable', async pages => {
  const cursor = client.query(new StatementCursor(rowsOf([1_000, 10], [300, 200_000], [1_000, 10]), []));
  for (let n = 0; n < pages; n++) await cursor.readPage();
  const closing = cursor.close();
  cursor.resume();
  await closing;
});

it('a SQL cursor reports an error of a row after earlier rows were read', async () => {
  const cursor = client.query(
    new StatementCursor(`SELECT 1 / (900 - i), repeat('x', i * 1000) FROM generate_series(1, 2000) i`, []),
  );
  const readAll = async () => {
    while (!cursor.isDone) await cursor.readPage();
  };
  await expect(readAll()).rejects.toMatchObject({ code: '22012' });
});

it.each([
  ['an INSERT', 'INSERT INTO changed VALUES ($1)', ['1'], /^\d+$/],
  ['a SELECT', 'SELECT repeat($1, 100) FROM generate_series(1, 100)', ['x'], null],
  ['a statement with no result', '', [], null],
])('a SQL cursor begins a transaction, and reads the id of the transaction after %s', async (_, sql, params, id) => {
  await client.query('CREATE TEMPORARY TABLE IF NOT EXISTS changed (n int)');
  const around = { before: ['BEGIN', 'SELECT 1'], withTransactionId: true };
  const cursor = client.query(new StatementCursor(sql, params, around));
  const rows: TextRow[] = [];
  while (!cursor.isDone) rows.push(...(await cursor.readPage()));
  const { rows: now } = await client.query('SELECT pg_current_xact_id_if_assigned()::text AS id');
  await client.query('ROLLBACK');
  expect(rows).toEqual(sql.startsWith('SELECT') ? Array.from({ length: 100 }, () => ['x'.repeat(100)]) : []);
  expect(cursor.transactionId).toEqual(id === null ? null : expect.stringMatching(id));
  expect(cursor.transactionId).toBe(now[0].id);
});

it('a SQL cursor that is closed while rows arrive still reads the id of its transaction', async () => {
  const sql = `SELECT pg_current_xact_id(), repeat('x', 200000) FROM generate_series(1, 200)`;
  const cursor = client.query(new StatementCursor(sql, [], { before: ['BEGIN'], withTransactionId: true }));
  const [first] = await cursor.readPage();
  const closing = cursor.close();
  cursor.resume();
  await closing;
  await client.query('COMMIT');
  expect(cursor.transactionId).toBe(first?.[0]);
});

it('a statement with an error leaves the transaction of its SQL cursor failed until a rollback', async () => {
  const cursor = client.query(new StatementCursor('SELECT 1 FROM nothing', [], { before: ['BEGIN'] }));
  await expect(cursor.readPage()).rejects.toMatchObject({ code: '42P01' });
  await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
  await client.query('ROLLBACK');
});
