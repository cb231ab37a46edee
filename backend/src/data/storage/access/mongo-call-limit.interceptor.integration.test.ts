import type { mongo } from 'mongoose';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { until } from '../../../../test/until.js';
import { StorageOperationsService } from '../runs/storage-operations.service.js';
import { MAX_CONCURRENT_CALLS, MAX_QUEUED_CALLS } from './mongo-call-limit.interceptor.js';

const CALLS = 100;
/** This regular expression backtracks exponentially, so the query runs until its time limit. */
const ENDLESS = { s: { $regex: '(a+)+$' } };

const { app } = appForFile({ settings: { callsAtOnce: CALLS } });
const database = databaseForFile(app);
let at: string;
let collection: mongo.Collection;
/** The `opid` of each MongoDB operation on the collection that a poll has seen. */
let seen: Set<unknown>;

beforeEach(async () => {
  ({ at, collection } = database.fresh());
  seen = new Set();
  await collection.insertMany(Array.from({ length: 200 }, (_, n) => ({ n, s: `${'a'.repeat(28)}!` })));
});

async function countRunning(): Promise<number> {
  const pipeline = [{ $currentOp: { allUsers: true } }, { $match: { ns: collection.namespace } }];
  const { cursor } = await database.db.admin().command({ aggregate: 1, pipeline, cursor: {} });
  for (const { opid } of cursor.firstBatch) seen.add(opid);
  return cursor.firstBatch.length;
}

it('an account’s concurrent and queued MongoDB calls are limited; a client that disconnects leaves the queue', async () => {
  const left = new AbortController();
  const token = await app.token('developer');
  const query = new URLSearchParams({ filter: JSON.stringify(ENDLESS) });
  const refused: Response[] = [];
  let answered = 0;
  const calls = Array.from({ length: CALLS }, async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${app.url}${at}/list?${query}`, { headers, signal: left.signal });
    answered += 1;
    if (answer.status === 429) refused.push(answer);
  });
  const ended = Promise.allSettled(calls);
  const counts: number[] = [];
  await until(
    async () => {
      counts.push(await countRunning());
      return CALLS - answered;
    },
    // Some of the calls may end before all have arrived, so the number of refused calls is not exact.
    unanswered => unanswered <= MAX_CONCURRENT_CALLS + MAX_QUEUED_CALLS && refused.length > 0 && seen.size > 0,
  );
  expect(Math.max(...counts)).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
  expect(await refused[0]?.json()).toMatchObject({ error_code: 'too_many_requests' });
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  left.abort();
  await ended;
  await until(countRunning, count => count === 0);
  // The queued calls never started. If they had, MongoDB would have shown more operations.
  expect(seen.size).toBeLessThan(3 * MAX_CONCURRENT_CALLS);
});

it('concurrent MongoDB operations of an account’s runs are limited', async () => {
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
      args: encodeMessage({ filter: { s: { $regex: '(a+)+$' }, n: { $lt: 20 } } }),
      resend: false,
    }),
  );
  let isOver = false;
  const ended = Promise.all(answers).finally(() => {
    isOver = true;
  });
  while (!isOver) most = Math.max(most, await countRunning());
  expect(most).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
  expect((await ended).filter(answer => 'error' in answer)).toEqual([]);
});

it('an account whose MongoDB calls compute for seconds, of the API and of runs, leaves a place to others', async () => {
  const [owner] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  const developer = await app.as('developer');
  const admin = await app.as('admin');
  const { id } = (await admin('POST', '/joint-api/mongo-databases/addnew', { name: 'beside' })).body;
  const others = `/joint-api/mongo/${id}/books`;
  expect((await admin('POST', `${others}/addnew`, { title: 'One' })).status).toBe(201);
  const [db] = await app.sql<{ name: string }>('SELECT name FROM mongo_databases WHERE id = $1', [database.id]);
  const filter = ENDLESS;
  const query = new URLSearchParams({ filter: JSON.stringify(filter) });
  let ended = 0;
  const count = () => {
    ended += 1;
  };
  const calls = Array.from({ length: 8 }, (_, n) => [
    developer('GET', `${at}/list?${query}`).then(count),
    app
      .part(StorageOperationsService)
      .run(String(owner?.id), `0198a1c2-2222-7000-8000-${String(n).padStart(12, '0')}`, {
        ...(db === undefined ? {} : { db: db.name }),
        collection: collection.collectionName,
        method: 'find',
        args: encodeMessage({ filter }),
        resend: false,
      })
      .then(count),
  ]).flat();
  await until(countRunning, running => running >= 5);
  expect((await admin('GET', `${others}/list`)).status).toBe(200);
  expect(ended).toBe(0);
  await Promise.all(calls);
});
