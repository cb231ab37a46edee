import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type PostgresAnswer, type PostgresOperation, postgresOperationSchema } from '@trawl/contracts';
import { postgres, StorageError } from '@trawl/storage';
import { appForFile } from '../../../../test/test-app.js';
import { until } from '../../../../test/until.js';
import { UserServerService } from '../server/user-server.service.js';
import { MAX_SESSIONS, UserSessionsService } from '../sessions/user-sessions.service.js';
import { STATEMENT_MS, UserStatementsService } from '../sessions/user-statements.service.js';
import { HeldSessionsService } from './held-sessions.service.js';
import { PostgresOperationsService } from './postgres-operations.service.js';

const PORT = Symbol.for('trawl.postgres');
const { app, developer } = appForFile();
let caller: { ownerId: string; executionId: string; connection: EventEmitter & { connected: boolean } };
/** The next operation with this method is sent twice, over different connections, and its first answer is lost. */
let lost: PostgresOperation['method'] | undefined;

/** The tables that answers have named. */
const tables: string[] = [];

const noted = (answer: PostgresAnswer) => {
  if ('result' in answer && 'table' in answer.result) tables.push(String(answer.result.table));
  return answer;
};
const connected = () => Object.assign(new EventEmitter(), { connected: true });
const operations = () => app.part(PostgresOperationsService);
const rowsOf = async (sql: string) =>
  (await developer('POST', '/joint-api/postgres/query', { sql })).body.rows as unknown[][];
const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: StorageError) => error,
  );
/** Number of sessions of the account that are in a transaction. */
const transactions = () => sessions('xact_start IS NOT NULL');
const sleeping = () => sessions(`wait_event = 'PgSleep'`);
const sessions = async (condition: string) => {
  const text = `SELECT count(*) AS n FROM pg_stat_activity WHERE usename = $1 AND ${condition}`;
  const name = await nameOf();
  const [row] = await app.part(UserServerService).maintain<{ n: string }>(name, text, [name]);
  return Number(row?.n);
};
const nameOf = async () => String((await app.sql<{ name: string }>('SELECT name FROM postgres_databases'))[0]?.name);

beforeAll(async () => {
  const [user] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  const ownerId = String(user?.id);
  caller = { ownerId, executionId: randomUUID(), connection: connected() };
  Object.assign(globalThis, {
    [PORT]: async (request: unknown) => {
      const op = postgresOperationSchema.parse(request);
      if (op.method !== lost) return noted(await operations().run(caller, op, false));
      lost = undefined;
      await operations().run(caller, op, false);
      caller.connection.emit('disconnect');
      caller = { ...caller, connection: connected() };
      return operations().run(caller, op, true);
    },
  });
  await postgres.query(
    'CREATE TABLE books (id serial PRIMARY KEY, title text UNIQUE, price numeric, data jsonb, raw bytea, tags text[], at timestamptz)',
  );
});
beforeEach(() => postgres.query('TRUNCATE books'));
afterEach(async () => {
  await operations().end(caller.executionId);
  await until(transactions, count => count === 0);
});

it('postgres.query and postgres.insertMany store and return values with their types', async () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const row = {
    title: `it's "q\\u0000uoted" \n é`,
    price: '12.50',
    data: { a: [1, 'x'] },
    raw: Buffer.from([0, 255]),
    tags: ['a,b', '"{}\\'],
    at,
  };
  await postgres.query(
    'INSERT INTO books (title, price, data, raw, tags, at) VALUES ($1, $2, $3, $4, $5, $6)',
    Object.values(row),
  );
  expect(
    await postgres.insertMany('public.books', [{ ...row, title: 'other', price: 3n, data: [1], tags: null }]),
  ).toBe(1);
  const { rows, rowCount, command } = await postgres.query(
    'SELECT title, price, data, raw, tags, at FROM books ORDER BY price DESC',
  );
  expect(rows).toEqual([row, { ...row, title: 'other', price: '3', data: [1], tags: null }]);
  expect({ rowCount, command }).toEqual({ rowCount: 2, command: 'SELECT' });
});

