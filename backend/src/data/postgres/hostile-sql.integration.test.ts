import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresOperation } from '@trawl/contracts';
import { findUserPostgres } from '@trawl/embedded';
import { Client } from 'pg';
import { HEAVY, refusedStatements } from '../../../../e2e/hostile-sql/statements.js';
import { databaseOf, removeWalls } from '../../../test/servers/user-postgres.js';
import { appForFile } from '../../../test/test-app.js';
import { until } from '../../../test/until.js';
import { StorageUsageService } from '../storage/usage/storage-usage.service.js';
import { type PostgresCaller, PostgresOperationsService } from './runs/postgres-operations.service.js';
import { UserServerService } from './server/user-server.service.js';
import { TransactionOutcomesService } from './sessions/transaction-outcomes.service.js';
import { UserSessionsService } from './sessions/user-sessions.service.js';
import { STATEMENT_MS, UserStatementsService } from './sessions/user-statements.service.js';

const { app, developer, admin } = appForFile({ settings: { userPostgresUrl: 'embedded' } });

const call = (api: typeof developer, sql: string, more: object = {}) =>
  api('POST', '/joint-api/postgres/query', { sql, read_only: false, ...more });
const query = (sql: string, more?: object) => call(developer, sql, more);
const nameOf = (username: string) => databaseOf(app, username);
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

it('SQL of an account reaches no database of another account, no file and no program', async () => {
  const other = await nameOf('admin');
  const self = await nameOf('developer');
  for (const [sql, sqlstate] of refusedStatements({ self, other })) {
    const { body } = await query(sql);
    expect({ sql, state: body.details?.sqlstate ?? body }).toEqual({ sql, state: sqlstate });
  }
  for (const sql of ['RESET ROLE', 'RESET SESSION AUTHORIZATION', 'SET ROLE NONE']) await query(sql);
  expect((await query('SELECT current_user, session_user')).body.rows).toEqual([[self, self]]);
  const tables = await query(`SELECT count(*)::int FROM pg_class WHERE relname = 'secret'`);
  expect(tables.body.rows).toEqual([[0]]);
  const names = await query(`SELECT datname FROM pg_database UNION SELECT rolname FROM pg_roles`);
  expect(names.body.rows.flat().filter((name: string) => name.startsWith('u_'))).toEqual([self]);
  const queries = await query(
    `SELECT count(*)::int FROM pg_stat_activity WHERE usename <> current_user AND query LIKE '%secret%'`,
  );
  expect(queries.body.rows).toEqual([[0]]);
  // A connection to another database fails even with a password that works.
  const { host, port } = await app.part(UserServerService).address();
  await query(`ALTER ROLE ${self} PASSWORD 'known'`);
  for (const database of [other, 'postgres', 'trawl', 'template1', `${self}.postgres`, `${self}.template1`]) {
    const client = new Client({ host: String(host), port: Number(port), user: self, password: 'known', database });
    await expect(client.connect()).rejects.toMatchObject({ code: '42501' });
  }
});

