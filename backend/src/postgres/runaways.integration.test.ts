import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDir, type EmbeddedDatabases, startEmbedded } from '@trawl/embedded';
import { sampleOf } from '../../../scripts/jest/sample.js';
import { databaseOf } from '../../test/servers/user-postgres.js';
import { startTestApp, type TestApp } from '../../test/test-app.js';
import { until } from '../../test/until.js';
import { RunawaysService } from './server/runaways.service.js';
import { UserServerService } from './server/user-server.service.js';
import { STATEMENT_MS, UserStatementsService } from './sessions/user-statements.service.js';

// All accounts share one server here, as on platforms whose USER_POSTGRES_URL is an ordinary PostgreSQL server.

let app: TestApp;
let developer: Awaited<ReturnType<TestApp['as']>>;
let admin: typeof developer;
let server: EmbeddedDatabases;
const folder = mkdtempSync(join(tmpdir(), 'trawl-runaways-'));

const call = (api: typeof developer, sql: string, more: object = {}) =>
  api('POST', '/joint-api/postgres/query', { sql, read_only: false, ...more });
const query = (sql: string, more?: object) => call(developer, sql, more);
const statements = () => app.part(UserStatementsService);

/**
 * Loops in C that look for no cancellation. Each would compute for minutes to years. Their values are made before, because a
 * slow machine may reach the time limit while it makes them, and PostgreSQL can stop that.
 */
const UNSTOPPABLE = {
  'a search in a long text': {
    values: `repeat('a', 4000000) AS a, 'b' || repeat('a', 2000000) AS b`,
    sql: 'SELECT strpos(a, b) FROM big',
  },
  XMLTABLE: {
    values: `('<r>' || repeat('<a/>', 3000) || '</r>')::xml AS a`,
    sql: `SELECT x.n FROM big, XMLTABLE('//a[count(//a[count(//a[count(//a) > 0]) > 0]) > 0]' PASSING a COLUMNS n text PATH '.') x`,
  },
  replace: {
    values: `repeat('a', 4000000) AS a, 'b' || repeat('a', 2000000) AS b`,
    sql: `SELECT length(replace(a, b, '')) FROM big`,
  },
  string_to_array: {
    values: `repeat('a', 4000000) AS a, 'b' || repeat('a', 2000000) AS b`,
    sql: 'SELECT string_to_array(a, b) FROM big',
  },
  translate: {
    values: `repeat('a', 4000000) AS a, repeat('b', 4000000) || 'a' AS b`,
    sql: `SELECT length(translate(a, b, '')) FROM big`,
  },
  'position of bytes': {
    values: `convert_to(repeat('a', 4000000) || 'b', 'UTF8') AS a, convert_to(repeat('a', 9000000), 'UTF8') AS b`,
    sql: 'SELECT position(a IN b) FROM big',
  },
  'position of bits': {
    values: `(repeat('0', 9000000) || '1')::varbit AS a, repeat('0', 20000000)::varbit AS b`,
    sql: 'SELECT position(a IN b) FROM big',
  },
  'arrays that overlap': {
    values: 'ARRAY(SELECT generate_series(1, 3000000)) AS a, ARRAY(SELECT -generate_series(1, 3000000)) AS b',
    sql: 'SELECT a OPERATOR(pg_catalog.&&) b FROM big',
  },
  'JSON that contains JSON': {
    values: 'jsonb_agg(n) AS a, jsonb_agg(300000) AS b FROM generate_series(1, 300000) n',
    sql: 'SELECT a @> b FROM big',
  },
  'JSON paths that compare': {
    values: 'jsonb_agg(n) AS a FROM generate_series(1, 100000) n',
    sql: `SELECT jsonb_path_query_first(a, 'strict $[*] == -$[*]') FROM big`,
  },
  'keys that are removed': {
    values: `jsonb_object_agg(n, n) AS a, array_agg('k' || n) AS b FROM generate_series(1, 400000) n`,
    sql: 'SELECT a - b FROM big',
  },
  'distance of paths': {
    values: `('(' || repeat('(0,0),(1,0),', 200000) || '(0,1))')::path AS a`,
    sql: 'SELECT a <-> a FROM big',
  },
};

/** Makes the values of a statement, and returns the statement. */
async function prepared(name: keyof typeof UNSTOPPABLE): Promise<string> {
  const { values, sql } = UNSTOPPABLE[name];
  expect((await query('DROP TABLE IF EXISTS big')).status).toBe(200);
  expect((await query(`CREATE TABLE big AS SELECT ${values}`)).status).toBe(200);
  return sql;
}

