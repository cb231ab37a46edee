import { gzipSync } from 'node:zlib';
import { sampleOf } from '../../../../scripts/jest/sample.js';
import { appForFile } from '../../../test/test-app.js';
import { until } from '../../../test/until.js';
import { LostCommit, Session } from '../../data/postgres/sessions/session.js';
import { ImportSweepService } from './import-sweep.service.js';

const { app, developer, admin } = appForFile({ settings: { leaseMs: 6_000 } });

type Body = Record<string, any>;

let tables = 0;
const freshName = () => {
  tables += 1;
  return `Table "${tables}"; DROP TABLE x`;
};
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

async function sql(text: string, as = developer): Promise<Body[]> {
  const { body } = await as('POST', '/joint-api/postgres/query', { sql: text, read_only: false });
  expect(body.error_message ?? null).toBeNull();
  const names: string[] = (body.fields ?? []).map(({ name }: Body) => name);
  return (body.rows ?? []).map((row: unknown[]) =>
    Array.isArray(row) ? Object.fromEntries(names.map((name, at) => [name, row[at]])) : row,
  );
}
/** The rows of a table as PostgreSQL writes them. */
const rowsOf = (table: string, order = '1') => sql(`SELECT * FROM ${quoted(table)} ORDER BY ${order}`);

async function upload(file: string | Buffer, name: string, as = developer): Promise<string> {
  const type = { 'content-type': 'application/octet-stream' };
  const path = `/joint-api/imports/upload?file_name=${encodeURIComponent(name)}`;
  const { status, body } = await as('POST', path, Buffer.from(file), type);
  expect([status, body.error_message]).toEqual([201, null]);
  return body.id;
}
const start = (id: string, settings: object, as = developer) => as('POST', `/joint-api/imports/${id}/start`, settings);
const get = async (id: string, as = developer): Promise<Body> => (await as('GET', `/joint-api/imports/${id}`)).body;
const ended = (id: string) =>
  until(
    () => get(id),
    ({ state }) => !['queued', 'running'].includes(state),
  );
const preview = async (id: string, table: string): Promise<Body> =>
  (await developer('GET', `/joint-api/imports/${id}/preview?table=${encodeURIComponent(table)}`)).body;

async function imported(file: string | Buffer, table: string, settings: object = {}, name = 'rows.csv'): Promise<Body> {
  const id = await upload(file, name);
  const { status, body } = await start(id, { table, ...settings });
  // The job may have ended by now, and then its error is in the answer.
  if (status !== 202) throw new Error(body.error_message);
  return ended(id);
}
async function badRowsOf(id: string): Promise<string> {
  const headers = { authorization: `Bearer ${await app.token('developer')}` };
  return (await fetch(`${app.url}/joint-api/imports/${id}/bad-rows`, { headers })).text();
}
const typesOf = async (table: string) => {
  const { body } = await developer('GET', `/joint-api/postgres-tables/${encodeURIComponent(table)}`);
  return Object.fromEntries(body.columns.map(({ name, type }: Body) => [name, type]));
};

beforeEach(() => jest.restoreAllMocks());

test('20 files that are imported at once into one new table all arrive with every row', async () => {
  const table = freshName();
  await sql('SELECT 1'); // signs in once, not with each file
  const files = Array.from({ length: 20 }, (_, n) => `n,text\n${n * 2},a\n${n * 2 + 1},b\n`);
  const started = async (file: string) => {
    const id = await upload(file, 'rows.csv');
    await until(
      () => start(id, { table }),
      ({ status }) => status !== 429,
    );
    return ended(id);
  };
  const outcomes = await Promise.all(files.map(started));
  const seen = outcomes.map(({ state, inserted, error_message }) => `${state} ${inserted} ${error_message}`);
  expect([...new Set(seen)]).toEqual(['done 2 null']);
  expect((await rowsOf(table)).map(({ n }) => Number(n))).toEqual(Array.from({ length: 40 }, (_, n) => n));
});