it('Trawl can still connect after a user changed the password or the settings of the PostgreSQL role', async () => {
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

it('Trawl ends a SQL statement that exceeds its time limit, even if the statement catches the cancellation', async () => {
  const statements = app.part(UserStatementsService);
  statements.statementMs = 1_000;
  const answers = await Promise.all([query('SELECT pg_sleep(600)'), query(HEAVY.stubborn)]);
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

it('after SQL that fills memory or sends endless notices, the account and its neighbour work as before', async () => {
  const outOfMemory = { error_code: 'storage_rejected', details: { sqlstate: '53200' } };
  const statements = app.part(UserStatementsService);
  // On a busy machine, the statement needs longer to fill its memory.
  statements.statementMs = 4 * STATEMENT_MS;
  const sort = await query(HEAVY.sort);
  statements.statementMs = STATEMENT_MS;
  expect(sort.body).toMatchObject(outOfMemory);
  await query(HEAVY.messages);
  await query('CREATE TEMP TABLE mine (n int)');
  await query(`SET search_path = nothing`);
});

it('PostgreSQL keeps the shared memory of statements in files, so that other accounts’ servers can start', async () => {
  expect((await query('SHOW dynamic_shared_memory_type')).body.rows).toEqual([['mmap']]);
});

it('a database of an older version refuses advisory locks from its next use on', async () => {
  const owner = await ownerOf('developer');
  const name = await nameOf('developer');
  await removeWalls(app, name);
  await query('DROP SCHEMA public CASCADE');
  await app.part(UserSessionsService).close(owner);
  expect((await query('SELECT pg_advisory_lock(1)')).body.details).toEqual({ sqlstate: '42501' });
  expect((await query('CREATE SCHEMA public')).status).toBe(200);
  expect((await query('CREATE TABLE mine (n int)')).status).toBe(200);
});

it('a call of an account does not wait while the database of another account is deleted', async () => {
  await app.part(UserSessionsService).close(await ownerOf('developer'));
  await removeWalls(app, await nameOf('developer'));
  await app.part(UserServerService).maintainAlone(await nameOf('admin'), async () => {
    expect((await query('SELECT 1')).status).toBe(200);
  });
});

describe('when a commit gets no answer', () => {
  let self = '';
  beforeAll(async () => {
    self = await nameOf('developer');
  });
  const maintain = <Row extends object = object>(sql: string) => app.part(UserServerService).maintain<Row>(self, sql);
  /** Lets commits wait for a standby that does not exist. They are durable before they wait. */
  const waitForStandby = async (isOn: boolean) => {
    const names = isOn ? 'missing' : '';
    await maintain(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await maintain('SELECT pg_reload_conf()');
    await until(
      () => maintain<{ synchronous_standby_names: string }>('SHOW synchronous_standby_names'),
      ([row]) => row?.synchronous_standby_names === names,
    );
    // The process that makes checkpoints tells all others whether to wait, after it has read the new setting.
    await maintain('CHECKPOINT');
  };
  /** Breaks the connection of a statement that waits for the standby. */
  const breakCommit = async () => {
    const [waiting] = await until(
      () => maintain<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`),
      rows => rows.length > 0,
    );
    await maintain(`SELECT pg_terminate_backend(${waiting?.pid})`);
    await waitForStandby(false);
  };
  const statements = () => app.part(UserStatementsService);
  beforeEach(async () => {
    await query('CREATE TABLE sent (n int PRIMARY KEY)');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    statements().statementMs = STATEMENT_MS;
    await waitForStandby(false);
    await query('DROP TABLE sent');
  });

  it('a SQL statement that took effect is reported as successful', async () => {
    await waitForStandby(true);
    const writing = query('INSERT INTO sent VALUES (1)');
    await breakCommit();
    expect(await writing).toMatchObject({ status: 200, body: { row_count: 1 } });
    expect((await query('SELECT n FROM sent')).body.rows).toEqual([[1]]);
  });

  it('a SQL statement with an unknown outcome is not executed again for its Idempotency-Key', async () => {
    jest.spyOn(app.part(TransactionOutcomesService), 'find').mockResolvedValueOnce('unknown');
    await waitForStandby(true);
    const body = { sql: 'INSERT INTO sent VALUES (1)', read_only: false };
    const key = { 'idempotency-key': 'once' };
    const writing = developer('POST', '/joint-api/postgres/query', body, key);
    await breakCommit();
    expect((await writing).body).toMatchObject({ error_code: 'storage_outcome_unknown' });
    const again = await developer('POST', '/joint-api/postgres/query', body, key);
    expect(again.body).toMatchObject({ error_code: 'conflict' });
    expect((await query('SELECT n FROM sent')).body.rows).toEqual([[1]]);
  });

  it('a SQL statement that was rolled back is reported with the reason', async () => {
    await query(`CREATE FUNCTION resist() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      LOOP BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$`);
    await query(
      'CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON sent DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION resist()',
    );
    statements().statementMs = 500;
    const { body } = await query('INSERT INTO sent VALUES (1)');
    statements().statementMs = STATEMENT_MS;
    expect(body).toMatchObject({
      error_code: 'storage_rejected',
      error_message: expect.stringContaining('within 0.5 s'),
    });
    expect((await query('SELECT n FROM sent')).body.rows).toEqual([]);
  });
});

/** Waits until Trawl knows whether the developer is above the quota. A cancelled statement frees its space with a delay. */
const knowStorage = async (isFull: boolean) => {
  const owner = await ownerOf('developer');
  const usage = app.part(StorageUsageService);
  await until(
    async () => {
      usage.markChanged(owner);
      await usage.measureChanged();
      return query('CREATE TABLE IF NOT EXISTS room (n int)');
    },
    ({ status }) => status === (isFull ? 413 : 200),
  );
};

/** Gives the developer this quota of storage, and waits until it holds. */
const limitStorage = async (storage_bytes: number | null, isFull: boolean) => {
  const owner = await ownerOf('developer');
  const quotas = JSON.stringify(storage_bytes === null ? {} : { storage_bytes });
  await app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [owner, quotas]);
  await until(
    () => app.part(StorageUsageService).room(owner),
    ({ limit }) => storage_bytes === null || limit === storage_bytes,
  );
  await knowStorage(isFull);
};

describe('an account over its quota', () => {
  const CREATE = `CREATE TABLE public.sneaked AS SELECT pg_catalog.repeat(pg_catalog.md5(i::text), 60) AS t FROM pg_catalog.generate_series(1, 1500) i`;
  let caller: PostgresCaller;
  const run = async (op: PostgresOperation) => app.part(PostgresOperationsService).run(caller, op, false);
  const sneaked = async () => (await query(`SELECT to_regclass('sneaked')`)).body.rows;

  beforeAll(async () => {
    caller = {
      ownerId: await ownerOf('developer'),
      executionId: randomUUID(),
      connection: Object.assign(new EventEmitter(), { connected: true }),
    };
    for (const sql of [
      `CREATE TABLE large AS SELECT repeat(md5(i::text), 30) AS t FROM generate_series(1, 2000) i`,
      `CREATE FUNCTION sneak() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'EXPLAIN ANALYZE ${CREATE.replaceAll("'", "''")}'; RETURN 1; END $$`,
      'CREATE FUNCTION sneak_by_index(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN public.sneak(); END $$',
      'CREATE TABLE indexed (n int) WITH (autovacuum_enabled = off)',
      'CREATE INDEX ON indexed (sneak_by_index(n))',
      'INSERT INTO indexed VALUES (1)',
      'DROP TABLE sneaked',
      'CREATE FUNCTION trusted(n int) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$ SELECT true $$',
      'CREATE OPERATOR ?? (RIGHTARG = int, FUNCTION = trusted)',
      'CREATE DOMAIN checked AS int CHECK (trusted(value))',
      'CREATE FUNCTION distance(a int8, b int8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$ SELECT 1.0 $$',
      'CREATE TYPE span AS RANGE (subtype = int8, subtype_diff = distance)',
      'CREATE TABLE others (n int, span span) WITH (autovacuum_enabled = off)',
      'CREATE INDEX converted ON others ((n::checked))',
      'CREATE INDEX partial ON others (n) WHERE trusted(n)',
      'CREATE INDEX operated ON others ((?? n))',
      'CREATE STATISTICS measured ON (trusted(n)), n FROM others',
    ])
      expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
    await limitStorage(500_000, true);
  });
  afterAll(async () => {
    await limitStorage(null, false);
    for (const sql of [
      'DROP TABLE large, indexed, others, room',
      'DROP FUNCTION sneak, sneak_by_index, trusted, distance CASCADE',
    ])
      expect((await query(sql)).status).toBe(200);
  });

  // PostgreSQL creates the table of these statements in a read-only transaction, too.
  it.each([
    [`EXPLAIN ANALYZE ${CREATE}`],
    [`EXPLAIN ANALYZE CREATE MATERIALIZED VIEW sneaked AS SELECT 1 AS n`],
    [`EXPLAIN (ANALYZE, FORMAT json) SELECT 1 AS n INTO sneaked`],
    ['SELECT sneak()'],
    ['COPY (SELECT sneak()) TO STDOUT'],
    [`SELECT sneak(), repeat('x', 600000)`],
    [`SELECT sneak(), set_config('client_encoding', 'LATIN1', false)`],
  ])('cannot commit %s in a transaction of a run', async text => {
    for (const end of ['COMMIT', 'END', 'COMMIT AND CHAIN', 'commit of the library']) {
      const begun = await run({ method: 'begin' });
      const { transaction, xid } = (begun as { result: { transaction: string; xid: string | null } }).result;
      const say = (sql: string) => run({ method: 'query', text: sql, params: [], transaction });
      expect(await say('SELECT count(*) FROM large')).toMatchObject({ result: { rows: [['2000']] } });
      const refused = await say(text);
      if (text.startsWith('EXPLAIN') || text === 'SELECT sneak()')
        expect(refused).toMatchObject({ error: { code: 'storage_full', message: expect.stringContaining('DELETE') } });
      else expect(refused).toHaveProperty('error');
      await (end.startsWith('commit') ? run({ method: 'commit', transaction, xid }) : say(end));
      await run({ method: 'rollback', transaction });
      expect({ end, rows: await sneaked() }).toEqual({ end, rows: [[null]] });
    }
  });

  it('cannot write after PREPARE TRANSACTION, which fails and ends the transaction', async () => {
    const begun = await run({ method: 'begin' });
    const { transaction } = (begun as { result: { transaction: string } }).result;
    const say = (text: string) => run({ method: 'query', text, params: [], transaction });
    expect(await say(`PREPARE TRANSACTION 'gone'`)).toMatchObject({ error: { sql_state: '55000' } });
    expect(await say(CREATE)).toMatchObject({ error: { code: 'storage_transaction_lost' } });
    expect(await sneaked()).toEqual([[null]]);
  });

  it('gets an error that says what still works when a statement in a transaction writes', async () => {
    const begun = await run({ method: 'begin' });
    const { transaction } = (begun as { result: { transaction: string } }).result;
    const refused = await run({ method: 'query', text: 'DELETE FROM large', params: [], transaction });
    expect(refused).toMatchObject({ error: { code: 'storage_full', message: expect.stringContaining('still work') } });
    await run({ method: 'rollback', transaction });
  });

  it('cannot run VACUUM FULL or ANALYZE on tables whose indexes or types call functions of a user', async () => {
    expect((await query('VACUUM indexed')).status).toBe(200);
    const drops: Record<string, string> = {
      'index public.indexed_sneak_by_index_idx': 'DROP INDEX indexed_sneak_by_index_idx',
      'index public.partial': 'DROP INDEX partial',
      'index public.operated': 'DROP INDEX operated',
      'statistics object public.measured': 'DROP STATISTICS measured',
      'index public.converted': 'DROP INDEX converted',
      'column span of table public.others': 'DROP TYPE span CASCADE',
    };
    const found: string[] = [];
    for (const sql of [
      'VACUUM FULL indexed',
      'VACUUM (analyse) indexed',
      'vacuum full',
      'VACUUM ANALYZE',
      'VACUUM (FULL)',
      'VACUUM FULL',
    ]) {
      const { status, body } = await query(sql);
      expect({ sql, status }).toEqual({ sql, status: 413 });
      const [, what = ''] = /functions of (.*), which could write/.exec(body.error_message) ?? [];
      found.push(what);
      expect({ what, status: (await query(String(drops[what]))).status }).toEqual({ what, status: 200 });
    }
    expect(found.sort()).toEqual(Object.keys(drops).sort());
    expect((await query('VACUUM FULL ANALYZE')).status).toBe(200);
    expect(await sneaked()).toEqual([[null]]);
  });
});

describe('code of a user cannot exceed the storage quota', () => {
  // The rows exceed the quota, and writing them takes longer than the second before the first check of the growth.
  const ROWS = 3_000_000;
  const QUOTA = 100_000_000;
  const FILL = `INSERT INTO public.filled SELECT repeat(md5(i::text), 20) FROM generate_series(1, ${ROWS}) i`;
  const CREATE = `EXPLAIN ANALYZE CREATE TABLE public.hidden AS SELECT repeat(md5(i::text), 20) AS t FROM generate_series(1, ${ROWS}) i`;
  let caller: PostgresCaller;
  const run = async (op: PostgresOperation) => app.part(PostgresOperationsService).run(caller, op, false);
  const begin = async () =>
    ((await run({ method: 'begin' })) as { result: { transaction: string; xid: string } }).result;
  const say = (transaction: string, text: string) => run({ method: 'query', text, params: [], transaction });
  const read = (sql: string) => developer('POST', '/joint-api/postgres/query', { sql, read_only: true });
  const full = { error: { code: 'storage_full', message: expect.stringContaining('quota') } };
  const bytes = async () => Number((await query('SELECT pg_database_size(current_database())::text')).body.rows[0][0]);

  beforeAll(async () => {
    caller = {
      ownerId: await ownerOf('developer'),
      executionId: randomUUID(),
      connection: Object.assign(new EventEmitter(), { connected: true }),
    };
    for (const sql of [
      'CREATE TABLE filled (t text)',
      'CREATE TABLE filling (n int)',
      'CREATE TABLE vacuumed (n int) WITH (autovacuum_enabled = off)',
      `CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${FILL}; RETURN NULL; END $$`,
      `CREATE FUNCTION hide() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE '${CREATE}'; RETURN 1; END $$`,
      'CREATE FUNCTION hide_by_index(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN n = 1 THEN public.hide() ELSE n END; END $$',
      'CREATE CONSTRAINT TRIGGER fill AFTER INSERT ON filling DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fill()',
    ])
      expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
    await limitStorage(QUOTA, false);
  });
  afterAll(async () => {
    await limitStorage(null, false);
    for (const sql of ['DROP TABLE filled, filling, vacuumed, room', 'DROP FUNCTION fill, hide, hide_by_index CASCADE'])
      expect((await query(sql)).status).toBe(200);
  });
  afterEach(async () => {
    expect((await query('TRUNCATE filled')).status).toBe(200);
    await knowStorage(false);
    expect(await bytes()).toBeLessThan(QUOTA);
  });

  it('when a deferred trigger writes at the commit of a run’s transaction', async () => {
    const { transaction, xid } = await begin();
    expect(await say(transaction, 'INSERT INTO filling VALUES (1)')).toHaveProperty('result');
    expect(await run({ method: 'commit', transaction, xid })).toMatchObject(full);
    expect(await read('SELECT count(*)::int FROM filled')).toMatchObject({ body: { rows: [[0]] } });
  });

  it.each(['INSERT INTO filling VALUES (1)', FILL])('when a statement is committed: %s', async sql => {
    expect(await query(sql)).toMatchObject({ status: 413 });
    expect(await read('SELECT count(*)::int FROM filled')).toMatchObject({ body: { rows: [[0]] } });
  });

  it('when a read-only statement calls a function that writes', async () => {
    expect(await read('SELECT hide()')).toMatchObject({ status: 413 });
    expect(await run({ method: 'open', text: 'SELECT hide()', params: [], batch_size: 10 })).toMatchObject(full);
  });

  it('but a long read of an account above its quota succeeds', async () => {
    await query(`INSERT INTO filled SELECT repeat(md5(i::text), 30) FROM generate_series(1, 2000) i`);
    await limitStorage(500_000, true);
    expect(await read('SELECT pg_sleep(2.5) IS NULL')).toMatchObject({ status: 200 });
    await query('TRUNCATE filled');
    await limitStorage(QUOTA, false);
  });

  it('when VACUUM or an index calls a function that writes', async () => {
    for (const sql of ['INSERT INTO vacuumed VALUES (2)', 'CREATE INDEX ON vacuumed (hide_by_index(n))'])
      expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
    expect(await query('INSERT INTO vacuumed VALUES (1)')).toMatchObject({ status: 413 });
    await knowStorage(false);
    for (const sql of [
      'DROP INDEX vacuumed_hide_by_index_idx',
      'INSERT INTO vacuumed VALUES (1)',
      `CREATE OR REPLACE FUNCTION hide_by_index(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$`,
      'CREATE INDEX ON vacuumed (hide_by_index(n))',
      'CREATE OR REPLACE FUNCTION hide_by_index(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN public.hide(); END $$',
    ])
      expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
    expect(await query('VACUUM FULL vacuumed')).toMatchObject({ status: 413 });
  });
});

it('an account over its storage quota can only read and delete in PostgreSQL', async () => {
  const owner = await ownerOf('developer');
  await query(`CREATE TABLE big AS SELECT repeat(md5(i::text), 30) AS t FROM generate_series(1, 20000) i`);
  // A trigger and an index that insert 3 MB each time.
  for (const sql of [
    'CREATE TABLE growing (t text)',
    'CREATE TABLE victims AS SELECT generate_series(1, 9) AS n',
    `CREATE FUNCTION grow() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.growing SELECT repeat(md5(i::text), 60) FROM generate_series(1, 1500) i; RETURN 1; END $$`,
    'CREATE FUNCTION grow_by_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM grow(); RETURN old; END $$',
    'CREATE TRIGGER grow BEFORE DELETE ON victims FOR EACH ROW EXECUTE FUNCTION grow_by_trigger()',
    'CREATE FUNCTION grow_by_index(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN public.grow(); END $$',
    'CREATE TABLE indexed (n int) WITH (autovacuum_enabled = off)',
    'CREATE INDEX ON indexed (grow_by_index(n))',
    'INSERT INTO indexed VALUES (1)',
  ]) {
    expect({ sql, ...(await query(sql)) }).toMatchObject({ sql, status: 200 });
  }
  await app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [owner, JSON.stringify({ storage_bytes: 3_000_000 })]);
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
  const grown = async () => (await query('SELECT count(*)::int FROM growing')).body.rows;
  const deletes = [];
  for (const n of [1, 2, 3]) deletes.push(await query('DELETE FROM victims WHERE n = $1', { params: [n] }));
  expect(deletes.map(({ status }) => status)).toEqual([200, 413, 413]);
  expect(deletes[2]?.body.error_message).toContain('made the database larger');
  expect(await grown()).toEqual([[3_000]]);
  expect((await query('VACUUM FULL indexed')).status).toBe(413);
  expect(await grown()).toEqual([[3_000]]);
  expect((await query('DROP TABLE indexed')).status).toBe(200);
  expect((await query('VACUUM FULL ANALYZE growing')).status).toBe(200);
  for (const table of ['growing', 'victims']) expect((await query(`DROP TABLE ${table}`)).status).toBe(200);
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

it('a killed PostgreSQL server of an account restarts, and the next call works', async () => {
  const pidFile = join(app.config.dataDir, 'user-postgres', await nameOf('developer'), 'postmaster.pid');
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

it('an account whose PostgreSQL server crashes and exhausts memory, disk and time harms no other account', async () => {
  const self = await nameOf('developer');
  const crash = async () => {
    const pids = await app
      .part(UserServerService)
      .maintain<{ pid: number }>(self, 'SELECT pid FROM pg_stat_activity WHERE usename = $1', [self])
      .catch(() => []);
    for (const { pid } of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // PostgreSQL has ended it, because another of its processes was killed.
      }
    }
  };
  const statements = app.part(UserStatementsService);
  statements.statementMs = 3_000;
  const attacks = [
    HEAVY.endless,
    HEAVY.memory,
    HEAVY.disk,
    ...Array.from({ length: 20 }, () => 'SELECT pg_sleep(2)'),
  ].map(sql => query(sql));
  let isOver = false;
  const over = Promise.all(attacks).then(() => {
    isOver = true;
  });
  let calls = 0;
  while (!isOver || calls < 10) {
    if (calls % 5 === 4) await crash();
    expect(await call(admin, 'INSERT INTO secret VALUES (1)')).toMatchObject({ status: 200 });
    expect(await call(admin, 'DELETE FROM secret WHERE n = 1')).toMatchObject({ status: 200 });
    calls += 1;
  }
  await over;
  statements.statementMs = STATEMENT_MS;
  await until(
    () => query('SELECT 1'),
    ({ status }) => status === 200,
  );
});

it('deleting an account deletes its PostgreSQL server and the folder of its data', async () => {
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
  const folder = join(app.config.dataDir, 'user-postgres', name);
  expect(existsSync(folder)).toBe(true);
  const deleted = await admin('DELETE', `/joint-api/users/${created.body.id}`);
  expect(deleted.body.deleted).toMatchObject({ users: 1, postgres_databases: 1 });
  expect(existsSync(folder)).toBe(false);
});

it('another process, such as a backup, finds an account’s PostgreSQL server while the backend runs', async () => {
  const name = await nameOf('developer');
  const url = new URL(String(findUserPostgres(app.config.dataDir)?.url));
  url.pathname = `/${name}`;
  const client = new Client({ connectionString: url.toString() });
  await client.connect();
  const { rows } = await client.query('SELECT n FROM mine');
  await client.end();
  expect(rows).toHaveLength(0);
});
