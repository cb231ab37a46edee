import type { mongo } from 'mongoose';
import { startTestApp, type TestApp } from '../../test/test-app.js';
import { makeDatabase, type TestDatabase } from '../../test/test-mongo.js';
import { until } from '../../test/until.js';
import { CALLS_AT_ONCE, CALLS_THAT_WAIT } from './mongo-turn.js';
import { StorageOperationsService } from './storage-operations.service.js';

jest.setTimeout(120_000);

const CALLS = 100;
/** Tries each way to split each text, of which there are more than anybody waits for. */
const ENDLESS = { s: { $regex: '(a+)+$' } };

let app: TestApp;
let database: TestDatabase;
let at: string;
let collection: mongo.Collection;
/** What has been seen under way at MongoDB on the collection, by the number that MongoDB gives it. */
let seen: Set<unknown>;

beforeAll(async () => {
  app = await startTestApp();
  database = await makeDatabase(app);
});
afterAll(async () => {
  await database?.close();
  await app?.close();
});
beforeEach(async () => {
  ({ at, collection } = database.fresh());
  seen = new Set();
  await collection.insertMany(Array.from({ length: 200 }, (_, n) => ({ n, s: `${'a'.repeat(28)}!` })));
});

async function underWay(): Promise<number> {
  const pipeline = [{ $currentOp: { allUsers: true } }, { $match: { ns: collection.namespace } }];
  const { cursor } = await database.db.admin().command({ aggregate: 1, pipeline, cursor: {} });
  for (const { opid } of cursor.firstBatch) seen.add(opid);
  return cursor.firstBatch.length;
}

it('a few calls of an account are under way at MongoDB, a few wait until their callers leave, and the rest are refused', async () => {
  const left = new AbortController();
  const token = await app.token('developer');
  const query = new URLSearchParams({ filter: JSON.stringify(ENDLESS) });
  const refused: Response[] = [];
  const calls = Array.from({ length: CALLS }, async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${app.url}${at}/list?${query}`, { headers, signal: left.signal });
    if (answer.status === 429) refused.push(answer);
  });
  const ended = Promise.allSettled(calls);
  const counts: number[] = [];
  await until(
    async () => {
      counts.push(await underWay());
      return refused.length;
    },
    count => count >= CALLS - CALLS_AT_ONCE - CALLS_THAT_WAIT && seen.size > 0,
  );
  expect(Math.max(...counts)).toBeLessThanOrEqual(CALLS_AT_ONCE);
  expect(await refused[0]?.json()).toMatchObject({ error_code: 'too_many_requests' });
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  left.abort();
  await ended;
  await until(underWay, count => count === 0);
  // Those that waited would have come after them.
  expect(seen.size).toBeLessThan(3 * CALLS_AT_ONCE);
});

it('runs of an account have as many operations under way', async () => {
  const [owner] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  const operations = app.part(StorageOperationsService);
  let most = 0;
  const db = (await app.sql<{ name: string }>('SELECT name FROM mongo_databases WHERE id = $1', [database.id]))[0]
    ?.name;
  const answers = Array.from({ length: 20 }, (_, n) =>
    operations.run(String(owner?.id), `0198a1c2-1111-7000-8000-${String(n).padStart(12, '0')}`, {
      ...(db === undefined ? {} : { db }),
      collection: collection.collectionName,
      method: 'find',
      args: JSON.stringify({ filter: { s: { $regex: '(a+)+$' }, n: { $lt: 20 } } }),
      resend: false,
    }),
  );
  let isOver = false;
  const ended = Promise.all(answers).finally(() => {
    isOver = true;
  });
  while (!isOver) most = Math.max(most, await underWay());
  expect(most).toBeLessThanOrEqual(CALLS_AT_ONCE);
  expect((await ended).filter(answer => 'error' in answer)).toEqual([]);
});