it('postgres.insertMany inserts many rows in several calls, and its error counts the rows stored before it', async () => {
  const rows = Array.from({ length: 5_000 }, (_, n) => ({ title: `title ${n} ${'x'.repeat(300)}`, price: n }));
  expect(await postgres.insertMany('books', rows)).toBe(5_000);
  const error = await failure(
    postgres.insertMany('books', [
      ...rows.map(row => ({ ...row, title: `b${row.title}` })),
      rows[0] as object as never,
    ]),
  );
  expect(error).toMatchObject({ code: 'storage_duplicate_key', postgres: { sqlState: '23505' } });
  expect(error?.insertedCount).toBeGreaterThan(1_000);
  await expect(postgres.insertMany('books', [{ title: 'a' }, { price: 1 }])).rejects.toThrow(TypeError);
  await expect(postgres.query('SELECT repeat($1, 600000)', ['x'])).rejects.toMatchObject({ code: 'storage_too_large' });
});

it('an error of postgres.query has the message of PostgreSQL, the SQLSTATE and the position', async () => {
  const error = await failure(postgres.query('SELECT nothing FROM books'));
  expect(error).toBeInstanceOf(StorageError);
  expect(error).toMatchObject({
    code: 'storage_rejected',
    message: 'postgres.query: column "nothing" does not exist. (SQLSTATE 42703, position 8)',
    postgres: { sqlState: '42703', position: 8 },
  });
  expect(await failure(postgres.query('SELECT 1; SELECT 2'))).toMatchObject({ postgres: { sqlState: '42601' } });
  expect(await failure(postgres.query('SELECT \u0000'))).toMatchObject({ code: 'storage_rejected' });
});

it('postgres.cursor reads page by page, and closes when its loop ends early', async () => {
  const numbers: unknown[] = [];
  for await (const row of postgres.cursor('SELECT i FROM generate_series(1, $1::int) i', [2_500])) numbers.push(row.i);
  expect(numbers).toEqual(Array.from({ length: 2_500 }, (_, n) => n + 1));
  const wide: number[] = [];
  for await (const row of postgres.cursor(`SELECT i, repeat('x', 100000) AS t FROM generate_series(1, 20) i`))
    wide.push(Number(row.i));
  expect(wide).toHaveLength(20);
  for await (const _row of postgres.cursor('SELECT generate_series(1, 100000)', [], { batchSize: 10 })) break;
  await until(transactions, count => count === 0);
  await expect(postgres.cursor(`INSERT INTO books (title) VALUES ('x') RETURNING id`).next()).rejects.toMatchObject({
    postgres: { sqlState: '25006' },
  });
  await expect(postgres.cursor(`SELECT repeat('x', 600000)`).next()).rejects.toMatchObject({
    code: 'storage_too_large',
  });
  const cursor = postgres.cursor('SELECT generate_series(1, 100000)', [], { batchSize: 1 });
  await cursor.next();
  caller.connection.emit('disconnect');
  await expect(cursor.next()).rejects.toMatchObject({ code: 'storage_cursor_lost' });
});

it('closing a postgres cursor cancels the page that is being read', async () => {
  // The first page are the first 32 rows that PostgreSQL sends.
  const text = 'SELECT i FROM generate_series(1, 40) i WHERE i < 40 OR pg_sleep(600) IS NOT NULL';
  const opened = await operations().run(caller, { method: 'open', text, params: [], batch_size: 32 }, false);
  const { cursor } = (opened as { result: { cursor: string } }).result;
  const next = operations().run(caller, { method: 'next', cursor }, false);
  await until(sleeping, count => count === 1);
  expect(await operations().run(caller, { method: 'close', cursor }, false)).toEqual({ result: {} });
  expect(await next).toMatchObject({ error: { message: 'The statement was cancelled.' } });
});