/** Heavy calls of functions that somebody may suspect. PostgreSQL ends each of them when it is told to. */
const STOPPABLE = {
  'a loop': 'DO $$ BEGIN LOOP NULL; END LOOP; END $$',
  'a loop that catches': `DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(9); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$`,
  recursion: 'WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n FROM r) SELECT count(*) FROM r',
  'a regular expression': `SELECT regexp_matches(repeat('a', 5000) || 'b', '(a*)*(a*)*\\1\\2c')`,
  'LIKE with many wildcards': `SELECT repeat('a', 3000) LIKE repeat('%a', 20) || '%b'`,
  'a JSON path with a regular expression': `SELECT jsonb_path_exists(to_jsonb(repeat('a', 5000)), '$ ? (@ like_regex "(a*)*(a*)*c")')`,
  'nested wildcards of JSON paths': `SELECT jsonb_path_query((repeat('[', 500) || repeat(']', 500))::jsonb, '$.**.**.**.**.**.b')`,
  'a large power': 'SELECT length((9.99999::numeric ^ 130000)::text)',
  'a large factorial': 'SELECT length(factorial(30000)::text)',
  'a common divisor': `SELECT gcd(repeat('9', 131000)::numeric, repeat('7', 130999)::numeric)`,
  'a phrase in a text': `SELECT to_tsvector(repeat('a b ', 100000)) @@ ('a' || repeat('<->a', 3000))::tsquery`,
  'a plan of many joins': `DO $$ BEGIN SET LOCAL geqo = off; SET LOCAL join_collapse_limit = 100; SET LOCAL from_collapse_limit = 100;
    EXECUTE 'EXPLAIN SELECT 1 FROM ' || (SELECT string_agg('pg_class c' || i, ',') FROM generate_series(1, 14) i)
      || ' WHERE ' || (SELECT string_agg('c' || i || '.oid = c' || i + 1 || '.oid', ' AND ') FROM generate_series(1, 13) i); END $$`,
  'rounds of bcrypt': `SELECT crypt('x', gen_salt('bf', 31))`,
  'rounds of DES': `SELECT crypt(repeat('x', 1000), gen_salt('xdes', 16777215)) FROM generate_series(1, 100)`,
  'rounds of SHA-512': `SELECT crypt('x', '$6$rounds=999999999$abcdefgh')`,
  'a passphrase of PGP': `SELECT count(pgp_sym_encrypt('x', 'y', 's2k-count=65011712')) FROM generate_series(1, 1000)`,
  'a path of labels': `SELECT repeat('a.', 60000)::text::ltree IS NULL OR (repeat('a.', 300) || 'a')::ltree ~ (repeat('*.a.', 30) || '*.b')::lquery`,
  'distance of texts': `SELECT count(levenshtein(repeat('a', 255), repeat('b', 255))) FROM generate_series(1, 10000000)`,
  'a query of integers': `SELECT count(ARRAY[i] @@ repeat('1&', 1000)::text::query_int) FROM generate_series(1, 1) i`,
  'similarity of words': `SELECT word_similarity(repeat('abc ', 3000), repeat('abd ', 30000))`,
  'a page of a large object': `SELECT lo_put(lo_create(0), 4000000000000, 'x')`,
};

let role = '';
const sessions = () =>
  app
    .part(UserServerService)
    .maintain<{ pid: number; query: string }>(role, 'SELECT pid, query FROM pg_stat_activity WHERE usename = $1', [
      role,
    ]);

/** The server ends, with all its processes, and starts again. The data stay. */
async function killRunaways(): Promise<void> {
  for (const { pid } of await sessions()) process.kill(pid, 'SIGKILL');
  await until(
    () => query('SELECT 1'),
    ({ status }) => status === 200,
  );
}

beforeAll(async () => {
  chmodSync(folder, 0o711);
  server = await startEmbedded({
    dataDir: folder,
    cacheDir: cacheDir(),
    durable: false,
    onProgress: () => {},
    mongodbUri: String(process.env.TRAWL_TEST_MONGODB_URI),
  });
  app = await startTestApp({ settings: { userPostgresUrl: server.postgresUrl } });
  [developer, admin] = await Promise.all([app.as('developer'), app.as('admin')]);
  for (const extension of ['pgcrypto', 'ltree', 'fuzzystrmatch', 'intarray', 'pg_trgm']) {
    expect((await query(`CREATE EXTENSION ${extension}`)).status).toBe(200);
  }
  expect((await call(admin, 'CREATE TABLE kept AS SELECT 42 AS n')).status).toBe(200);
  role = await databaseOf(app, 'developer');
});

