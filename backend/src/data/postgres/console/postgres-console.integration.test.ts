import { randomUUID } from 'node:crypto';
import { SHARES } from '@trawl/contracts';
import { databaseOf } from '../../../../test/servers/user-postgres.js';
import { appForFile } from '../../../../test/test-app.js';
import { until } from '../../../../test/until.js';
import { RunawaysService } from '../server/runaways.service.js';
import { UserServerService } from '../server/user-server.service.js';

const { app, developer, admin } = appForFile({ settings: { callsAtOnce: 200 } });

const query = (sql: string, more: object = {}) => developer('POST', '/joint-api/postgres/query', { sql, ...more });
const write = (sql: string, more: object = {}) => query(sql, { read_only: false, ...more });

/** Waits until this many statements of the developer are in `pg_sleep`. */
async function sleeping(count: number): Promise<void> {
  const role = await databaseOf(app, 'developer');
  const sql = `SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND wait_event = 'PgSleep'`;
  await until(
    () => app.part(UserServerService).maintain(role, sql, [role]),
    rows => rows.length === count,
  );
}

it('the SQL console executes statements with parameters and returns values with their types', async () => {
  expect((await developer('GET', '/joint-api/postgres-tables/list')).body).toMatchObject({ total: 0, items: [] });
  const created = await write('CREATE TABLE books (id int PRIMARY KEY, title text, price numeric(8,2) DEFAULT 1)');
  expect(created.body).toMatchObject({ command: 'CREATE', fields: [], rows: [], truncated: false });
  const inserted = await write('INSERT INTO books VALUES ($1, $2, $3), (2, $4, NULL)', {
    params: [1, 'Sails', '9.5', null],
  });
  expect(inserted.body).toMatchObject({ command: 'INSERT', row_count: 2, rows: [] });
  const { body } = await query(
    `SELECT id, title, price, true AS t, '{"a":[1]}'::jsonb AS j, 9007199254740993 AS big, timestamptz '2026-01-02 03:04:05.6+01' AS at,
            '\\x00ff'::bytea AS bytes, ARRAY[1,2] AS list FROM books ORDER BY id`,
  );
  expect(body.rows).toEqual([
    [1, 'Sails', '9.50', true, { a: [1] }, '9007199254740993', '2026-01-02T02:04:05.6Z', '\\x00ff', '{1,2}'],
    [2, null, null, true, { a: [1] }, '9007199254740993', '2026-01-02T02:04:05.6Z', '\\x00ff', '{1,2}'],
  ]);
  expect(body.fields.map((field: { type: string }) => field.type)).toEqual([
    'integer',
    'text',
    'numeric',
    'boolean',
    'jsonb',
    'bigint',
    'timestamp with time zone',
    'bytea',
    'integer[]',
  ]);
  expect(body).toMatchObject({ command: 'SELECT', row_count: 2, truncated: false });
});

it('the API lists PostgreSQL tables, columns and pages of rows to their owner, and hides them from other accounts', async () => {
  await write('CREATE TABLE "odd "" name" (n int, "x y" text)');
  await write(`INSERT INTO "odd "" name" SELECT i, 'v' || i FROM generate_series(1, 120) i`);
  const at = `/joint-api/postgres-tables/${encodeURIComponent('odd " name')}`;
  expect((await developer('GET', '/joint-api/postgres-tables/list')).body.items).toContainEqual(
    expect.objectContaining({ schema: 'public', name: 'odd " name', kind: 'table' }),
  );
  expect((await developer('GET', at)).body.columns).toEqual([
    { name: 'n', type: 'integer', nullable: true, default: null, primary_key: false },
    { name: 'x y', type: 'text', nullable: true, default: null, primary_key: false },
  ]);
  const page = await developer('GET', `${at}/rows?sort=-n&limit=2&skip=1`);
  expect(page.body).toEqual({
    total: 120,
    limit: 2,
    skip: 1,
    items: [
      { n: 119, 'x y': 'v119' },
      { n: 118, 'x y': 'v118' },
    ],
  });
  expect((await developer('GET', `${at}/rows?sort=nothing`)).body).toMatchObject({ error_code: 'validation_failed' });
  for (const path of [at, `${at}/rows`]) expect((await admin('GET', path)).status).toBe(404);
  expect((await admin('GET', '/joint-api/postgres-tables/list')).body.items).toEqual([]);
});

