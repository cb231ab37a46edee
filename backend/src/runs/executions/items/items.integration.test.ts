import { randomUUID } from 'node:crypto';
import { ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

type Row = Record<string, unknown>;

/** A live run that pushes rows with a key as the library does. */
async function startRun(worker: TestWorker, query = 'wait_ms=0&force=true', input: unknown = null) {
  const { body } = await fleet.start({ input }, query);
  return { ...(await nextAttempt(worker)), id: body.id as string };
}

async function nextAttempt(worker: TestWorker) {
  const { id, token, skript } = await worker.offers.next();
  const keys = new Set<string>();
  let op_id = 0;
  const push = (rows: Row[], { partial = false } = {}) => {
    const own = partial ? { _partial: true } : {};
    const docs = rows.map(row => ({ _id: new ObjectId(), _run: id, _at: new Date(), ...own, ...row }));
    const keysOfRows = rows.map(({ sku }) => JSON.stringify({ sku }));
    for (const key of keysOfRows) keys.add(key);
    const args = encodeMessage({ docs, keys: keysOfRows });
    const op = { collection: `dataset_${skript.id}`, method: 'upsertRows', args, rows: keys.size, resend: false };
    return worker.send('storage', { epoch: worker.welcome.epoch, id, op_id: ++op_id, token, op });
  };
  const finish = (report: object = {}) => worker.finish(id, { rows: keys.size, ...report });
  return { id, skriptId: skript.id, push, finish };
}

const changesOf = async (id: string, query = '') =>
  (await developer('GET', `/joint-api/skript-execution/${id}/changes?${query}`)).body;
const merged = (id: string) =>
  until(
    () => changesOf(id),
    ({ state }) => state === 'merged' || state === 'older',
  );
const itemsOf = async (skriptId: string, query = '') =>
  (await developer('GET', `/joint-api/skripts/${skriptId}/items?${query}`)).body.items as Row[];

/** Runs the skript once with these rows, and returns its changes by key. */
async function runOf(worker: TestWorker, rows: Row[], options?: { partial?: boolean }) {
  const run = await startRun(worker);
  await run.push(rows, options);
  await run.finish();
  const changes = await merged(run.id);
  return { ...run, changes, byKey: Object.fromEntries(changes.items.map((one: Row) => [one.key, one])) };
}

const keyOf = (sku: unknown) => JSON.stringify({ sku });

it('rows with a key become items, and later runs note what is added, changed, gone and back', async () => {
  const worker = await fleet.connect();
  const first = await runOf(worker, [
    { sku: 'a', price: 1, shop: { city: 'Split' } },
    { sku: 'b', price: 2 },
  ]);
  expect(first.changes).toMatchObject({
    total: 2,
    state: 'merged',
    counts: { added: 2, changed: 0, gone: 0, back: 0 },
  });
  expect(first.byKey[keyOf('a')]).toEqual({
    execution_id: first.id,
    kind: 'added',
    item_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    key: '{"sku":"a"}',
    fields: null,
    at: expect.any(String),
  });

  const second = await runOf(worker, [
    { price: 1, sku: 'a', shop: { city: 'Zadar' } },
    { sku: 'c', price: 3 },
  ]);
  expect(second.changes.counts).toEqual({ added: 1, changed: 1, gone: 1, back: 0 });
  expect(second.byKey[keyOf('a')]).toMatchObject({
    kind: 'changed',
    fields: { 'shop.city': { was: 'Split', now: 'Zadar' } },
  });
  expect(second.byKey[keyOf('b')]).toMatchObject({ kind: 'gone', fields: null });
  const gone = await itemsOf(first.skriptId, 'gone=true');
  expect(gone).toMatchObject([{ key: keyOf('b'), fields: { sku: 'b', price: 2 }, gone_at: expect.any(String) }]);
  expect((await itemsOf(first.skriptId, 'gone=false')).map(({ key }) => key).sort()).toEqual([keyOf('a'), keyOf('c')]);

  const third = await runOf(worker, [{ sku: 'b', price: 5 }], { partial: true });
  expect(third.changes.counts).toEqual({ added: 0, changed: 0, gone: 0, back: 1 });
  expect(third.byKey[keyOf('b')].fields).toEqual({ price: { was: 2, now: 5 } });

  const [b] = await itemsOf(first.skriptId, 'key=%22B%22');
  expect(b).toMatchObject({ key: keyOf('b'), gone_at: null, fields: { price: 5 } });
  const history = `/joint-api/skripts/${first.skriptId}/items/${encodeURIComponent(keyOf('b'))}/history`;
  const kinds = (await developer('GET', history)).body.items.map(({ kind }: Row) => kind);
  expect(kinds).toEqual(['back', 'gone', 'added']);
  const ofPrice = await developer('GET', `/joint-api/skripts/${first.skriptId}/items/${b?.id}/history?field=price`);
  expect(ofPrice.body.items).toMatchObject([{ kind: 'back', execution_id: third.id }]);
  expect(await changesOf(second.id, 'kind=gone')).toMatchObject({ total: 1, items: [{ key: keyOf('b') }] });
  expect(await changesOf(second.id, 'field=shop.city')).toMatchObject({ total: 1, items: [{ key: keyOf('a') }] });

  const median = await developer('GET', `/joint-api/skripts/${first.skriptId}/items/median?field=price`);
  expect(median.body.points.map((point: Row) => [point.execution_id, point.median])).toEqual([
    [first.id, 1],
    [second.id, 1],
    [third.id, 5],
  ]);
  for (const path of [
    `/joint-api/skript-execution/${first.id}/changes`,
    `/joint-api/skripts/${first.skriptId}/items`,
    `/joint-api/skripts/${first.skriptId}/items/median?field=price`,
    history,
  ]) {
    expect((await admin('GET', path)).status).toBe(404);
  }
  expect((await developer('GET', history.replace('b', randomUUID()))).status).toBe(404);
});
