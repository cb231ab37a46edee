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

/** Ends a run with two rows. */
async function runOf(worker: TestWorker, a: number, b: number) {
  const run = await startKeyedRun(fleet, worker);
  await run.push([
    { sku: 'a', price: a },
    { sku: 'b', price: b },
  ]);
  await run.finish();
  return run;
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
  const first = await runOf(worker, 1, 2);
  expect(await untilState(first.id, 'merged')).toMatchObject({ reason: null, counts: { added: 2 } });
  const { items } = (await developer('GET', '/joint-api/mongo-databases/list')).body;
  const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE id = $1', [items[0].id]);
  const db = await app.part(MongoConnectionService).db(String(row?.db_name));
  await db.collection(`items_${first.skriptId}`).createIndex({ price: 1 }, { unique: true });

  const hostile = await runOf(worker, 3, 3);
  const next = await runOf(worker, 4, 5);
  expect(await untilState(hostile.id, 'failed')).toMatchObject({
    reason: 'A document with { price: 3 } (index price_1) already exists.',
    counts: { added: 0, changed: 0, gone: 0, back: 0 },
  });
  const merged = await untilState(next.id, 'merged');
  expect(merged.counts).toEqual({ added: 0, changed: 2, gone: 0, back: 0 });
  const prices = merged.items.map(({ fields }: { fields: { price: { now: number } } }) => fields.price.now);
  expect(prices.sort()).toEqual([4, 5]);
});

it('a merge waits for the end of an outage of MongoDB, however many attempts that takes', async () => {
  const worker = await fleet.connect();
  const outage = jest
    .spyOn(app.part(CollectionLimitService), 'hasRowKeys')
    .mockRejectedValue(new mongoose.mongo.MongoNetworkError('connect ECONNREFUSED'));
  try {
    const run = await runOf(worker, 1, 2);
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