it('a read-only SQL statement changes nothing, even if it tries to make its transaction writable', async () => {
  await write('CREATE TABLE kept (n int)');
  await write(`CREATE FUNCTION sneak() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    PERFORM set_config('transaction_read_only', 'off', true); INSERT INTO kept VALUES (1); RETURN 'in'; END $$`);
  for (const sql of [
    'INSERT INTO kept VALUES (1)',
    'SET TRANSACTION READ WRITE',
    'SELECT sneak()',
    `SELECT set_config('transaction_read_only', 'off', false)`,
    'DO $$ BEGIN COMMIT; INSERT INTO kept VALUES (1); END $$',
  ]) {
    expect((await query(sql)).body).toMatchObject({ error_code: 'storage_rejected' });
  }
  for (const sql of ['COMMIT', 'ROLLBACK AND CHAIN', 'SET default_transaction_read_only = off']) await query(sql);
  expect((await query('INSERT INTO kept VALUES (1)')).body.details).toEqual({ sqlstate: '25006' });
  expect((await query('SELECT * FROM kept')).body.rows).toEqual([]);
});

it('the SQL console refuses faulty statements, several at once and COPY, with the SQLSTATE and the position', async () => {
  const wrong = await query('SELECT missing FROM pg_class');
  expect(wrong).toMatchObject({
    status: 422,
    body: { error_code: 'storage_rejected', details: { sqlstate: '42703', position: 8 } },
  });
  expect(wrong.body.error_message).toBe('column "missing" does not exist. (SQLSTATE 42703, position 8)');
  const parameters = await query('SELECT $1::int AS n', { params: [1, 2] });
  expect(parameters).toMatchObject({ status: 422, body: { details: { sqlstate: '08P01' } } });
  expect((await query('SELECT 1; SELECT 2')).body.details).toMatchObject({ sqlstate: '42601' });
  expect((await query('COPY (SELECT 1) TO STDOUT')).body.error_message).toMatch('does not support COPY');
  await write('CREATE TABLE copied (n int)');
  expect((await write('COPY copied FROM STDIN')).body.error_message).toMatch('does not support COPY');
  await write('CREATE TABLE parent (n int PRIMARY KEY)');
  await write('CREATE TABLE child (n int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)');
  expect((await write('INSERT INTO child VALUES (1)')).body.details).toMatchObject({ sqlstate: '23503' });
  expect((await query('SELECT * FROM child')).body.rows).toEqual([]);
  await write('INSERT INTO parent VALUES (1)');
  expect(await write('INSERT INTO parent VALUES (1)')).toMatchObject({
    status: 409,
    body: { error_code: 'storage_duplicate_key' },
  });
  expect((await query('')).status).toBe(400);
  expect((await query('-- nothing')).status).toBe(200);
  expect((await write('VACUUM parent')).status).toBe(200);
});

it('a SQL query returns at most 1,000 rows, fewer if they are large, and refuses a row of 50 MB', async () => {
  const many = await query('SELECT i FROM generate_series(1, 5000) i');
  expect(many.body).toMatchObject({ truncated: true, row_count: null });
  expect(many.body.rows).toHaveLength(1_000);
  expect((await query('SELECT i FROM generate_series(1, 1000) i')).body).toMatchObject({
    truncated: false,
    row_count: 1_000,
  });
  expect((await query(`SELECT repeat('x', 3000000) FROM generate_series(1, 3)`)).body).toMatchObject({
    truncated: true,
  });
  expect((await query(`SELECT repeat('x', 50000000)`)).body).toMatchObject({ error_code: 'payload_too_large' });
  expect((await query('SELECT 1')).status).toBe(200);
});

it('a SQL query returns JSON values as JSON, and JSON that is nested too deeply as text', async () => {
  const nested = (depth: number) => query(`SELECT (repeat('[', $1) || repeat(']', $1))::json`, { params: [depth] });
  expect((await nested(3)).body.rows).toEqual([[[[[]]]]]);
  expect((await nested(6_000)).body.rows).toEqual([['['.repeat(6_000) + ']'.repeat(6_000)]]);
});