test('an import uses a table that somebody else creates after its start only if the columns fit', async () => {
  const table = freshName();
  const { prototype } = Session;
  const { executeOwn } = prototype;
  let created = 0;
  jest.spyOn(prototype, 'executeOwn').mockImplementation(async function (this: Session, text) {
    if (text.includes('CREATE TABLE') && created++ === 0) await sql(`CREATE TABLE ${quoted(table)} (n text, m int)`);
    return executeOwn.call(this, text);
  });
  expect(await imported('n\n01\n2\n', table)).toMatchObject({ state: 'done', inserted: 2 });
  expect(await rowsOf(table)).toEqual([
    { n: '01', m: null },
    { n: '2', m: null },
  ]);
  created = 0;
  const other = freshName();
  jest.spyOn(prototype, 'executeOwn').mockImplementation(async function (this: Session, text) {
    if (text.includes('CREATE TABLE') && created++ === 0) await sql(`CREATE TABLE ${quoted(other)} (m int)`);
    return executeOwn.call(this, text);
  });
  const failed = await imported('n\n1\n', other);
  expect(failed).toMatchObject({ state: 'failed', error_code: 'validation_failed' });
  expect(failed.error_message).toContain('the table has no column n, only m');
});

test('a new table has the column names and types that the preview shows, and the rows of the file', async () => {
  const table = freshName();
  const file = [
    'id,isbn,price,day,at,yes,doc,key,raw,"quote"" x",empty',
    `1,9781314196702,1.50,2026-02-15,2026-02-15T09:30:00.000256Z,true,"{""a"":1}",${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)},\\x00ff,"a\\\tb\n''; DROP",`,
    '2,0415,1234567890123456789.125,1900-01-01,1815-12-10 00:00:00+00,false,[],,,\\N,""',
    '',
  ].join('\n');
  const id = await upload(gzipSync(file), 'books.csv.gz');
  const shown = await preview(id, table);
  expect(shown.table_columns).toBeNull();
  await start(id, { table });
  expect(await ended(id)).toMatchObject({
    state: 'done',
    inserted: 2,
    updated: 0,
    bad_rows: 0,
    table,
    schema: 'public',
  });
  const types = Object.fromEntries(shown.columns.map(({ field, type }: Body) => [field, type]));
  expect(types).toEqual({
    id: 'bigint',
    isbn: 'text',
    price: 'numeric',
    day: 'date',
    at: 'timestamptz',
    yes: 'boolean',
    doc: 'jsonb',
    key: 'uuid',
    raw: 'bytea',
    'quote" x': 'text',
    empty: 'text',
  });
  expect(await typesOf(table)).toEqual({ ...types, at: 'timestamp with time zone' });
  expect(await rowsOf(table)).toMatchObject([
    {
      id: '1',
      isbn: '9781314196702',
      price: '1.50',
      at: '2026-02-15T09:30:00.000256Z',
      'quote" x': "a\\\tb\n''; DROP",
      empty: null,
    },
    { id: '2', isbn: '0415', price: '1234567890123456789.125', key: null, raw: null, 'quote" x': '\\N', empty: '' },
  ]);
});

test.each([
  ['CSV', 'rows.csv', `zip\n${'10000\n'.repeat(1_100)}01234\n`],
  ['NDJSON', 'rows.ndjson', `${'{"zip":10000}\n'.repeat(1_100)}{"zip":"01234"}\n`],
])('a late value of %s is bad if it does not fit a column type that only Trawl guessed', async (_, name, file) => {
  const table = freshName();
  const failed = await imported(file, table, {}, name);
  expect(failed).toMatchObject({ state: 'failed', bad_rows: 1 });
  expect(failed.error_message).toContain('Row 1101: zip: "01234" does not say clearly that it is of the type bigint');
  const columns = [{ index: 0, field: 'zip', type: 'bigint' }];
  expect(await imported(file, table, { columns }, name)).toMatchObject({ state: 'done', inserted: 1_101 });
  // Now it is the table that has chosen the type.
  expect(await imported(file, table, {}, name)).toMatchObject({ state: 'done', inserted: 1_101 });
});