afterAll(async () => {
  await app?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  statements().statementMs = STATEMENT_MS;
  if ((await query('SELECT 1')).status !== 200) await killRunaways();
});

const names = Object.keys(UNSTOPPABLE) as (keyof typeof UNSTOPPABLE)[];
it.each([...new Set([...names.slice(0, 2), ...sampleOf(names, { oneIn: names.length })])])(
  'a statement that nothing stops is not reported as cancelled, and its account gets no session: %s',
  async name => {
    const sql = await prepared(name);
    const beside = query('SELECT pg_sleep(600)');
    await until(sessions, rows => rows.some(row => row.query.includes('pg_sleep(600)')));
    statements().statementMs = 2_000;
    const { status, body } = await query(sql);
    statements().statementMs = STATEMENT_MS;
    expect({ status, code: body.error_code }).toEqual({ status: 503, code: 'storage_unavailable' });
    expect(body.error_message).toMatch(
      /^The statement did not finish within 2 s\. .* has not stopped it\. .* administrator/,
    );
    expect(body.error_message).not.toContain('cancelled');
    expect((await beside).status).toBe(503);
    const [runaway, ...others] = await until(sessions, rows => rows.length === 1);
    expect(others).toEqual([]);
    expect(runaway?.query).toBe(sql);

    const refused = await query('SELECT 1');
    expect({ status: refused.status, code: refused.body.error_code }).toEqual({
      status: 503,
      code: 'storage_unavailable',
    });
    expect(refused.body.error_message).toMatch(/^A statement that your account started at .* still runs/);
    expect((await developer('GET', '/joint-api/postgres-tables/list')).status).toBe(503);
    expect((await call(admin, 'SELECT n FROM kept')).body.rows).toEqual([[42]]);
    await killRunaways();
    expect((await call(admin, 'SELECT n FROM kept')).body.rows).toEqual([[42]]);
  },
);

it.each(sampleOf(Object.entries(STOPPABLE), { oneIn: 3 }))('PostgreSQL stops %s', async (_, sql) => {
  statements().statementMs = 500;
  const { status, body } = await query(sql);
  expect({ status, message: body.error_message }).toEqual(
    status === 200
      ? { status, message: undefined }
      : { status: 422, message: expect.not.stringContaining('has not stopped') },
  );
  await until(sessions, rows => rows.every(row => row.query !== sql));
});

it('a cancellation is confirmed only when the statement has stopped', async () => {
  const query_id = randomUUID();
  const cancel = () => developer('POST', `/joint-api/postgres/query/${query_id}/cancel`);
  const sleeping = query('SELECT pg_sleep(600)', { query_id });
  await until(cancel, ({ body }) => body.cancelled);
  expect((await sessions()).map(row => row.query)).not.toContain('SELECT pg_sleep(600)');
  expect((await sleeping).body).toMatchObject({ details: { sqlstate: '57014' } });

  const sql = await prepared('XMLTABLE');
  statements().statementMs = 12_000;
  const running = query(sql, { query_id });
  const refused = await until(cancel, ({ body }) => body.cancelled !== false);
  expect(refused).toMatchObject({ status: 503, body: { error_code: 'storage_unavailable' } });
  expect(refused.body.error_message).toMatch(/has not stopped it within 5 s\. It still runs/);
  expect((await running).body.error_message).toContain('has not stopped it');
  await killRunaways();
});

it('a statement that nothing stops, of a backend that was killed, is contained', async () => {
  const sql = await prepared('XMLTABLE');
  statements().statementMs = 600_000;
  const running = query(sql);
  await until(sessions, rows => rows.some(row => row.query === sql));
  const runaways = app.part(RunawaysService);
  const usual = runaways.runawayAfterMs;
  runaways.runawayAfterMs = 4_000;
  const connectionLimit = async () => {
    await runaways.sweep();
    const [row] = await app
      .part(UserServerService)
      .maintain<{ datconnlimit: number }>(role, 'SELECT datconnlimit FROM pg_database WHERE datname = $1', [role]);
    return row?.datconnlimit;
  };
  await until(connectionLimit, limit => limit === 0);
  runaways.runawayAfterMs = usual;
  expect((await query('SELECT 1')).body.error_message).toContain('still runs');
  await killRunaways();
  expect((await running).status).toBe(503);
});
