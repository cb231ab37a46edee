import { parse } from 'csv-parse/sync';
import { appForFile } from '../../../../test/test-app.js';
import { until } from '../../../../test/until.js';

const { app, developer, admin } = appForFile();

const start = (body: object, as = developer) => as('POST', '/joint-api/exports/addnew', body);

/** Starts an export, waits until it has ended, and returns it with the rows of its CSV. */
const exported = async (body: object) => ended((await start(body)).body.id);

async function ended(id: string) {
  const path = `/joint-api/exports/${id}`;
  const job = await until(
    async () => (await developer('GET', path)).body,
    ({ ended_at }) => ended_at !== null,
  );
  if (job.state !== 'done') return { job, rows: [] };
  const authorization = `Bearer ${await app.token('developer')}`;
  const file = await fetch(`${app.url}${path}/file`, { headers: { authorization } });
  return { job, rows: parse(await file.text()) as string[][] };
}

beforeAll(async () => {
  const sql = `CREATE TABLE "Books" AS SELECT n AS id, 'Book ' || n AS title, n * 1.50 AS price, '{"country":"HR"}'::jsonb AS seller
                 FROM generate_series(1, 1000) n`;
  expect((await developer('POST', '/joint-api/postgres/query', { sql, read_only: false })).status).toBe(200);
});

it('a table is exported with all its rows; another account gets 404', async () => {
  const { job, rows } = await exported({ source: 'table', table: 'Books' });
  expect(job).toMatchObject({ state: 'done', file_name: 'Books.csv', rows: 1_000 });
  expect([rows[0], rows[1], rows.length]).toEqual([
    ['id', 'title', 'price', 'seller.country'],
    ['1', 'Book 1', '1.50', 'HR'],
    1_001,
  ]);
  expect((await start({ source: 'table', table: 'Books' }, admin)).status).toBe(404);
});

it('an export fails and names the table that was dropped after its exporter was created', async () => {
  const sql = 'CREATE TABLE dropped AS SELECT 1 AS id';
  await developer('POST', '/joint-api/postgres/query', { sql, read_only: false });
  const exporter = { name: 'Of a dropped table', source: 'table', table: 'dropped' };
  const { id } = (await developer('POST', '/joint-api/exporters/addnew', exporter)).body;
  await developer('POST', '/joint-api/postgres/query', { sql: 'DROP TABLE dropped', read_only: false });
  const { job } = await ended((await developer('POST', `/joint-api/exporters/${id}/run`)).body.id);
  expect(job).toMatchObject({
    state: 'failed',
    error_code: 'not_found',
    error_message: 'You have no table dropped in the schema public.',
  });
  await developer('DELETE', `/joint-api/exporters/${id}`);
});

it('a table can be downloaded as CSV or NDJSON, but only by its owner', async () => {
  const path = '/joint-api/postgres-tables/Books/export';
  const { body, headers } = await developer('GET', `${path}?fields=title,seller.country`);
  const rows = parse(body) as string[][];
  expect([rows[0], rows[1], rows.length]).toEqual([['title', 'seller.country'], ['Book 1', 'HR'], 1_001]);
  expect(headers.get('content-disposition')).toBe('attachment; filename=Books.csv');
  const lines = (await developer('GET', `${path}?format=ndjson&flatten=false`)).body.split('\n');
  expect(JSON.parse(lines[999])).toEqual({
    id: 1_000,
    title: 'Book 1000',
    price: '1500.00',
    seller: { country: 'HR' },
  });
  for (const [as, asked] of [
    [admin, path],
    [developer, `${path}?schema=other`],
  ] as const) {
    expect((await as('GET', asked)).status).toBe(404);
  }
});

it('the result of an SQL query can be exported, even with column names that need quotes', async () => {
  const sql = `SELECT id, price AS "a.b", NULL::int AS nothing, '=1+1' AS formula FROM "Books" WHERE id <= 2 ORDER BY id DESC`;
  const { rows } = await exported({ source: 'query', sql });
  expect(rows).toEqual([
    ['id', 'a.b', 'nothing', 'formula'],
    ['2', '3.00', '', "'=1+1"],
    ['1', '1.50', '', "'=1+1"],
  ]);
});

it.each([
  ['DELETE FROM "Books"', 'read-only'],
  ['SELECT 1 AS a, 2 AS a', 'two columns named a'],
  ['SELECT * FROM missing', 'missing'],
  ['SELECT 1; SELECT 2', 'multiple commands'],
])('an export of the query %s fails with the reason', async (sql, reason) => {
  const { job } = await exported({ source: 'query', sql });
  expect(job).toMatchObject({ state: 'failed', error_code: 'storage_rejected' });
  expect(job.error_message).toContain(reason);
});

it.each([
  [{ source: 'query' }, 'sql'],
  [{ source: 'table' }, 'table'],
  [{ source: 'query', sql: 'SELECT 1', added_from: '2026-01-01T00:00:00Z' }, 'added_from'],
])('an export is refused with the settings %j', async (body, field) => {
  const { status, body: answer } = await start(body);
  expect([status, answer.details?.[0]?.field ?? answer.fields?.[0]?.field]).toEqual([400, field]);
});