test('imports of Extended JSON and NDJSON keep long numbers, decimals, bytes, lists and objects in a table', async () => {
  const table = freshName();
  const row =
    '{"n":{"$numberLong":"9007199254740993"},"d":{"$numberDecimal":"-0.10"},"f":{"$numberDouble":"NaN"},"raw":{"$binary":{"base64":"AP8=","subType":"00"}},"list":[1,{"a":{"$numberLong":"9007199254740993"}}],"t":"x"}';
  const done = await imported(`${row}\n{"n":null}\n{"n":null,"x":1}\n`, table, { skip_bad_rows: true }, 'rows.ndjson');
  expect(done).toMatchObject({ state: 'done', inserted: 3 });
  expect(await typesOf(table)).toEqual({
    n: 'bigint',
    d: 'numeric',
    f: 'double precision',
    raw: 'bytea',
    list: 'jsonb',
    t: 'text',
    x: 'bigint',
  });
  const [first] = await sql(`SELECT n, d, f, raw, list::text AS list, t FROM ${quoted(table)} WHERE n IS NOT NULL`);
  expect(first).toEqual({
    n: '9007199254740993',
    d: '-0.10',
    f: 'NaN',
    raw: '\\x00ff',
    list: '[1, {"a": 9007199254740993}]',
    t: 'x',
  });
  const lines = ['{"n":9007199254740993,"t":"a\\u0000b"}', '{"n":9007199254740993,"list":{"a":1.50}}', '[]'];
  const more = await imported(lines.join('\n'), table, { skip_bad_rows: true }, 'rows.ndjson');
  expect(more).toMatchObject({ state: 'done', inserted: 1, bad_rows: 2 });
  expect(await badRowsOf(more.id)).toContain('t: PostgreSQL cannot store the character NUL in a text.');
  expect(await sql(`SELECT count(*) FROM ${quoted(table)} WHERE n = 9007199254740993`)).toEqual([{ count: '2' }]);
});

test.each([
  ['ndjson', (rows: string[]) => rows.join('\n')],
  ['json', (rows: string[]) => `[${rows.join()}]`],
])('an import of %s keeps every digit in jsonb, and objects that look like types', async (format, fileOf) => {
  const table = freshName();
  await sql(`CREATE TABLE ${quoted(table)} (id int, "exact" jsonb)`);
  const value = '{"a": [1.10, 0.1234567890123456789, 12345678901234567890], "b": {"$numberLong": "5"}}';
  const rows = [
    `{"id":1.0,"exact":${value}}`,
    '{"id":2,"exact":{"twice":1,"twice":"last"}}',
    '{"id":3.5,"exact":1.10}',
  ];
  const done = await imported(fileOf(rows), table, { format, skip_bad_rows: true }, `rows.${format}`);
  expect(done).toMatchObject({ state: 'done', inserted: 2, bad_rows: 1 });
  expect(await sql(`SELECT "exact"::text FROM ${quoted(table)} ORDER BY id`)).toEqual([
    { exact: value },
    { exact: '{"twice": "last"}' },
  ]);
  expect((await badRowsOf(done.id)).replaceAll('\\"', '"')).toContain('{"id":3.5,"exact":1.10}');
});

test.each([
  ['ndjson', (row: string) => row],
  ['json', (row: string) => `[${row}]`],
])('an import of %s keeps the final zeros of numbers, also in lists', async (format, fileOf) => {
  const table = freshName();
  await sql(
    `CREATE TABLE ${quoted(table)} (whole int, many int[], n numeric, t text, f float8, numbers numeric[], texts text[], docs jsonb[])`,
  );
  const list = '[1.0, 2.50, null, 12345678901234567890.10]';
  const row = `{"whole":2.0,"many":[1.0,2],"n":1.10,"t":1.10,"f":1.50,"numbers":${list},"texts":[1.10,"a,b"],"docs":[{"a":1.10},"text",1.0,["x"],null,true]}`;
  const done = await imported(fileOf(row), table, { format }, `rows.${format}`);
  expect([done.state, done.error_message]).toEqual(['done', null]);
  expect(
    await sql(
      `SELECT n, t, f, numbers::text, texts::text, to_json(docs)::text AS docs, many::text FROM ${quoted(table)}`,
    ),
  ).toEqual([
    {
      n: '1.10',
      t: '1.10',
      f: 1.5,
      numbers: '{1.0,2.50,NULL,12345678901234567890.10}',
      texts: '{1.10,"a,b"}',
      docs: '[{"a": 1.10},"text",1.0,["x"],null,true]',
      many: '{1,2}',
    },
  ]);
  const fresh = freshName();
  await imported(fileOf('{"price":1.00,"id":1,"t":"1.10"}'), fresh, { format }, `rows.${format}`);
  expect(await typesOf(fresh)).toEqual({ price: 'numeric', id: 'bigint', t: 'text' });
  expect(await sql(`SELECT price FROM ${quoted(fresh)}`)).toEqual([{ price: '1.00' }]);
});