it.each([
  ['books', 'books', undefined],
  ['public.books', 'books', undefined],
  ['books', 'shop.books', 'shop, public'],
  ['Titles', 'Titles', 'shop, public'],
  ['shop.books', 'shop.books', undefined],
])('postgres.insertMany(%j) reports that it wrote to the table %j', async (named, found, path) => {
  for (const text of [
    'CREATE SCHEMA IF NOT EXISTS shop',
    'CREATE TABLE IF NOT EXISTS shop.books (title text)',
    'CREATE TABLE IF NOT EXISTS "Titles" (title text)',
  ])
    await postgres.query(text);
  tables.length = 0;
  await postgres.transaction(async tx => {
    if (path !== undefined) await tx.query(`SET LOCAL search_path = ${path}`);
    await tx.insertMany(named, [{ title: 'one' }]);
  });
  if (path === undefined) await postgres.insertMany(named, [{ title: 'two' }]);
  expect(tables).toEqual(path === undefined ? [found, found] : [found]);
});

describe('a PostgreSQL transaction of a run', () => {
  it('commits when its function returns, and rolls back when it throws', async () => {
    const result = await postgres.transaction(async tx => {
      await tx.insertMany('books', [{ title: 'one' }]);
      await Promise.all([tx.query(`INSERT INTO books (title) VALUES ('two')`), tx.query('SELECT 1')]);
      expect(await rowsOf('SELECT title FROM books')).toEqual([]);
      await tx.query('SAVEPOINT s');
      await tx.query('DELETE FROM books');
      await tx.query('ROLLBACK TO SAVEPOINT s');
      return 'done';
    });
    expect(result).toBe('done');
    expect(await rowsOf('SELECT title FROM books ORDER BY id')).toEqual([['one'], ['two']]);
    const thrown = new Error('changed my mind');
    const failing = postgres.transaction(async tx => {
      await tx.query('DELETE FROM books');
      throw thrown;
    });
    await expect(failing).rejects.toBe(thrown);
    expect(await rowsOf('SELECT count(*)::int FROM books')).toEqual([[2]]);
  });

  it('is not committed after a statement failed, even if the skript ignores that', async () => {
    const ignoring = postgres.transaction(async tx => {
      await tx.query(`INSERT INTO books (title) VALUES ('half')`);
      await tx.query('SELECT 1 / 0').catch(() => {});
    });
    await expect(ignoring).rejects.toMatchObject({ code: 'storage_transaction_lost' });
    expect(await rowsOf('SELECT * FROM books')).toEqual([]);
  });

  it('is not committed after a result was too large', async () => {
    const ignoring = postgres.transaction(async tx => {
      const large = `INSERT INTO books (title) VALUES ('large') RETURNING repeat('x', 600000)`;
      expect(await failure(tx.query(large))).toMatchObject({ code: 'storage_too_large' });
    });
    await expect(ignoring).rejects.toMatchObject({ code: 'storage_transaction_lost' });
    expect(await rowsOf('SELECT * FROM books')).toEqual([]);
    await postgres.transaction(async tx => {
      await tx.query('SAVEPOINT before');
      await failure(tx.query(`INSERT INTO books (title) VALUES ('large') RETURNING repeat('x', 600000)`));
      await tx.query('ROLLBACK TO SAVEPOINT before');
      await tx.query(`INSERT INTO books (title) VALUES ('small')`);
    });
    expect(await rowsOf('SELECT title FROM books')).toEqual([['small']]);
  });

  it.each([
    ['the run ends', (run: typeof caller) => void operations().end(run.executionId)],
    ['the connection breaks', (run: typeof caller) => void run.connection.emit('disconnect')],
  ])('is not begun after %s while it waits for a session', async (_why, end) => {
    const begin = { method: 'begin' } as const;
    const others = [];
    for (let n = 0; n < MAX_SESSIONS; n += 1) others.push(await operations().run(caller, begin, false));
    const gone = { ...caller, executionId: randomUUID(), connection: connected() };
    const waiting = operations().run(gone, begin, false);
    end(gone);
    const { transaction } = (others[0] as { result: { transaction: string } }).result;
    await operations().run(caller, { method: 'rollback', transaction }, false);
    expect(await waiting).toMatchObject({ error: { code: 'run_ended' } });
    expect(await transactions()).toBe(MAX_SESSIONS - 1);
  });

  // The worker counts by these commands what the transaction has written.
  it.each([
    ['COMMIT', 'COMMIT', 'kept'],
    ['END', 'COMMIT', 'kept'],
    ['COMMIT AND CHAIN', 'COMMIT', 'kept'],
    ['COMMIT WORK AND NO CHAIN', 'COMMIT', 'kept'],
    ['ROLLBACK', 'ROLLBACK', null],
    ['ABORT', 'ROLLBACK', null],
    ['ROLLBACK AND CHAIN', 'ROLLBACK', null],
    // The servers of users keep no prepared transactions.
    [`PREPARE TRANSACTION 'later'`, null, null],
    ['DO $$ BEGIN COMMIT; END $$', null, null],
    ['CALL commits()', null, null],
  ])('refuses further calls after the skript executed %s', async (end, command, kept) => {
    await postgres.query('CREATE OR REPLACE PROCEDURE commits() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$');
    let answer: string | null = null;
    const error = await failure(
      postgres.transaction(async tx => {
        await tx.query(`INSERT INTO books (title) VALUES ('kept')`);
        const ended = tx.query(end);
        answer = (await ended.catch(() => null))?.command ?? null;
        await tx.query(`INSERT INTO books (title) VALUES ('stray')`);
      }),
    );
    expect(answer).toBe(command);
    // PostgreSQL refuses COMMIT in a block and in a procedure, and the transaction stays, failed.
    const isInCode = /^(DO|CALL)/.test(end);
    expect(error).toMatchObject(isInCode ? { postgres: { sqlState: '25P02' } } : { code: 'storage_transaction_lost' });
    expect(await rowsOf('SELECT title FROM books')).toEqual(kept === null ? [] : [[kept]]);
  });

  it.each(['COMMIT', 'COMMIT AND CHAIN'])('refuses further calls after the %s of the skript failed', async end => {
    await postgres.query(
      'CREATE TABLE IF NOT EXISTS parts (id int PRIMARY KEY, whole int REFERENCES parts DEFERRABLE INITIALLY DEFERRED)',
    );
    const error = await failure(
      postgres.transaction(async tx => {
        await tx.query('INSERT INTO parts VALUES (1, 2)');
        expect(await failure(tx.query(end))).toMatchObject({ postgres: { sqlState: '23503' } });
        await tx.query('INSERT INTO parts VALUES (3, 3)');
      }),
    );
    expect(error).toMatchObject({ code: 'storage_transaction_lost' });
    expect(await rowsOf('SELECT id FROM parts')).toEqual([]);
  });

  it('continues after a rollback to a savepoint', async () => {
    const commands: string[] = [];
    await postgres.transaction(async tx => {
      for (const text of [
        'SAVEPOINT a',
        `INSERT INTO books (title) VALUES ('gone')`,
        'ROLLBACK TO a',
        `INSERT INTO books (title) VALUES ('kept')`,
        'RELEASE a',
      ])
        commands.push((await tx.query(text)).command);
    });
    expect(commands).toEqual(['SAVEPOINT', 'INSERT', 'ROLLBACK', 'INSERT', 'RELEASE']);
    expect(await rowsOf('SELECT title FROM books')).toEqual([['kept']]);
  });

  it.each([
    ['it is idle', () => undefined],
    ['the connection of the worker breaks', () => void caller.connection.emit('disconnect')],
    ['the run ends', () => void operations().end(caller.executionId)],
  ])('is rolled back when %s', async (_why, cause) => {
    const held = app.part(HeldSessionsService);
    const usual = held.idleMs;
    held.idleMs = { ...usual, transaction: 500 };
    const error = await failure(
      postgres.transaction(async tx => {
        await tx.query(`INSERT INTO books (title) VALUES ('lost')`);
        cause();
        await until(transactions, count => count === 0);
        await tx.query('SELECT 1');
      }),
    );
    held.idleMs = usual;
    expect(error).toMatchObject({ code: 'storage_transaction_lost' });
    expect(await rowsOf('SELECT * FROM books')).toEqual([]);
  });

  it('is ended when it is idle for too long, which releases its locks', async () => {
    const held = app.part(HeldSessionsService);
    const usual = held.idleMs;
    held.idleMs = { ...usual, transaction: 500 };
    const locking = failure(
      postgres.transaction(async transaction => {
        await transaction.query('LOCK TABLE books');
        const waiting = developer('POST', '/joint-api/postgres/query', { sql: 'SELECT count(*)::int FROM books' });
        expect((await waiting).body.rows).toEqual([[0]]);
        await transaction.query('SELECT 1');
      }),
    );
    expect(await locking).toMatchObject({ code: 'storage_transaction_lost' });
    held.idleMs = usual;
  });

  it('is rolled back when one of its statements takes too long', async () => {
    const statements = app.part(UserStatementsService);
    const error = await failure(
      postgres.transaction(async transaction => {
        await transaction.query(`INSERT INTO books (title) VALUES ('slow')`);
        statements.statementMs = 300;
        await transaction.query('SELECT pg_sleep(600)').catch(() => {});
        statements.statementMs = STATEMENT_MS;
        await transaction.query('SELECT 1');
      }),
    );
    expect(error).toMatchObject({ code: 'storage_transaction_lost' });
    expect(await rowsOf('SELECT * FROM books')).toEqual([]);
  });

  it('cannot be used by another run or over another connection of the worker', async () => {
    const op = { method: 'begin' } as const;
    const begun = await operations().run(caller, op, false);
    const { transaction } = (begun as { result: { transaction: string } }).result;
    const query: PostgresOperation = { method: 'query', text: 'SELECT 1', params: [], transaction };
    for (const other of [
      { ...caller, executionId: randomUUID() },
      { ...caller, connection: connected() },
    ]) {
      expect(await operations().run(other, query, false)).toMatchObject({
        error: { code: 'storage_transaction_lost' },
      });
    }
    expect(await operations().run(caller, query, false)).toMatchObject({ result: { rows: [['1']] } });
  });
});

