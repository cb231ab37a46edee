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

it('reads many small rows in few pages', async () => {
  const pages = await pagesOf(rowsOf([5_000, 100]));
  expect(pages.flat().map(([n]) => Number(n))).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 1));
  expect(pages.length).toBeLessThan(30);
});

it.each([
  ['rows that become large after many small ones', rowsOf([1_000, 10], [300, 200_000], [1_000, 10]), 2_300],
  ['large rows only', rowsOf([40, 3 * MB]), 40],
  ['a large last row', rowsOf([31, 10], [1, 2 * MB]), 32],
  ['a row that is large alone', rowsOf([1, 10 * MB]), 1],
])('keeps few megabytes in memory: %s', async (_, sql, count) => {
  const pages = await pagesOf(sql);
  expect(pages.flat().map(([n]) => Number(n))).toEqual(Array.from({ length: count }, (_row, at) => at + 1));
  for (const page of pages) expect(bytesOf(page) - bytesOf(page.slice(-1))).toBeLessThan(2 * MB);
});

it.each([1, 10, 40, 60])('closes a cursor after %s pages', async pages => {
  const cursor = client.query(new StatementCursor(rowsOf([1_000, 10], [300, 200_000], [1_000, 10]), []));
  for (let n = 0; n < pages; n++) await cursor.readPage();
  const closing = cursor.close();
  cursor.resume();
  await closing;
});

it('reports an error after rows that were read', async () => {
  const cursor = client.query(
    new StatementCursor(`SELECT 1 / (900 - i), repeat('x', i * 1000) FROM generate_series(1, 2000) i`, []),
  );
  const readAll = async () => {
    while (!cursor.isDone) await cursor.readPage();
  };
  await expect(readAll()).rejects.toMatchObject({ code: '22012' });
});
