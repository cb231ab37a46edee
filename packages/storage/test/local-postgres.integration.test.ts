import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { postgres } from '../src/index.js';
import { LocalPostgres } from '../src/local/local-postgres.js';

/** Number of connections of a pool of pg. */
const CONNECTIONS = 10;
const server = process.env.TRAWL_TEST_POSTGRES_URL ?? '';
const name = `local_${randomBytes(6).toString('hex')}`;
const onServer = async (sql: string) => {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(sql).finally(() => client.end());
};

beforeAll(() => onServer(`CREATE DATABASE ${name}`));
afterAll(() => onServer(`DROP DATABASE ${name} WITH (FORCE)`));
afterEach(() => {
  delete process.env.TRAWL_POSTGRES_URL;
});

const here = () => {
  process.env.TRAWL_POSTGRES_URL = Object.assign(new URL(server), { pathname: `/${name}` }).toString();
};

it('the PostgreSQL example of the storage page runs as printed', async () => {
  here();
  const page = readFileSync('website/docs/libs/storage.mdx', 'utf8');
  const [, text = ''] = /```js title="main.js"\n(const \{ postgres \}.*?)```/s.exec(page) ?? [];
  const module = { exports: async (): Promise<unknown> => undefined };
  new Function('require', 'module', text)(() => ({ postgres }), module);
  expect(await module.exports()).toEqual([{ title: 'Knots' }]);
  await postgres.query('DROP TABLE books');
});

it('outside a run, the postgres calls use the server in TRAWL_POSTGRES_URL', async () => {
  here();
  await postgres.query('CREATE TABLE books (id int PRIMARY KEY, price numeric, at timestamptz)');
  const at = new Date('2026-01-02T03:04:05.000Z');
  expect(
    await postgres.insertMany('books', [
      { id: 1, price: 9.5, at },
      { id: 2, price: null, at },
    ]),
  ).toBe(2);
  expect(await postgres.query('SELECT * FROM books WHERE id = $1', [1])).toEqual({
    rows: [{ id: 1, price: '9.5', at }],
    rowCount: 1,
    command: 'SELECT',
  });
  const ids: unknown[] = [];
  for await (const row of postgres.cursor('SELECT id FROM books WHERE id < $1 ORDER BY id', [9], { batchSize: 1 })) {
    ids.push(row.id);
  }
  expect(ids).toEqual([1, 2]);
  await expect(
    postgres.transaction(async transaction => {
      await transaction.query('DELETE FROM books');
      await transaction.query('SELECT 1 / 0').catch(() => {});
    }),
  ).rejects.toMatchObject({ code: 'storage_transaction_lost' });
  await expect(postgres.query('SELECT nothing')).rejects.toMatchObject({
    code: 'storage_rejected',
    postgres: { sqlState: '42703', position: 8 },
  });
  await expect(postgres.query('SELECT 1; SELECT 2')).rejects.toMatchObject({ postgres: { sqlState: '42601' } });
  const two = postgres.cursor('SELECT 1; DELETE FROM books; COMMIT').next();
  await expect(two).rejects.toMatchObject({ postgres: { sqlState: '42601' } });
  expect((await postgres.query('SELECT count(*)::int AS n FROM books')).rows).toEqual([{ n: 2 }]);
});

it('closing a cursor ends the page that is being read, and does nothing after the last page', async () => {
  here();
  const { port } = new LocalPostgres();
  const open = (text: string) =>
    port({ method: 'open', text, params: [], batch_size: 1 }) as Promise<{ result: { cursor: string } }>;
  const { cursor } = (await open('SELECT n FROM (VALUES (0), (600)) v (n) WHERE pg_sleep(n) IS NOT NULL')).result;
  const next = port({ method: 'next', cursor });
  expect(await port({ method: 'close', cursor })).toEqual({ result: {} });
  expect(await next).toMatchObject({ error: { code: 'storage_unavailable' } });
  expect(await port({ method: 'close', cursor })).toEqual({ result: {} });
});

it('a transaction that a run leaves open is rolled back', async () => {
  here();
  await postgres.query('CREATE TABLE left_open (n int)');
  const run = new LocalPostgres();
  const begun = (await run.port({ method: 'begin' })) as { result: { transaction: string } };
  const { transaction } = begun.result;
  await run.port({ method: 'query', text: 'INSERT INTO left_open VALUES (1)', params: [], transaction });
  await run.port({ method: 'query', text: 'LOCK TABLE left_open', params: [], transaction });
  const beginning = run.port({ method: 'begin' });
  run.close();
  expect(await beginning).toMatchObject({ error: {} });
  // This query waits for the lock, which the rollback releases.
  expect((await postgres.query('SELECT * FROM left_open')).rows).toEqual([]);
});

it('connections of transactions that could not begin return to the pool', async () => {
  here();
  const { port } = new LocalPostgres();
  const all = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: CONNECTIONS }, call));
  await all(() => port({ method: 'query', text: 'SELECT pg_sleep(0.2)', params: [] }));
  // While this process waits, it does not notice that its connections are closed.
  const script = `const client = new (require('pg').Client)(process.argv[1]);
    client.connect().then(() => client.query("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'"))
      .then(() => client.end())`;
  execFileSync(process.execPath, ['-e', script, server]);
  const begun = await all(() => port({ method: 'begin' }));
  // On a slow machine, the pool may have closed a few idle connections before. It replaces them.
  const open = begun.flatMap(answer => ('result' in answer ? [answer.result as { transaction: string }] : []));
  expect(open.length).toBeLessThan(CONNECTIONS);
  for (const { transaction } of open) await port({ method: 'rollback', transaction });
  expect(await port({ method: 'query', text: 'SELECT 1', params: [] })).toMatchObject({ result: { rows: [['1']] } });
});

it('postgres calls without a server name the setting to make, and never show the password', async () => {
  await expect(postgres.query('SELECT 1')).rejects.toMatchObject({
    code: 'storage_unavailable',
    message: expect.stringContaining('Set TRAWL_POSTGRES_URL'),
  });
  process.env.TRAWL_POSTGRES_URL = 'postgresql://somebody:hidden-password@127.0.0.1:1/nothing';
  const error = await postgres.query('SELECT 1').catch(String);
  expect(error).toMatch(/storage_unavailable|ECONNREFUSED/);
  expect(error).not.toContain('hidden-password');
});