test('an import of Extended JSON keeps numbers as numbers in jsonb, with any exponent', async () => {
  const table = freshName();
  const row =
    '{"o":{"a":{"$numberDouble":"1e+21"},"b":{"$numberDouble":"5e-7"},"c":{"$numberDecimal":"1E+3"},"d":{"$numberDouble":"NaN"}}}';
  expect(await imported(row, table, { format: 'extjson' }, 'rows.ndjson')).toMatchObject({
    state: 'done',
    inserted: 1,
  });
  expect(await sql(`SELECT o::text FROM ${quoted(table)}`)).toEqual([
    { o: '{"a": 1000000000000000000000, "b": 0.0000005, "c": 1000, "d": "NaN"}' },
  ]);
});

test.each([
  ['csv', 'id,tags,many\n1,"[""a"",""b\\""\\\\ "",null]","{{1,2},{3,4}}"\n2,"{x,y}",[]\n'],
  ['ndjson', '{"id":1,"tags":["a","b\\"\\\\ ",null],"many":[[1,2],[3,4]]}\n{"id":2,"tags":"{x,y}","many":[]}'],
])('an import of %s stores lists in array columns', async (format, file) => {
  const table = freshName();
  await sql(`CREATE TABLE ${quoted(table)} (id bigserial, tags text[], many int[], other text DEFAULT 'own')`);
  expect(await imported(file, table, { format }, `x.${format}`)).toMatchObject({ state: 'done', inserted: 2 });
  const rows = await sql(`SELECT id, to_json(tags)::text AS tags, many::text, other FROM ${quoted(table)} ORDER BY id`);
  expect(rows).toEqual([
    { id: '1', tags: JSON.stringify(['a', 'b"\\ ', null]), many: '{{1,2},{3,4}}', other: 'own' },
    { id: '2', tags: '["x","y"]', many: '{}', other: 'own' },
  ]);
});

const TYPED = `(id bigint PRIMARY KEY, price numeric(12,2), free numeric, day date, at timestamptz, local timestamp, yes boolean,
  ratio double precision, raw bytea, doc jsonb, key uuid, tags text[], name text)`;

test.each(['parquet', ...sampleOf(['csv', 'ndjson', 'extjson', 'xlsx'], { oneIn: 2 })])(
  'a table that is exported as %s and imported into one of the same definition has equal rows',
  async format => {
    const [from, to, fresh] = [freshName(), freshName(), freshName()];
    for (const name of [from, to]) await sql(`CREATE TABLE ${quoted(name)} ${TYPED}`);
    await sql(`INSERT INTO ${quoted(from)} VALUES
      (9007199254740993, 1234567890.12, 0.1, '1900-03-01', '2026-11-24T18:00:00.000256Z', '2026-11-24 12:00:00', true, 'NaN', '\\x00ff',
       '{"a": [1, {"b": null}], "long": 9007199254740991}', '0f0e0d0c-0b0a-0908-0706-050403020100', '{x,"y, \\"z"}', 'Žižek 👩‍👩‍👧‍👦'),
      (-1, -0.05, 12345678901234567890, '0001-01-01', '1815-12-10T00:00:00Z', '10000-01-01', false, '-0', '', '[]', NULL, '{}', E'a\\tb\\nc'),
      (123, NULL, NULL, NULL, NULL, NULL, NULL, 'Infinity', NULL, NULL, NULL, NULL, NULL)`);
    const path = `/joint-api/postgres-tables/${encodeURIComponent(from)}/export?format=${format}&flatten=false&escape_formulas=false`;
    const headers = { authorization: `Bearer ${await app.token('developer')}` };
    const file = Buffer.from(await (await fetch(`${app.url}${path}`, { headers })).arrayBuffer());
    const name = `rows.${format === 'extjson' ? 'ndjson' : format}`;
    for (const table of [to, fresh]) {
      const done = await imported(file, table, format === 'extjson' ? { format } : {}, name);
      expect([done.state, done.error_message, done.inserted]).toEqual(['done', null, 3]);
    }
    const rows = (table: string) => sql(`SELECT * FROM ${quoted(table)} ORDER BY id`);
    const cut = (row: Body) => (format === 'xlsx' ? { ...row, at: String(row.at).slice(0, 19), ratio: 0 } : row);
    expect((await rows(to)).map(cut)).toEqual((await rows(from)).map(cut));
  },
);

