import { Client } from 'pg';
import { refusedStatements } from '../../../../e2e/hostile-sql/statements.js';
import { sharedServerForFile } from '../../../test/servers/shared-user-server.js';
import { databaseOf } from '../../../test/servers/user-postgres.js';
import { UserServerService } from './server/user-server.service.js';

// All accounts share one server here, as on platforms whose USER_POSTGRES_URL is an ordinary PostgreSQL server.

const started = sharedServerForFile();
let { app, developer, admin } = started;

const call = (api: typeof developer, sql: string, more: object = {}) =>
  api('POST', '/joint-api/postgres/query', { sql, read_only: false, ...more });
const query = (sql: string, more?: object) => call(developer, sql, more);
const nameOf = (username: string) => databaseOf(app, username);

beforeAll(async () => {
  ({ app, developer, admin } = started);
  expect((await query('CREATE TABLE mine (n int)')).status).toBe(200);
  expect((await call(admin, 'CREATE TABLE secret (n int)')).status).toBe(200);
  expect((await call(admin, 'INSERT INTO secret VALUES (42)')).status).toBe(200);
});

/** After each attack the account and its neighbour can work as before. */
afterEach(async () => {
  expect((await query('SELECT count(*)::int FROM mine')).body.rows).toEqual([[0]]);
  expect((await call(admin, 'SELECT n FROM secret')).body.rows).toEqual([[42]]);
});

it('on a shared PostgreSQL server, SQL of an account reaches no other database, no file and no program', async () => {
  const other = await nameOf('admin');
  const self = await nameOf('developer');
  for (const [sql, sqlstate] of refusedStatements({ self, other, isOtherHere: true })) {
    const { body } = await query(sql);
    expect({ sql, state: body.details?.sqlstate ?? body }).toEqual({ sql, state: sqlstate });
  }
  for (const sql of ['RESET ROLE', 'RESET SESSION AUTHORIZATION', 'SET ROLE NONE']) await query(sql);
  expect((await query('SELECT current_user, session_user')).body.rows).toEqual([[self, self]]);
  const tables = await query(`SELECT count(*)::int FROM pg_class WHERE relname = 'secret'`);
  expect(tables.body.rows).toEqual([[0]]);
  // Names of databases and roles are visible to all, and say nothing about the accounts.
  const names = await query('SELECT datname FROM pg_database UNION SELECT rolname FROM pg_roles');
  expect(JSON.stringify(names.body.rows)).not.toContain('developer');
  const queries = await query(
    `SELECT count(*)::int FROM pg_stat_activity WHERE usename <> current_user AND query LIKE '%secret%'`,
  );
  expect(queries.body.rows).toEqual([[0]]);
  // A connection to another database fails even with a password that works.
  const { host, port } = await app.part(UserServerService).address();
  await query(`ALTER ROLE ${self} PASSWORD 'known'`);
  for (const database of [other, 'postgres', 'trawl', 'template1']) {
    const client = new Client({ host: String(host), port: Number(port), user: self, password: 'known', database });
    await expect(client.connect()).rejects.toMatchObject({ code: '42501' });
  }
});

it('one account cannot fill the lock table of a shared PostgreSQL server', async () => {
  const functions = await query(
    `SELECT oid::regprocedure::text FROM pg_proc
      WHERE proname ~ 'advisory' AND proname !~ 'unlock' AND has_function_privilege(oid, 'EXECUTE')`,
  );
  expect(functions.body.rows).toEqual([]);
  const refused = await query('SELECT count(pg_advisory_xact_lock(i)) FROM (SELECT generate_series(1, 1000000) i) g');
  expect(refused.body.details).toEqual({ sqlstate: '42501' });

  // Each deletion of a large object is a lock until the end of the transaction, as is each table that it uses.
  expect((await query('SELECT count(lo_create(0)) FROM generate_series(1, 12000)')).status).toBe(200);
  const locking = query(`DO $$ BEGIN
    PERFORM lo_unlink(oid) FROM pg_largeobject_metadata;
    PERFORM pg_sleep(600);
  EXCEPTION WHEN query_canceled THEN PERFORM pg_sleep(600);
  END $$`);
  let isOver = false;
  const ended = locking.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await call(admin, 'CREATE TABLE beside (n int)')).status).toBe(200);
    expect((await call(admin, 'DROP TABLE beside')).status).toBe(200);
  }
  expect((await ended).body).toMatchObject({
    error_code: 'storage_rejected',
    error_message: expect.stringContaining('more than 5000 locks'),
  });
});

it('several accounts together cannot fill the lock table of a shared PostgreSQL server', async () => {
  const { host, port, user, password, database } = await app.part(UserServerService).address();
  // These stand for sessions of other accounts. Each is far below the limit of one session.
  const others = Array.from(
    { length: 10 },
    () => new Client({ host: String(host), port: Number(port), user, password: String(password), database }),
  );
  try {
    for (const [n, other] of others.entries()) {
      await other.connect();
      await other.query('BEGIN');
      await other.query('SELECT count(pg_advisory_xact_lock($1, i)) FROM generate_series(1, 500) i', [n]);
    }
    expect((await query('SELECT count(lo_create(0)) FROM generate_series(1, 2500)')).status).toBe(200);
    const ended = await query(`DO $$ BEGIN
      PERFORM lo_unlink(oid) FROM pg_largeobject_metadata LIMIT 2500;
      PERFORM pg_sleep(600);
    EXCEPTION WHEN query_canceled THEN PERFORM pg_sleep(600);
    END $$`);
    expect(ended.body).toMatchObject({
      error_code: 'storage_rejected',
      error_message: expect.stringContaining('lock table was filling up'),
    });
  } finally {
    await Promise.all(others.map(other => other.end()));
  }
});

it('deleting an account drops its PostgreSQL database and role, even if others granted rights to the role', async () => {
  const created = await admin('POST', '/joint-api/users/addnew', {
    username: 'gone@example.com',
    password: 'a long password',
  });
  const { body } = await app.anonymous('POST', '/panel/login', {
    username: 'gone@example.com',
    password: 'a long password',
  });
  const gone = app.bearer(body.jwtToken);
  expect((await call(gone, 'CREATE TABLE theirs (n int)')).status).toBe(200);
  const name = await nameOf('gone@example.com');
  expect((await query(`GRANT SELECT ON mine TO ${name}`)).status).toBe(200);
  const deleted = await admin('DELETE', `/joint-api/users/${created.body.id}`);
  expect(deleted.body.deleted).toMatchObject({ users: 1, postgres_databases: 1 });
  const left = await query(
    'SELECT 1 FROM pg_roles WHERE rolname = $1 UNION SELECT 1 FROM pg_database WHERE datname = $1',
    { params: [name] },
  );
  expect(left.body.rows).toEqual([]);
});
