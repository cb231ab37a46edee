import { randomUUID } from 'node:crypto';
import { STOPPABLE, UNSTOPPABLE } from '../../../../e2e/hostile-sql/statements.js';
import { sampleOf } from '../../../../scripts/jest/sample.js';
import { sharedServerForFile } from '../../../test/servers/shared-user-server.js';
import { databaseOf } from '../../../test/servers/user-postgres.js';
import { until } from '../../../test/until.js';
import { RunawaysService } from './server/runaways.service.js';
import { UserServerService } from './server/user-server.service.js';
import { STATEMENT_MS, UserStatementsService } from './sessions/user-statements.service.js';

// All accounts share one server here, as on platforms whose USER_POSTGRES_URL is an ordinary PostgreSQL server.

const started = sharedServerForFile();
let { app, developer, admin } = started;

const call = (api: typeof developer, sql: string, more: object = {}) =>
  api('POST', '/joint-api/postgres/query', { sql, read_only: false, ...more });
const query = (sql: string, more?: object) => call(developer, sql, more);
const statements = () => app.part(UserStatementsService);

/** Makes the values of a statement, and returns the statement. */
async function prepared(name: keyof typeof UNSTOPPABLE): Promise<string> {
  const { values, sql } = UNSTOPPABLE[name];
  expect((await query('DROP TABLE IF EXISTS big')).status).toBe(200);
  expect((await query(`CREATE TABLE big AS SELECT ${values}`)).status).toBe(200);
  return sql;
}

let role = '';
const sessions = () =>
  app
    .part(UserServerService)
    .maintain<{ pid: number; query: string }>(role, 'SELECT pid, query FROM pg_stat_activity WHERE usename = $1', [
      role,
    ]);

/** Kills the sessions of the account, so that the PostgreSQL server restarts. The data stay. */
async function killRunaways(): Promise<void> {
  // PostgreSQL ends all its sessions when one of them is killed.
  const [first] = await sessions();
  if (first) process.kill(first.pid, 'SIGKILL');
  await until(
    () => query('SELECT 1'),
    ({ status }) => status === 200,
  );
}

beforeAll(async () => {
  ({ app, developer, admin } = started);
  for (const extension of ['pgcrypto', 'ltree', 'fuzzystrmatch', 'intarray', 'pg_trgm']) {
    expect((await query(`CREATE EXTENSION ${extension}`)).status).toBe(200);
  }
  expect((await call(admin, 'CREATE TABLE kept AS SELECT 42 AS n')).status).toBe(200);
  role = await databaseOf(app, 'developer');
});

afterEach(async () => {
  statements().statementMs = STATEMENT_MS;
  if ((await query('SELECT 1')).status !== 200) await killRunaways();
});

const names = Object.keys(UNSTOPPABLE) as (keyof typeof UNSTOPPABLE)[];
it.each([...new Set([...names.slice(0, 2), ...sampleOf(names, { oneIn: names.length })])])(
  'a SQL statement that cannot be stopped is not reported as cancelled, and its account gets no session: %s',
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

it.each(sampleOf(Object.entries(STOPPABLE), { oneIn: 3 }))(
  'PostgreSQL stops a long SQL statement at its time limit: %s',
  async (_, sql) => {
    statements().statementMs = 500;
    const { status, body } = await query(sql);
    expect({ status, message: body.error_message }).toEqual(
      status === 200
        ? { status, message: undefined }
        : { status: 422, message: expect.not.stringContaining('has not stopped') },
    );
    await until(sessions, rows => rows.every(row => row.query !== sql));
  },
);

it('the cancellation of a SQL statement is confirmed only when the statement has stopped', async () => {
  const query_id = randomUUID();
  const cancel = () => developer('POST', `/joint-api/postgres/query/${query_id}/cancel`);
  const sleeping = query('SELECT pg_sleep(600)', { query_id });
  await until(cancel, ({ body }) => body.cancelled);
  expect((await sessions()).map(row => row.query)).not.toContain('SELECT pg_sleep(600)');
  expect((await sleeping).body).toMatchObject({ details: { sqlstate: '57014' } });

  const sql = await prepared('XMLTABLE');
  statements().statementMs = 12_000;
  const running = query(sql, { query_id });
  // Cancelled earlier, the statement would not begin, and its cancellation would be confirmed.
  await until(sessions, rows => rows.some(row => row.query === sql));
  const refused = await cancel();
  expect(refused).toMatchObject({ status: 503, body: { error_code: 'storage_unavailable' } });
  expect(refused.body.error_message).toMatch(/has not stopped it within 5 s\. It still runs/);
  expect((await running).body.error_message).toContain('has not stopped it');
  await killRunaways();
});

it('while a SQL statement of a killed backend cannot be stopped, its account gets no new sessions', async () => {
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
  // A call whose connection is closed at this moment gets an error about the connection instead.
  await until(
    () => query('SELECT 1'),
    ({ body }) => body.error_message?.includes('still runs'),
  );
  await killRunaways();
  expect((await running).status).toBe(503);
});
