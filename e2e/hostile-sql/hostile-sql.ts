import { Client } from 'pg';
import type { Child } from '../harness/child.js';
import { Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';
import { Account } from '../neighbours/account.js';
import { HEAVY, refusedStatements, STOPPABLE, UNSTOPPABLE } from './statements.js';

/** The program with the PostgreSQL of users. */
export interface UserPostgres {
  program: Child;
  port: number;
  /** Starts the program again, and waits until it listens. */
  restart(): Promise<void>;
}

const BACK_MS = 180_000;

const query = (account: Account, sql: string, more: object = {}) =>
  account.call('POST', '/joint-api/postgres/query', { sql, read_only: false, ...more });
const works = async (account: Account) => (await query(account, 'SELECT 1')).status === 200;

/** Attacks the PostgreSQL of users as an account can: with statements that it sends to the API. */
export function attackBySql(find: () => UserPostgres): void {
  let platform: Platform;
  let attacker: Account;
  let neighbour: Account;

  const open = async (quotas?: Record<string, number>) =>
    Account.open(platform.url, platform.workerId, await platform.as('admin'), quotas);

  beforeAll(async () => {
    platform = await Platform.start({ backendEnv: { TRAWL_TRUSTED_PROXIES: '127.0.0.1' } });
    [attacker, neighbour] = [await open(), await open()];
    expect((await query(attacker, 'CREATE TABLE mine (n int)')).status).toBe(200);
    expect((await query(neighbour, 'CREATE TABLE secret AS SELECT 42 AS n')).status).toBe(200);
  });
  afterAll(() => platform?.close());

  /** After each attack the account and its neighbour can work as before. */
  afterEach(async () => {
    expect(find().program.end).toBeNull();
    expect((await query(neighbour, 'SELECT n FROM secret')).body.rows).toEqual([[42]]);
    await until(() => works(attacker), 'the attacker to have a database again', BACK_MS);
    expect((await query(attacker, 'SELECT count(*)::int FROM mine')).body.rows).toEqual([[0]]);
  });

  const nameOf = async (account: Account): Promise<string> =>
    (await query(account, 'SELECT current_user')).body.rows[0][0];

  test('an account reaches no other database, no file and no program', async () => {
    const [self, other] = [await nameOf(attacker), await nameOf(neighbour)];
    for (const [sql, sqlstate] of refusedStatements({ self, other })) {
      const { body } = await query(attacker, sql);
      expect({ sql, state: body.details?.sqlstate ?? body }).toEqual({ sql, state: sqlstate });
    }
    const names = await query(attacker, 'SELECT datname FROM pg_database UNION SELECT rolname FROM pg_roles');
    expect(names.body.rows.flat().filter((name: string) => name.startsWith('u_'))).toEqual([self]);
    // A connection to another database fails even with a password that works.
    await query(attacker, `ALTER ROLE ${self} PASSWORD 'known'`);
    const { port } = find();
    for (const database of [other, 'postgres', 'trawl', 'template1', `${self}.postgres`]) {
      const client = new Client({ host: '127.0.0.1', port, user: self, password: 'known', database });
      await expect(client.connect()).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('a statement that resists a cancellation ends', async () => {
    const answers = await Promise.all(['SELECT pg_sleep(600)', HEAVY.stubborn].map(sql => query(attacker, sql)));
    for (const { body } of answers) {
      expect(body).toMatchObject({
        error_code: 'storage_rejected',
        error_message: expect.stringContaining('within 30 s'),
      });
    }
  });

  test('statements that take all memory, disk and connections harm only their account', async () => {
    const sleeps = Array.from({ length: 20 }, () => 'SELECT pg_sleep(2)');
    const attacks = Promise.all([...Object.values(HEAVY), ...sleeps].map(sql => query(attacker, sql)));
    let isOver = false;
    const over = attacks.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      expect(await query(neighbour, 'INSERT INTO secret VALUES (1)')).toMatchObject({ status: 200 });
      expect(await query(neighbour, 'DELETE FROM secret WHERE n = 1')).toMatchObject({ status: 200 });
    }
    expect((await over).map(({ status }) => status)).not.toContain(500);
  });

  // Each takes a minute. The tests of the backend have all of them.
  test.each(Object.entries(UNSTOPPABLE).filter((_, n) => (n + testSeed) % 4 === 0))(
    'a statement that nothing stops: %s',
    async (_, { values, sql }) => {
      expect((await query(attacker, 'DROP TABLE IF EXISTS big')).status).toBe(200);
      expect((await query(attacker, `CREATE TABLE big AS SELECT ${values}`)).status).toBe(200);
      const { status, body } = await query(attacker, sql);
      expect({ status, code: body.error_code }).toEqual({ status: 503, code: 'storage_unavailable' });
      expect(body.error_message).toContain('has not stopped');
      expect(await query(neighbour, 'SELECT 1')).toMatchObject({ status: 200 });
    },
  );

  test('PostgreSQL stops heavy calls of functions', async () => {
    for (const extension of ['pgcrypto', 'ltree', 'fuzzystrmatch', 'intarray', 'pg_trgm']) {
      expect((await query(attacker, `CREATE EXTENSION IF NOT EXISTS ${extension}`)).status).toBe(200);
    }
    const names = Object.entries(STOPPABLE).filter((_, n) => (n + testSeed) % 4 === 0);
    const answers = await Promise.all(names.map(([, sql]) => query(attacker, sql)));
    const got = names.map(([name], n) => ({
      name,
      status: answers[n]?.status,
      message: answers[n]?.body.error_message,
    }));
    // An account has a limited number of statements at once; the others are refused with 429.
    expect(got.filter(({ status }) => ![200, 422, 429].includes(Number(status)))).toEqual([]);
  });

  test('an account over its quota can only read and delete', async () => {
    const small = await open({ storage_bytes: 12_000_000 });
    const big = `CREATE TABLE big AS SELECT repeat(md5(i::text), 30) AS t FROM generate_series(1, 20000) i`;
    expect([200, 413]).toContain((await query(small, big)).status);
    await query(small, 'CREATE TABLE IF NOT EXISTS big (t text)');
    const insert = `INSERT INTO big SELECT repeat(md5(i::text), 30) FROM generate_series(1, 5000) i`;
    await until(async () => (await query(small, insert)).status === 413, 'the quota to refuse an insertion', BACK_MS);
    expect((await query(small, 'SELECT count(*)::int FROM big')).status).toBe(200);
    expect((await query(small, 'DROP TABLE big')).status).toBe(200);
  });

  test('when the program of all servers is killed, nothing that was acknowledged is lost', async () => {
    expect((await query(attacker, 'CREATE TABLE kept AS SELECT 7 AS n')).status).toBe(200);
    const sleeping = query(attacker, 'INSERT INTO mine SELECT 1 FROM pg_sleep(20)');
    const isActive = async () =>
      (await query(attacker, `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'INSERT INTO mine%'`)).body.rows?.length;
    await until(isActive, 'the insertion to run');
    await find().program.kill('SIGKILL');
    expect((await sleeping).body.error_code).toMatch(/^storage_(unavailable|outcome_unknown)$/);
    await find().restart();
    await until(() => works(neighbour), 'the neighbour to have a database again', BACK_MS);
    await until(() => works(attacker), 'the attacker to have a database again', BACK_MS);
    expect((await query(attacker, 'SELECT n FROM kept')).body.rows).toEqual([[7]]);
    expect((await query(attacker, 'DROP TABLE kept')).status).toBe(200);
  });
}
