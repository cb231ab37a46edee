import { randomUUID } from 'node:crypto';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const BOOKS = { store: 'mongodb', database: null, name: 'books' };
const PRICES = { store: 'postgresql', database: null, name: 'shop.prices' };
const counts = (inserted: number, updated = 0, deleted = 0) => ({ inserted, updated, deleted });

/** Runs the skript once and lets it write this. */
async function runThat(worker: TestWorker, writes: object[]): Promise<string> {
  const { body } = await fleet.start({ input: randomUUID() }, 'wait_ms=0');
  await worker.offers.next();
  await worker.finish(body.id, { writes });
  return body.id;
}

/** Changes when a run started. */
const startedAt = (id: string, interval: string) =>
  app.sql(`UPDATE executions SET created_at = now() - $2::interval WHERE id = $1`, [id, interval]);

const written = async (call = developer) =>
  (await call('GET', `/joint-api/skript-execution/written-data?skript_id=${fleet.skriptId}`)).body;

it('the written data of a skript adds up its runs by collection and table, those written last first', async () => {
  const worker = await fleet.connect();
  const old = await runThat(worker, [
    { ...BOOKS, ...counts(20) },
    { ...PRICES, ...counts(5) },
  ]);
  await startedAt(old, '40 days');
  const middle = await runThat(worker, [{ ...BOOKS, ...counts(10, 3, 2) }]);
  await startedAt(middle, '2 days');
  await runThat(worker, [{ ...PRICES, ...counts(1) }]);
  await runThat(worker, []);
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

  const { runs, items } = await written();
  expect(runs).toBe(4);
  expect(items).toMatchObject([
    { ...PRICES, ...counts(6), runs: 2, days: [{ day: day(0), inserted: 1, deleted: 0 }] },
    { ...BOOKS, ...counts(30, 3, 2), runs: 2, days: [{ day: day(2), inserted: 10, deleted: 2 }] },
  ]);
  expect(items[1].first_run_at < items[1].last_run_at).toBe(true);
  expect(items[1].last_run_at.slice(0, 10)).toBe(day(2));
});

it('the written data of a skript is empty before its first run, and for other accounts', async () => {
  const worker = await fleet.connect();
  expect(await written()).toEqual({ runs: 0, items: [] });
  await runThat(worker, [{ ...BOOKS, ...counts(1) }]);
  expect(await written(admin)).toEqual({ runs: 0, items: [] });
});