describe('an import into an existing table', () => {
  async function books(): Promise<string> {
    const table = freshName();
    await sql(
      `CREATE TABLE ${quoted(table)} (isbn text PRIMARY KEY, price numeric(6,2) CHECK (price > 0), kept text DEFAULT 'kept', twice numeric GENERATED ALWAYS AS (price * 2) STORED)`,
    );
    await sql(`INSERT INTO ${quoted(table)} VALUES ('a', 1), ('b', 2)`);
    return table;
  }

  test('reports the reason for each row that PostgreSQL refuses; skip_bad_rows imports the others', async () => {
    const table = await books();
    const good = Array.from({ length: 2_500 }, (_, n) => `g${n},${n + 1}`);
    const bad = ['a,1', 'x,abc', 'y,-1', 'z,123456', ',1', 'g7,1'];
    const file = `isbn,price\n${[...good.slice(0, 1_200), ...bad, ...good.slice(1_200)].join('\n')}\n`;
    const failed = await imported(file, table);
    expect(failed).toMatchObject({ state: 'failed', error_code: 'validation_failed', bad_rows: 6, inserted: null });
    expect(await sql(`SELECT count(*) FROM ${quoted(table)}`)).toEqual([{ count: '2' }]);
    const done = await imported(file, table, { skip_bad_rows: true });
    expect(done).toMatchObject({ state: 'done', bad_rows: 6, inserted: 2_500, rows_read: 2_506 });
    expect(await sql(`SELECT count(*), count(DISTINCT isbn) AS isbns, sum(price) FROM ${quoted(table)}`)).toEqual([
      { count: '2502', isbns: '2502', sum: `${(2_500 * 2_501) / 2 + 3}.00` },
    ]);
    const lines = (await badRowsOf(done.id)).trim().split('\n').slice(1).join('\n');
    expect(lines).toMatch(/^1201,.*Key \(isbn\)=\(a\) already exists.*,a,1$/m);
    expect(lines).toMatch(/^1202,.*price: invalid input syntax for type numeric.*,x,abc$/m);
    expect(lines).toMatch(/^1203,.*violates check constraint.*,y,-1$/m);
    expect(lines).toMatch(/^1204,.*numeric field overflow.*,z,123456$/m);
    expect(lines).toMatch(/^1205,.*null value in column ""isbn"".*,,1$/m);
  });

  test('with a key updates rows and keeps their other columns; a repeated key in the file is bad', async () => {
    const table = await books();
    await sql(`UPDATE ${quoted(table)} SET kept = 'mine'`);
    const file = 'isbn,price\na,10\nc,30\nc,31\n,5\n';
    const done = await imported(file, table, { key: ['isbn'], skip_bad_rows: true });
    expect(done).toMatchObject({ state: 'done', inserted: 1, updated: 1, bad_rows: 2 });
    expect(await rowsOf(table)).toEqual([
      { isbn: 'a', price: '10.00', kept: 'mine', twice: '20.00' },
      { isbn: 'b', price: '2.00', kept: 'mine', twice: '4.00' },
      { isbn: 'c', price: '30.00', kept: 'kept', twice: '60.00' },
    ]);
    expect(await badRowsOf(done.id)).toContain('An earlier row of the file has the same isbn.');
  });

  const FILES: Record<string, (rows: string[]) => string> = {
    ndjson: rows => rows.join('\n'),
    extjson: rows => rows.join('\n'),
    json: rows => `[${rows.join()}]`,
  };

  test.each(Object.keys(FILES))(
    'with a key keeps columns that a row of %s does not name, and gives new rows defaults',
    async format => {
      const table = freshName();
      await sql(
        `CREATE TABLE ${quoted(table)} (id int PRIMARY KEY, name text, "no" int NOT NULL DEFAULT 7, at bigint GENERATED ALWAYS AS IDENTITY)`,
      );
      await sql(`INSERT INTO ${quoted(table)} VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3)`);
      const rows = [
        '{"id":1,"name":null}',
        '{"id":2,"no":20}',
        '{"id":3}',
        '{"id":4,"name":"four"}',
        '{"id":5,"no":null}',
        '{"name":"no key"}',
      ];
      const file = (FILES[format] as (rows: string[]) => string)(rows);
      const settings = { format, key: ['id'], skip_bad_rows: true };
      const done = await imported(file, table, settings, 'rows.json');
      expect(done).toMatchObject({ state: 'done', inserted: 1, updated: 3, bad_rows: 2 });
      expect(await rowsOf(table)).toMatchObject([
        { id: 1, name: null, no: 1, at: '1' },
        { id: 2, name: 'two', no: 20, at: '2' },
        { id: 3, name: 'three', no: 3, at: '3' },
        { id: 4, name: 'four', no: 7 },
      ]);
    },
  );

  test('of NDJSON gives defaults to columns that a row does not name, even to rows without fields', async () => {
    const table = freshName();
    await sql(`CREATE DOMAIN of_domain AS text DEFAULT 'domain'`);
    await sql(
      `CREATE TABLE ${quoted(table)} (id bigserial, name text DEFAULT 'none', size of_domain, at bigint GENERATED ALWAYS AS IDENTITY)`,
    );
    const rows = ['{"id":1,"name":null}', '{"id":2,"size":"s"}', '{"name":"x"}', '{}', '{"id":10,"at":9}'];
    expect(await imported(rows.join('\n'), table, {}, 'rows.ndjson')).toMatchObject({ state: 'done', inserted: 5 });
    expect(await sql(`SELECT name, size, count(*) FROM ${quoted(table)} GROUP BY 1, 2 ORDER BY 1, 2`)).toEqual([
      { name: 'none', size: 'domain', count: '2' },
      { name: 'none', size: 's', count: '1' },
      { name: 'x', size: 'domain', count: '1' },
      { name: null, size: 'domain', count: '1' },
    ]);
    expect(await sql(`SELECT count(id), count(at) FROM ${quoted(table)}`)).toEqual([{ count: '5' }]);
  });

  test.each([
    ['isbn,cost\na,1\n', {}, 'columns', 'the table has no column cost'],
    ['isbn,price\na,1\n', { key: ['price'] }, undefined, 'no unique index on exactly price'],
    ['isbn,price\na,1\n', { key: ['x'] }, 'key', 'no column of the import is named x'],
    ['isbn,price\na,1\n', { schema: 'none' }, 'schema', 'no schema none'],
    ['isbn,price\na,1\n', { db_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' }, 'db_id', 'cannot be combined'],
    ['isbn,price\na,1\n', { columns: [{ index: 0, field: 'no', type: 'text' }] }, 'columns.0.field', 'no column no'],
  ])('is refused for the file %j with the settings %j', async (file, settings, field, message) => {
    const table = await books();
    const { status, body } = await start(await upload(file, 'x.csv'), { table, ...settings });
    expect([status, body.details?.[0]?.field]).toEqual([field ? 400 : 422, field]);
    expect(body.error_message).toContain(message);
  });

  test('fails if a trigger leaves out all rows', async () => {
    const table = await books();
    await sql(`CREATE OR REPLACE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
    await sql(`CREATE TRIGGER t BEFORE INSERT ON ${quoted(table)} FOR EACH ROW EXECUTE FUNCTION nothing()`);
    const failed = await imported('isbn,price\nq,1\n', table);
    expect(failed).toMatchObject({ state: 'failed', error_code: 'storage_rejected' });
    expect(failed.error_message).toContain('stored none of the 1 rows');
  });

  test('fails if a deferred constraint is violated, and the table does not change', async () => {
    const table = await books();
    const child = freshName();
    await sql(
      `CREATE TABLE ${quoted(child)} (isbn text REFERENCES ${quoted(table)} DEFERRABLE INITIALLY DEFERRED, n int)`,
    );
    const failed = await imported('isbn,n\nmissing,1\n', child);
    expect(failed).toMatchObject({ state: 'failed', error_code: 'storage_rejected' });
    expect(failed.error_message).toContain('violates foreign key constraint');
    expect(await rowsOf(child)).toEqual([]);
  });

  test('by another account that has no such table does not change the owner’s table', async () => {
    const table = await books();
    const id = await upload('isbn,price\nq,1\n', 'x.csv', admin);
    const { status } = await start(id, { table }, admin);
    expect(status).toBe(202);
    await until(
      () => get(id, admin),
      ({ state }) => state === 'done',
    );
    expect(await rowsOf(table)).toHaveLength(2);
    await sql(`DROP TABLE ${quoted(table)}`, admin);
  });
});

describe('an import whose backend loses the answer of COMMIT', () => {
  test.each(['committed', 'aborted'])('stores each row once if PostgreSQL reports it as %s', async outcome => {
    const table = freshName();
    let lost = 0;
    const commit = Session.prototype.commit;
    jest.spyOn(Session.prototype, 'commit').mockImplementation(async function (this: Session) {
      // Reads of Trawl itself commit, too.
      if ((await this.transactionId()) === null || lost > 0) return commit.call(this);
      lost += 1;
      if (outcome === 'committed') await commit.call(this);
      else await this.rollback();
      throw new LostCommit();
    });
    const done = await imported('n\n1\n2\n3\n', table);
    expect(done).toMatchObject({ state: 'done', inserted: 3, error_message: null });
    expect(lost).toBe(1);
    expect(await rowsOf(table)).toHaveLength(3);
  });

  test('cannot be started again until the sweep has asked PostgreSQL, and is then done', async () => {
    const table = freshName();
    const { id } = await imported('n\n1\n', table);
    const [{ xid } = {}] = await sql(`SELECT xmin::text AS xid FROM ${quoted(table)}`);
    const move = { way: 'commit', since: new Date().toISOString(), xid, last: 1, rows: 1, inserted: 1, updates: 0 };
    await app.sql(`UPDATE imports SET move = $2 WHERE id = $1`, [id, JSON.stringify(move)]);
    await app.sql(
      `UPDATE jobs SET state = 'failed', result = NULL WHERE id = (SELECT job_id FROM imports WHERE id = $1)`,
      [id],
    );
    await app.sql(`INSERT INTO import_chunks (import_id, part, n, bytes) VALUES ($1, 'source', 0, 'n\n1\n')`, [id]);
    expect((await start(id, { table })).body.error_message).toContain('already running');
    await app.part(ImportSweepService).sweep();
    expect(await ended(id)).toMatchObject({ state: 'done', inserted: 1 });
    expect(await rowsOf(table)).toHaveLength(1);
  });
});

test('an import can be cancelled while PostgreSQL executes its statement, and the table does not change', async () => {
  const table = freshName();
  await sql(`CREATE TABLE ${quoted(table)} (n int)`);
  await sql(
    `CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(20); RETURN NEW; END'`,
  );
  await sql(`CREATE TRIGGER t BEFORE INSERT ON ${quoted(table)} FOR EACH ROW EXECUTE FUNCTION waits()`);
  const id = await upload('n\n1\n', 'x.csv');
  await start(id, { table });
  await until(
    () => get(id),
    ({ state }) => state === 'running',
  );
  await developer('POST', `/joint-api/imports/${id}/cancel`);
  expect(await ended(id)).toMatchObject({ state: 'cancelled' });
  expect(await rowsOf(table)).toEqual([]);
});
