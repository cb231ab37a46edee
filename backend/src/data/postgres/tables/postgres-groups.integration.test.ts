import { appForFile } from '../../../../test/test-app.js';

const { developer, admin } = appForFile();

const write = (sql: string) => developer('POST', '/joint-api/postgres/query', { sql, read_only: false });
const groups = (table: string, query: Record<string, string>, as = developer) =>
  as('GET', `/joint-api/postgres-tables/${encodeURIComponent(table)}/groups?${new URLSearchParams(query)}`);

beforeAll(async () => {
  const sql = `CREATE TABLE prices AS SELECT * FROM (VALUES
      ('HR', 10::numeric, '10'::text, timestamptz '2026-01-31 23:30Z', date '2026-01-31', ARRAY[1]),
      ('HR', 2.5, ' 2.50 ', '2026-01-31 22:30Z', '2026-01-31', NULL),
      ('DE', 'NaN', 'on request', '2026-03-29 10:00Z', '2026-03-29', NULL),
      (NULL, NULL, NULL, NULL, NULL, NULL)) AS t (country, price, shown, at, day, sizes)`;
  expect((await write(sql)).status).toBe(200);
});

it('the groups of a table have the number of their rows, and the sum, average, minimum and maximum of a column', async () => {
  const none = { sum: null, average: null, min: null, max: null };
  const expected = [
    { group: 'HR', count: 2, sum: 12.5, average: 6.25, min: 2.5, max: 10 },
    { group: 'DE', count: 1, ...none },
    { group: null, count: 1, ...none },
  ];
  for (const field of ['price', 'shown']) {
    expect((await groups('prices', { by: 'country', of: field })).body).toEqual({ items: expected });
  }
});

it('the groups of a table begin at the hours, days and months of the time zone', async () => {
  const begins = async (by: string, every: string) =>
    (await groups('prices', { by, every, time_zone: 'Europe/Zagreb' })).body.items.map(
      ({ group }: { group: unknown }) => group,
    );
  expect(await begins('at', 'month')).toEqual([
    '2026-02-28T23:00:00Z',
    '2026-01-31T23:00:00Z',
    '2025-12-31T23:00:00Z',
    null,
  ]);
  // A date without a time zone begins at midnight of the reader.
  expect(await begins('day', 'day')).toEqual(['2026-03-28T23:00:00Z', '2026-01-30T23:00:00Z', null]);
});

it('names of tables and columns are data', async () => {
  const name = `a"; DROP TABLE prices; --`;
  const quoted = `"${name.replaceAll('"', '""')}"`;
  await write(`CREATE TABLE ${quoted} AS SELECT 1 AS ${quoted}, 2 AS "__proto__", 3 AS "$x.y"`);
  for (const by of [name, '__proto__', '$x.y']) {
    expect((await groups(name, { by, of: by })).body.items).toMatchObject([{ count: 1 }]);
  }
  expect((await groups('prices', { by: 'country' })).status).toBe(200);
});

it.each([
  [{ by: 'missing' }, 'by'],
  [{ by: 'country', of: 'at' }, 'of'],
  [{ by: 'country', of: 'sizes' }, 'of'],
  [{ by: 'country', every: 'day' }, 'by'],
  [{ by: 'at', every: 'day', time_zone: `UTC'; DROP TABLE prices` }, 'time_zone'],
])('groups of a table are refused with %j', async (query, field) => {
  const { status, body } = await groups('prices', query as unknown as Record<string, string>);
  expect([status, (body.details ?? body.fields)[0].field]).toEqual([400, field]);
});

it('the groups of a table are at most 1,000, and hidden from other accounts', async () => {
  await write('CREATE TABLE many AS SELECT greatest(n, 2) AS n FROM generate_series(1, 1002) n');
  const { body } = await groups('many', { by: 'n' });
  expect([body.items.length, body.items[0], body.truncated]).toEqual([1_000, { group: 2, count: 2 }, true]);
  expect((await groups('many', { by: 'n' }, admin)).status).toBe(404);
});