describe('when an answer of PostgreSQL is lost', () => {
  it('a commit that took effect is reported as successful', async () => {
    lost = 'commit';
    await postgres.transaction(tx => tx.query(`INSERT INTO books (title) VALUES ('one')`));
    expect(lost).toBeUndefined();
    expect(await rowsOf('SELECT title FROM books')).toEqual([['one']]);
  });

  it('a commit that never arrived is reported as rolled back', async () => {
    const begun = (await operations().run(caller, { method: 'begin' }, false)) as {
      result: { transaction: string; xid: string };
    };
    const { transaction, xid } = begun.result;
    await operations().run(
      caller,
      { method: 'query', text: `INSERT INTO books (title) VALUES ('x')`, params: [], transaction },
      false,
    );
    await app
      .part(UserServerService)
      .maintain(await nameOf(), 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [
        await nameOf(),
      ]);
    // Connections that do not yet know that they were terminated answer `storage_unavailable`; a worker then repeats.
    const answer = await until(
      () => operations().run(caller, { method: 'commit', transaction, xid }, false),
      one => !('error' in one) || one.error.code !== 'storage_unavailable',
    );
    expect(answer).toMatchObject({ error: { code: 'storage_transaction_lost' } });
    expect(await rowsOf('SELECT * FROM books')).toEqual([]);
  });

  it('a statement that only reads is repeated, and one that writes is not', async () => {
    lost = 'query';
    expect((await postgres.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    lost = 'query';
    await expect(postgres.query(`INSERT INTO books (title) VALUES ('once')`)).rejects.toMatchObject({
      code: 'storage_outcome_unknown',
    });
    expect(await rowsOf('SELECT count(*)::int FROM books')).toEqual([[1]]);
  });
});

it('postgres.query works again after all connections of the account were closed', async () => {
  await postgres.query('SELECT 1');
  await app.part(UserSessionsService).close(caller.ownerId);
  const name = await nameOf();
  const sql = 'SELECT 1 FROM pg_stat_activity WHERE usename = $1';
  const open = async () => (await app.part(UserServerService).maintain(name, sql, [name])).length;
  await until(open, count => count === 0);
  expect((await postgres.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
});
