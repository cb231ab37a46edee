import mongoose from 'mongoose';
import { startKeyedRun } from '../../../../test/runs/keyed-runs.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { CollectionLimitService } from '../../../data/storage/mongodb/collection-limit.service.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';
import { JobRunnerService } from '../../../platform/jobs/job-runner.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

/** Ends a run that finds these prices. */
async function runOf(worker: TestWorker, prices: Record<string, number>) {
  const run = await startKeyedRun(fleet, worker);
  await run.push(Object.entries(prices).map(([sku, price]) => ({ sku, price })));
  await run.finish();
  return run;
}

/** Gives a collection of the fleet’s skript an index, as its owner may. */
async function addUniqueIndex(prefix: string, field: string) {
  const { items } = (await developer('GET', '/joint-api/mongo-databases/list')).body;
  const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE id = $1', [items[0].id]);
  const db = await app.part(MongoConnectionService).db(String(row?.db_name));
  await db.collection(prefix + fleet.skriptId).createIndex({ [field]: 1 }, { unique: true });
}

/** Returns the changes of a run. The next attempt of a merge that has failed starts at once. */
async function changesAfterAttempt(id: string) {
  await app.sql(`UPDATE jobs SET run_at = now() WHERE kind = 'items_merge' AND state = 'queued'`);
  app.part(JobRunnerService).flush();
  return (await developer('GET', `/joint-api/skript-execution/${id}/changes`)).body;
}

const untilState = (id: string, state: string) =>
  until(
    () => changesAfterAttempt(id),
    changes => changes.state === state,
  );

it('a merge that cannot succeed fails with its reason, and the next run is merged into the items as they are', async () => {
  const worker = await fleet.connect();
  const first = await runOf(worker, { a: 1, b: 2 });
  expect(await untilState(first.id, 'merged')).toMatchObject({ reason: null, counts: { added: 2 } });
  await addUniqueIndex('items_', 'price');

  const hostile = await runOf(worker, { a: 3, b: 3 });
  const next = await runOf(worker, { a: 4, b: 5 });
  expect(await untilState(hostile.id, 'failed')).toMatchObject({
    reason: 'A document with { price: 3 } (index price_1) already exists.',
    counts: { added: 0, changed: 0, gone: 0, back: 0 },
  });
  const merged = await untilState(next.id, 'merged');
  expect(merged.counts).toEqual({ added: 0, changed: 2, gone: 0, back: 0 });
  const prices = merged.items.map(({ fields }: { fields: { price: { now: number } } }) => fields.price.now);
  expect(prices.sort()).toEqual([4, 5]);
});

it.each([
  ['items_', 'price', { a: 1, b: 2, c: 2 }, '{ price: 2 } (index price_1)'],
  ['changes_', '_key', { a: 2, b: 2 }, `{ _key: "{"sku":"a"}" } (index _key_1)`],
])(
  'a merge fails with its reason if a unique index of %s refuses what is new',
  async (prefix, field, prices, shown) => {
    const worker = await fleet.connect();
    const first = await runOf(worker, { a: 1 });
    await untilState(first.id, 'merged');
    await addUniqueIndex(prefix, field);
    const hostile = await runOf(worker, prices);
    expect((await untilState(hostile.id, 'failed')).reason).toBe(`A document with ${shown} already exists.`);
  },
);

it('a merge waits for the end of an outage of MongoDB, however many attempts that takes', async () => {
  const worker = await fleet.connect();
  const outage = jest
    .spyOn(app.part(CollectionLimitService), 'hasRowKeys')
    .mockRejectedValue(new mongoose.mongo.MongoNetworkError('connect ECONNREFUSED'));
  try {
    const run = await runOf(worker, { a: 1, b: 2 });
    await until(
      () => changesAfterAttempt(run.id),
      () => outage.mock.calls.length > 8,
    );
    expect(await changesAfterAttempt(run.id)).toMatchObject({ state: 'waiting', reason: null });
    outage.mockRestore();
    expect((await untilState(run.id, 'merged')).counts.added).toBe(2);
  } finally {
    outage.mockRestore();
  }
});
