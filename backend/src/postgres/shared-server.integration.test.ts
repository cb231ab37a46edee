import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDir, type EmbeddedDatabases, startEmbedded } from '@trawl/embedded';
import { Client } from 'pg';
import { databaseOf } from '../../test/servers/user-postgres.js';
import { startTestApp, type TestApp } from '../../test/test-app.js';
import { UserServerService } from './server/user-server.service.js';

// All accounts share one server here, as on platforms whose USER_POSTGRES_URL is an ordinary PostgreSQL server.

let app: TestApp;
let developer: Awaited<ReturnType<TestApp['as']>>;
let admin: typeof developer;
let server: EmbeddedDatabases;
const folder = mkdtempSync(join(tmpdir(), 'trawl-shared-users-'));

const call = (api: typeof developer, sql: string, more: object = {}) =>
  api('POST', '/joint-api/postgres/query', { sql, read_only: false, ...more });
const query = (sql: string, more?: object) => call(developer, sql, more);
const nameOf = (username: string) => databaseOf(app, username);

beforeAll(async () => {
  chmodSync(folder, 0o711);
  const mongodbUri = String(process.env.TRAWL_TEST_MONGODB_URI);
  server = await startEmbedded({
    dataDir: folder,
    cacheDir: cacheDir(),
    durable: false,
    onProgress: () => {},
    mongodbUri,
  });
  app = await startTestApp({ settings: { userPostgresUrl: server.postgresUrl } });
  [developer, admin] = await Promise.all([app.as('developer'), app.as('admin')]);
  expect((await query('CREATE TABLE mine (n int)')).status).toBe(200);
  expect((await call(admin, 'CREATE TABLE secret (n int)')).status).toBe(200);
  expect((await call(admin, 'INSERT INTO secret VALUES (42)')).status).toBe(200);
});

afterAll(async () => {
  await app?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** After each attack the account and its neighbour can work as before. */
afterEach(async () => {
  expect((await query('SELECT count(*)::int FROM mine')).body.rows).toEqual([[0]]);
  expect((await call(admin, 'SELECT n FROM secret')).body.rows).toEqual([[42]]);
});

it('an account reaches no other database, no file and no program', async () => {
  const other = await nameOf('admin');
  const self = await nameOf('developer');
  for (const [sql, sqlstate] of [
    ['CREATE EXTENSION dblink', '42501'],
    ['CREATE EXTENSION postgres_fdw', '42501'],
    [`SELECT * FROM ${other}.public.secret`, '0A000'],
    [`COPY mine FROM PROGRAM 'id'`, '42501'],
    [`COPY mine TO '/tmp/trawl-hostile'`, '42501'],
    [`SELECT lo_import('/etc/passwd')`, '42501'],
    [`SELECT pg_read_file('/etc/passwd')`, '42501'],
    [`SELECT pg_ls_dir('.')`, '42501'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/lib/x86_64-linux-gnu/libc.so.6', 'system'`, '42501'],
    ['CREATE LANGUAGE plpython3u', '42501'],
    [`GRANT ${other} TO ${self}`, '42501'],
    [`GRANT pg_read_server_files TO ${self}`, '42501'],
    [`SET ROLE ${other}`, '42501'],
    [`SET SESSION AUTHORIZATION ${other}`, '42501'],
    ['SET ROLE trawl', '42501'],
    [`ALTER ROLE ${self} SUPERUSER`, '42501'],
    [`ALTER ROLE ${self} CONNECTION LIMIT 100`, '42501'],
    [`ALTER ROLE ${other} PASSWORD 'x'`, '42501'],
    [`ALTER ROLE ${self} SET temp_file_limit = -1`, '42501'],
    ['SET temp_file_limit = -1', '42501'],
    ['CREATE ROLE another', '42501'],
    ['CREATE DATABASE another', '25001'],
    [`ALTER DATABASE ${self} OWNER TO ${self}`, '42501'],
    [`ALTER DATABASE ${other} SET search_path = x`, '42501'],
    [`ALTER SYSTEM SET work_mem = '1TB'`, '25001'],
    ['SELECT pg_reload_conf()', '42501'],
    [`SELECT rolpassword FROM pg_authid`, '42501'],
    [`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'trawl'`, '42501'],
    ['SELECT pg_terminate_backend(pg_backend_pid())', '42501'],
    ['SELECT pg_cancel_backend(pg_backend_pid())', '42501'],
    ['CREATE EVENT TRIGGER t ON ddl_command_start EXECUTE FUNCTION pg_sleep()', '42501'],
    [`CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p WITH (connect = false)`, '42501'],
  ] as const) {
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

it('one account cannot fill the lock table of all', async () => {
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

it('several accounts together cannot fill the lock table of all', async () => {
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

it('deleting an account drops its database and role, whatever others granted to it', async () => {
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
