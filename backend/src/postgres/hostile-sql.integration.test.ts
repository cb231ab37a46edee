import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appForFile } from '../../test/test-app.js';
import { until } from '../../test/until.js';
import { StorageUsageService } from '../storage/usage/storage-usage.service.js';
import { UserServerService } from './server/user-server.service.js';
import { UserSessionsService } from './sessions/user-sessions.service.js';
import { STATEMENT_MS, UserStatementsService } from './sessions/user-statements.service.js';

jest.setTimeout(180_000);

const { app, developer, admin } = appForFile({ settings: { userPostgresUrl: 'embedded' } });

const call = (api: typeof developer, sql: string, more: object = {}) =>
  api('POST', '/joint-api/postgres/query', { sql, read_only: false, ...more });
const query = (sql: string, more?: object) => call(developer, sql, more);
const nameOf = async (username: string): Promise<string> => {
  const [row] = await app.sql<{ name: string }>(
    'SELECT name FROM postgres_databases WHERE owner_id = (SELECT id FROM users WHERE username = $1)',
    [username],
  );
  return String(row?.name);
};
const ownerOf = async (username: string): Promise<string> =>
  String((await app.sql<{ id: string }>('SELECT id FROM users WHERE username = $1', [username]))[0]?.id);

beforeAll(async () => {
  // The user of the embedded server must be able to enter the folder.
  chmodSync(app.config.dataDir, 0o711);
  expect((await query('CREATE TABLE mine (n int)')).status).toBe(200);
  expect((await call(admin, 'CREATE TABLE secret (n int)')).status).toBe(200);
  expect((await call(admin, 'INSERT INTO secret VALUES (42)')).status).toBe(200);
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
  const { Client } = await import('pg');
  for (const database of [other, 'postgres', 'trawl', 'template1']) {
    const client = new Client({ host: String(host), port: Number(port), user: self, password: 'known', database });
    await expect(client.connect()).rejects.toMatchObject({ code: '42501' });
  }
});

it('a password or settings that the user saves do not keep Trawl out', async () => {
  const self = await nameOf('developer');
  for (const role of [self, `${self} IN DATABASE ${self}`]) {
    expect((await query(`ALTER ROLE ${role} SET local_preload_libraries = 'nothing'`)).status).toBe(200);
    expect((await query(`ALTER ROLE ${role} SET default_transaction_read_only = on`)).status).toBe(200);
  }
  await app.part(UserSessionsService).close(await ownerOf('developer'));
  expect((await query('CREATE TEMP TABLE writable (n int)')).status).toBe(200);
  expect((await query(`ALTER ROLE ${self} PASSWORD 'mine now'`)).status).toBe(200);
  const answers = await Promise.all([1, 2, 3].map(() => query('SELECT pg_sleep(0.2)')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});

it('ends what lasts too long, also when it resists a cancellation', async () => {
  const statements = app.part(UserStatementsService);
  statements.statementMs = 1_000;
  const stubborn = `DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$`;
  const answers = await Promise.all([query('SELECT pg_sleep(600)'), query(stubborn)]);
  statements.statementMs = STATEMENT_MS;
  for (const { body } of answers) {
    expect(body).toMatchObject({
      error_code: 'storage_rejected',
      error_message: expect.stringContaining('within 1 s'),
    });
  }
  const active = `SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`;
  await until(
    async () => (await query(active)).body.rows?.[0]?.[0],
    count => count === 0,
  );
});

it('contains memory, locks and messages', async () => {
  const outOfMemory = { error_code: 'storage_rejected', details: { sqlstate: '53200' } };
  const sort = await query(`DO $$ BEGIN
    SET LOCAL work_mem = '10GB';
    PERFORM count(*) FROM (SELECT repeat('x', 4000) || i AS t FROM (SELECT generate_series(1, 10000000) i) g ORDER BY t) s;
    END $$`);
  expect(sort.body).toMatchObject(outOfMemory);
  const locks = await query('SELECT count(pg_advisory_lock(i)) FROM (SELECT generate_series(1, 100000000) i) g');
  expect(locks.body).toMatchObject(outOfMemory);
  await query(`DO $$ BEGIN LOOP RAISE NOTICE '%', repeat('n', 100000); END LOOP; END $$`);
  const held = await query('SELECT pg_advisory_lock(1)');
  expect(held.status).toBe(200);
  expect((await query('SELECT pg_try_advisory_lock(1)')).body.rows).toEqual([[true]]);
  await query('CREATE TEMP TABLE mine (n int)');
  await query(`SET search_path = nothing`);
  expect(
    (await query('SELECT count(*)::int FROM pg_locks WHERE locktype = $1', { params: ['advisory'] })).body.rows,
  ).toEqual([[0]]);
});

it('terminating its own sessions harms only the account', async () => {
  const sleeping = query('SELECT pg_sleep(20)');
  await until(
    () => query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(20)'`),
    ({ body }) => body.rows?.length > 0,
  );
  expect((await sleeping).body).toMatchObject({ error_code: 'storage_unavailable' });
});

it('an account over its quota can only read and delete', async () => {
  const owner = await ownerOf('developer');
  await query(`CREATE TABLE big AS SELECT repeat(md5(i::text), 30) AS t FROM generate_series(1, 20000) i`);
  await app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [owner, JSON.stringify({ storage_bytes: 1_000_000 })]);
  const usage = app.part(StorageUsageService);
  usage.markChanged(owner);
  await usage.measureChanged();
  await until(
    () => query(`INSERT INTO big VALUES ('more')`),
    ({ status }) => status === 413,
  );
  expect((await developer('GET', '/joint-api/account')).body.quotas.storage_bytes.used).toBeGreaterThan(10_000_000);
  expect((await query('SELECT count(*)::int FROM big')).body.rows[0][0]).toBeGreaterThan(19_999);
  expect((await query('DELETE FROM big WHERE false')).status).toBe(200);
  expect((await query('DROP TABLE big')).status).toBe(200);
  usage.markChanged(owner);
  await usage.measureChanged();
  await until(
    () => query('CREATE TABLE small (t text)'),
    ({ status }) => status === 200,
  );
  // A single statement cannot outgrow the quota by much, either.
  const growing = await query(`INSERT INTO small SELECT repeat(md5(i::text), 30) FROM generate_series(1, 5000000) i`);
  expect(growing).toMatchObject({ status: 413 });
  expect((await query('DROP TABLE small')).status).toBe(200);
  await app.sql(`UPDATE users SET quotas = '{}' WHERE id = $1`, [owner]);
  await until(
    () => query('CREATE TABLE unlimited (n int)'),
    ({ status }) => status === 200,
  );
});

it('a killed server restarts, and the next call works', async () => {
  const pidFile = join(app.config.dataDir, 'user-postgres', 'postmaster.pid');
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const sleeping = query('INSERT INTO mine SELECT 1 FROM pg_sleep(20)');
  await until(
    () => query(`SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE 'INSERT INTO mine%'`),
    ({ body }) => body.rows?.[0]?.[0] === 1,
  );
  process.kill(pid, 'SIGKILL');
  expect((await sleeping).body).toMatchObject({ error_code: 'storage_unavailable' });
  await until(
    () => query('SELECT 1'),
    ({ status }) => status === 200,
  );
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