it('the SQL console refuses a statement that changes client_encoding, and rolls it back', async () => {
  await write('CREATE TABLE encoded (n int)');
  // In this encoding, the second byte of the letter is a backslash.
  const changed = await write(
    `WITH added AS (INSERT INTO encoded VALUES (1)) SELECT '{"a":"ソ"}'::json FROM (SELECT set_config('client_encoding', 'SJIS', false)) s`,
  );
  expect(changed).toMatchObject({ status: 422, body: { error_message: expect.stringContaining('client_encoding') } });
  expect((await query('SELECT * FROM encoded')).body.rows).toEqual([]);
  expect((await query(`SELECT 'ソ'`)).body.rows).toEqual([['ソ']]);
});

it('a SQL query is cancelled by its query_id, and when its client disconnects', async () => {
  const query_id = randomUUID();
  const running = query('SELECT pg_sleep(600)', { query_id });
  const cancel = (api = developer) => api('POST', `/joint-api/postgres/query/${query_id}/cancel`);
  expect((await cancel(admin)).body).toEqual({ cancelled: false });
  await until(cancel, ({ body }) => body.cancelled);
  expect((await running).body).toMatchObject({ error_code: 'storage_rejected', details: { sqlstate: '57014' } });
  expect((await cancel()).body).toEqual({ cancelled: false });

  // VACUUM has no transaction. Here it calls a function in an index, which takes long.
  const nap = (body: string) =>
    write(
      `CREATE OR REPLACE FUNCTION nap(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN n; END $$`,
    );
  await nap('');
  await write('CREATE TABLE napping WITH (autovacuum_enabled = off) AS SELECT 1 AS n');
  await write('CREATE INDEX ON napping (nap(n))');
  await nap('PERFORM pg_sleep(600);');
  const vacuuming = write('VACUUM FULL napping', { query_id });
  await until(cancel, ({ body }) => body.cancelled);
  expect((await vacuuming).body).toMatchObject({ error_code: 'storage_rejected', details: { sqlstate: '57014' } });

  const sleeping = async () =>
    (await query(`SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE '%pg_sleep(601)'`)).body.rows[0][0];
  const left = new AbortController();
  const token = await app.token('developer');
  const aborted = fetch(`${app.url}/joint-api/postgres/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: 'SELECT pg_sleep(601)' }),
    signal: left.signal,
  }).catch(() => undefined);
  await until(sleeping, count => count === 1);
  left.abort();
  await aborted;
  await until(sleeping, count => count === 0);
});

it('a SQL statement that waits for a session can be cancelled, and PostgreSQL never receives it', async () => {
  const ids = Array.from({ length: SHARES.postgresCallsAtOnce }, () => randomUUID());
  const cancel = (id: string) => developer('POST', `/joint-api/postgres/query/${id}/cancel`);
  const running = ids.map(query_id => query('SELECT pg_sleep(600)', { query_id }));
  await sleeping(ids.length);
  const query_id = randomUUID();
  const waiting = write('CREATE TABLE never_made (n int)', { query_id });
  await until(
    () => cancel(query_id),
    ({ body }) => body.cancelled,
  );
  for (const id of ids) expect((await cancel(id)).body).toEqual({ cancelled: true });
  await Promise.all(running);
  expect((await waiting).body).toMatchObject({ error_code: 'storage_rejected', details: { sqlstate: '57014' } });
  expect((await query(`SELECT to_regclass('never_made')`)).body.rows).toEqual([[null]]);
});

it('a SQL statement that ends before its cancellation arrives is not reported as cancelled', async () => {
  await query('SELECT 1');
  const query_id = randomUUID();
  const late = jest.spyOn(app.part(RunawaysService), 'cancel').mockResolvedValue(true);
  const running = query('SELECT pg_sleep(5)', { query_id });
  await sleeping(1);
  const { body } = await developer('POST', `/joint-api/postgres/query/${query_id}/cancel`);
  late.mockRestore();
  expect([body, (await running).status]).toEqual([{ cancelled: false }, 200]);
});

it.each(['BEGIN', '; start transaction', '-- first\n/* /* and */ * */ begin;', 'ROLLBACK', 'COMMIT', 'SAVEPOINT a'])(
  'the SQL console refuses %j, because each statement runs in a transaction of its own',
  async sql => {
    const { status, body } = await write(sql);
    expect([status, body.error_code]).toEqual([422, 'storage_rejected']);
    expect(body.error_message).toContain('a transaction of its own');
  },
);

it('the SQL console executes a DO block that contains BEGIN, and refuses several statements in one call', async () => {
  expect((await write('DO $$\nBEGIN\nPERFORM 1;\nEND $$')).status).toBe(200);
  expect((await query('SELECT 1; SELECT 2')).body.error_message).toContain('Send one statement at a time.');
});

it('a SQL statement that is sent twice with the same Idempotency-Key is executed once', async () => {
  await write('CREATE TABLE keyed (n int)');
  const body = { sql: 'INSERT INTO keyed VALUES (1)', read_only: false };
  const key = { 'idempotency-key': randomUUID() };
  const first = await developer('POST', '/joint-api/postgres/query', body, key);
  const again = await developer('POST', '/joint-api/postgres/query', body, key);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect((await query('SELECT count(*)::int FROM keyed')).body.rows).toEqual([[1]]);
});

it('an API key with the scope read does not get the saved response of a write by its Idempotency-Key', async () => {
  const write = { sql: "SELECT 'only for keys that write'", read_only: false };
  const key = { 'idempotency-key': randomUUID() };
  expect((await developer('POST', '/joint-api/postgres/query', write, key)).status).toBe(200);
  const { body: read } = await developer('POST', '/joint-api/keys/addnew', { name: 'repeats', scope: 'read' });
  const again = await app.anonymous('POST', '/joint-api/postgres/query', write, {
    ...key,
    authorization: `Bearer ${read.key}`,
  });
  expect([again.status, again.body.error_code]).toEqual([409, 'idempotency_key_reused']);
});

it('the SQL console refuses a call with 429 when too many calls of the account wait', async () => {
  await query('SELECT 1');
  const answers = await Promise.all(Array.from({ length: 160 }, () => query('SELECT pg_sleep(0.1)')));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ status: 429, body: { error_code: 'too_many_requests' } });
});

it('an API key with the scope read can execute only SQL that reads, whatever the statement tries', async () => {
  await write('CREATE TABLE read_only (n int)');
  await write('CREATE SEQUENCE numbers');
  await write('CREATE TABLE indexed (n int, words text[])');
  await write('CREATE INDEX words ON indexed USING gin (words)');
  await write('CREATE INDEX blocks ON indexed USING brin (n)');
  await write("CREATE FUNCTION adds() RETURNS void LANGUAGE sql AS 'INSERT INTO read_only VALUES (1)'");
  const { body: key } = await developer('POST', '/joint-api/keys/addnew', { name: 'reads', scope: 'read' });
  const asKey = (sql: string, more: object = {}) =>
    app.anonymous('POST', '/joint-api/postgres/query', { sql, ...more }, { authorization: `Bearer ${key.key}` });
  expect(await asKey('SELECT count(*)::int FROM read_only')).toMatchObject({ status: 200, body: { rows: [[0]] } });
  const refused = await asKey('SELECT 1', { read_only: false });
  expect(refused.status).toBe(403);
  expect(refused.body.error_message).toMatch(
    /^A statement with `read_only: false` needs an API key with the scope all; the key “reads” has the scope read/,
  );
  for (const sql of [
    'WITH added AS (INSERT INTO read_only VALUES (1) RETURNING n) SELECT n FROM added',
    'SELECT adds()',
    'EXPLAIN ANALYZE INSERT INTO read_only VALUES (1)',
    `SELECT set_config('transaction_read_only', 'off', false), adds()`,
    `SELECT nextval('numbers')`,
    `SELECT setval('numbers', 5)`,
    'SELECT lo_create(1)',
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = CURRENT_USER',
    'SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = CURRENT_USER',
    `SELECT pg_logical_emit_message(false, 'a', 'b')`,
    `SELECT gin_clean_pending_list('words')`,
    `SELECT brin_summarize_new_values('blocks')`,
    `SELECT brin_summarize_range('blocks', 0)`,
    `SELECT pg_clear_relation_stats('public', 'read_only')`,
    `SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', 'read_only', 'reltuples', 9::real)`,
  ]) {
    expect({ sql, status: (await asKey(sql)).status }).toEqual({ sql, status: 422 });
  }
  for (const sql of [
    'INSERT INTO read_only VALUES (1)',
    'SET TRANSACTION READ WRITE',
    'DO $$ BEGIN SET TRANSACTION READ WRITE; PERFORM adds(); END $$',
    'DO $$ BEGIN COMMIT; PERFORM adds(); END $$',
    'DO $$ BEGIN SET default_transaction_read_only = off; ROLLBACK; PERFORM adds(); END $$',
    'CREATE TABLE others (n int)',
    'ALTER ROLE CURRENT_USER SET default_transaction_read_only = off',
    'TRUNCATE read_only',
    'VACUUM read_only',
    'LOCK TABLE read_only IN ACCESS EXCLUSIVE MODE',
    'DO $$ BEGIN LOCK TABLE read_only; PERFORM pg_sleep(25); END $$',
    'REINDEX TABLE read_only',
    'NOTIFY others',
    '/* SELECT */ -- SELECT\n LOCK TABLE read_only',
    '/* /* */ SELECT */ LOCK TABLE read_only',
    '--/*\n LOCK TABLE read_only --*/ SELECT',
    '/* -- */ LOCK TABLE read_only --\n */ SELECT',
    '/**/;(LOCK TABLE read_only)',
  ]) {
    expect({ sql, status: (await asKey(sql)).status }).toEqual({ sql, status: 403 });
  }
  for (const sql of [
    '(SELECT 1) UNION (SELECT 2)',
    '-- /* all\n/* -- */ TABLE read_only',
    'values (1)',
    'SHOW work_mem',
    'EXPLAIN SELECT 1',
  ]) {
    expect({ sql, status: (await asKey(sql)).status }).toEqual({ sql, status: 200 });
  }
  // PostgreSQL creates these tables in a read-only transaction, too, and Trawl rolls it back.
  for (const sql of [
    'EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1 AS n',
    'EXPLAIN (ANALYZE) CREATE MATERIALIZED VIEW made AS SELECT 1 AS n',
    'EXPLAIN ANALYZE SELECT 1 AS n INTO made',
  ]) {
    expect({ sql, status: (await asKey(sql)).status }).toEqual({ sql, status: 200 });
    expect((await query(`SELECT to_regclass('made')`)).body.rows).toEqual([[null]]);
  }
  // It can see the id of a statement that writes, but not cancel that statement.
  const query_id = randomUUID();
  const writing = write('SELECT pg_sleep(600)', { query_id });
  await until(
    () => asKey(`SELECT count(*)::int FROM pg_stat_activity WHERE application_name LIKE '%${query_id}'`),
    ({ body }) => body.rows?.[0]?.[0] === 1,
  );
  const path = `/joint-api/postgres/query/${query_id}/cancel`;
  const authorization = `Bearer ${key.key}`;
  expect((await app.anonymous('POST', path, undefined, { authorization })).body).toEqual({ cancelled: false });
  const reading = asKey('SELECT pg_sleep(600)', { query_id });
  await until(
    () => app.anonymous('POST', path, undefined, { authorization }),
    ({ body }) => body.cancelled,
  );
  expect((await reading).body.details).toEqual({ sqlstate: '57014' });
  await until(
    () => developer('POST', path),
    ({ body }) => body.cancelled,
  );
  expect((await writing).body.details).toEqual({ sqlstate: '57014' });
  // A setting that stays in the session must not let the next statement of the read key write.
  await query('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE');
  expect((await asKey('SELECT adds()')).status).toBe(422);
  expect((await query('SELECT count(*)::int FROM read_only')).body.rows).toEqual([[0]]);
});
