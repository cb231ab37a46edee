import { randomUUID } from 'node:crypto';
import { ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { ExecutionsService } from '../records/executions.service.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const rowsOf = (id: string, query = '') => developer('GET', `/joint-api/skript-execution/${id}/rows?${query}`);
const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
/** Waits until the run shows this number of rows: pushes do not wait for it. */
const untilCounted = (id: string, rows: number) =>
  until(
    () => execution(id),
    shown => shown.rows === rows,
  );

/** A live run that pushes rows as the library does. */
async function pushingRun(query?: string) {
  const worker: TestWorker = await fleet.connect();
  const { body } = await fleet.start({ input: randomUUID() }, query);
  return { ...(await nextAttempt(worker)), id: body.id };
}

/** The next run or retry that the worker gets. */
async function nextAttempt(worker: TestWorker) {
  const { id, token, skript } = await worker.offers.next();
  let op_id = 0;
  let stored = 0;
  const keys = new Set<string>();
  const send = (op: object) =>
    worker.send('storage', { epoch: worker.welcome.epoch, id, op_id: ++op_id, token, op: { resend: false, ...op } });
  const insert = (docs: object[], more: object) =>
    send({
      collection: `dataset_${skript.id}`,
      method: 'insertMany',
      args: encodeMessage({ docs, ordered: true }),
      ...more,
    });
  const push = (...rows: object[]) => {
    stored += rows.length;
    const docs = rows.map(row => ({ _id: new ObjectId(), _run: id, _at: new Date(), ...row }));
    return insert(docs, { rows: stored + keys.size });
  };
  const pushKeyed = (...rows: { sku: string | number; price: number }[]) => {
    const docs = rows.map(row => ({
      _id: new ObjectId(),
      _run: id,
      _at: new Date(),
      ...row,
    }));
    const keysOfRows = rows.map(({ sku }) => JSON.stringify(sku));
    for (const key of keysOfRows) keys.add(key);
    return send({
      collection: `dataset_${skript.id}`,
      method: 'upsertRows',
      args: encodeMessage({ docs, keys: keysOfRows }),
      rows: stored + keys.size,
    });
  };
  return { id, skriptId: skript.id, worker, send, insert, push, pushKeyed };
}

const path = async (skriptId: string): Promise<string> => {
  const { items } = (await developer('GET', '/joint-api/mongo-databases/list')).body;
  return `/joint-api/mongo-collections/${items[0].id}/dataset_${skriptId}`;
};

it('the rows of a run are listed in order while it is live and afterwards, and the run shows their number', async () => {
  const run = await pushingRun();
  expect(await execution(run.id)).toMatchObject({ rows: 0 });
  expect((await rowsOf(run.id)).body).toEqual({ total: 0, limit: 50, skip: 0, items: [] });
  await run.push({ n: 1, when: new Date(5) }, { n: 2 });
  await untilCounted(run.id, 2);
  expect((await rowsOf(run.id)).body).toEqual({
    total: 2,
    limit: 50,
    skip: 0,
    items: [1, 2].map(n => ({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _run: run.id,
      _at: expect.any(String),
      n,
      ...(n === 1 ? { when: '1970-01-01T00:00:00.005Z' } : {}),
    })),
  });
  await run.push({ n: 3 });
  await run.worker.finish(run.id);
  expect(await execution(run.id)).toMatchObject({ action: 'end', rows: 3 });
  const { items } = (await developer('GET', `/joint-api/skript-execution/list?skript_id=${run.skriptId}`)).body;
  expect(items).toMatchObject([{ id: run.id, rows: 3 }]);

  const first = (await rowsOf(run.id, 'limit=2&select=n')).body;
  const second = (await rowsOf(run.id, `limit=2&select=n&after=${first.next}`)).body;
  expect([...first.items, ...second.items].map(({ n }) => n)).toEqual([1, 2, 3]);
  expect(second).not.toHaveProperty('next');
  expect((await rowsOf(run.id, 'after=x')).body.error_code).toBe('validation_failed');
  expect((await admin('GET', `/joint-api/skript-execution/${run.id}/rows`)).status).toBe(404);
});

it('rows can be read as NDJSON or CSV, with the cursor of the next page in a header', async () => {
  const run = await pushingRun();
  await run.push({ title: '=1+1' }, { title: 'Knots', price: 9 });
  const get = (query: string) => rowsOf(run.id, `select=title,price&${query}`);
  const csv = await get('format=csv');
  expect(csv.body).toMatch(/^_id,title,price\n[0-9a-f]{24},'=1\+1,\n[0-9a-f]{24},Knots,9\n$/);
  const lines = await get('format=ndjson&limit=1');
  expect(JSON.parse(lines.body)).toMatchObject({ title: '=1+1' });
  const next = await get(`format=ndjson&limit=1&after=${lines.headers.get('x-next-cursor')}`);
  expect(JSON.parse(next.body)).toMatchObject({ title: 'Knots' });
  expect(next.headers.get('x-next-cursor')).toBeNull();
});

it('an export of rows contains only rows of this run that match the filter, as CSV or JSON', async () => {
  const other = await pushingRun();
  await other.push({ title: 'Sails' });
  const run = await pushingRun();
  await run.push({ title: 'Knots', price: { eur: 9 } }, { title: '=1+1' }, { title: 'Sails' });
  const download = (query: object) =>
    developer('GET', `/joint-api/skript-execution/${run.id}/rows/export?${new URLSearchParams({ ...query })}`);
  const csv = await download({ filter: '{"title":{"$ne":"Sails"}}', fields: 'title,price.eur' });
  expect(csv.body).toBe("title,price.eur\nKnots,9\n'=1+1,\n");
  expect(csv.headers.get('content-disposition')).toBe(`attachment; filename=rows-${run.id}.csv`);
  const json = await download({ format: 'json', flatten: false, fields: 'price,title' });
  expect(typeof json.body === 'string' ? JSON.parse(json.body) : json.body).toEqual([
    { title: 'Knots', price: { eur: 9 } },
    { title: '=1+1' },
    { title: 'Sails' },
  ]);
  expect((await download({ filter: '{"_run":"x"}', fields: 'title' })).body).toBe('title\n');
  expect((await admin('GET', `/joint-api/skript-execution/${run.id}/rows/export`)).status).toBe(404);
});

it('an insert of rows that the worker repeats is stored and counted once', async () => {
  const run = await pushingRun();
  const docs = [1, 2].map(n => ({ _id: new ObjectId(), _run: run.id, n }));
  await run.insert(docs, { rows: 2 });
  expect(await run.insert(docs, { rows: 2, resend: true })).toEqual({ result: expect.any(Buffer) });
  expect((await rowsOf(run.id)).body.total).toBe(2);
  // A refused insert is not counted.
  expect(await run.insert([{ _id: 3, $n: 1 }], { rows: 3 })).toMatchObject({ error: { code: 'storage_rejected' } });
  await run.worker.finish(run.id);
  expect((await execution(run.id)).rows).toBe(2);
});

it('rows that a failed insert stored are counted, and later inserts count on from there', async () => {
  const run = await pushingRun();
  await run.push({ n: 1 });
  const [one, two] = [2, 1].map(n => ({ _id: n, _run: run.id, n }));
  const failed = await run.insert([one, two, one] as object[], { rows: 4 });
  expect(failed).toMatchObject({ error: { code: 'storage_duplicate_key' } });
  await untilCounted(run.id, 3);
  await run.push({ n: 5 });
  await run.worker.finish(run.id);
  expect((await execution(run.id)).rows).toBe(4);
  expect((await rowsOf(run.id)).body.total).toBe(4);
});

it('rows that a failed push with keys has added are counted, those that it has replaced are not', async () => {
  const run = await pushingRun();
  await run.pushKeyed({ sku: 'a', price: 1 }, { sku: 'b', price: 2 });
  const index = { keys: { price: 1 }, unique: true };
  await run.send({ collection: `dataset_${run.skriptId}`, method: 'createIndex', args: encodeMessage(index) });
  const failed = await run.pushKeyed({ sku: 'a', price: 3 }, { sku: 'c', price: 4 }, { sku: 'd', price: 4 });
  expect(failed).toMatchObject({ error: { inserted_count: 1, modified_count: 1 } });
  await untilCounted(run.id, 3);
});

it('a key is stored once for a run and its retry, and counted for each attempt that has stored it', async () => {
  const run = await pushingRun('wait_ms=0&retries=1&retry_delay_ms=0');
  await run.pushKeyed({ sku: 'a', price: 1 }, { sku: 'b', price: 1 }, { sku: 'a', price: 2 });
  await run.push({ sku: 'a', price: 0 });
  await run.worker.finish(run.id, { action: 'error', error_code: 'exception', error_stack: 'Error', output: null });
  const retry = await nextAttempt(run.worker);
  await retry.pushKeyed({ sku: 'b', price: 3 }, { sku: 1, price: 3 }, { sku: '1', price: 3 });
  await retry.worker.finish(retry.id);

  expect(await execution(retry.id)).toMatchObject({ retry_of: run.id, rows: 3 });
  const shown = async (id: string) =>
    (await rowsOf(id)).body.items.map((row: Record<string, unknown>) => [row._first, row.sku, row.price]);
  expect(await execution(run.id)).toMatchObject({ rows: 3 });
  expect(await shown(run.id)).toEqual([
    [run.id, 'a', 2],
    [undefined, 'a', 0],
  ]);
  expect(await shown(retry.id)).toEqual([
    [run.id, 'b', 3],
    [run.id, 1, 3],
    [run.id, '1', 3],
  ]);
  // Another run has its own rows.
  const other = await pushingRun();
  await other.pushKeyed({ sku: 'a', price: 9 });
  expect(await shown(run.id)).toContainEqual([run.id, 'a', 2]);
  expect(await shown(other.id)).toEqual([[other.id, 'a', 9]]);
});

it('a run cannot access a MongoDB database of another account by id, name or internal name', async () => {
  const { id, name } = (await admin('POST', '/joint-api/mongo-databases/addnew', { name: 'of the admin' })).body;
  const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE id = $1', [id]);
  const run = await pushingRun();
  const calls: [method: string, args: object][] = [
    ['find', { filter: {} }],
    ['deleteMany', { filter: {} }],
    ['insertMany', { docs: [{ _id: 1 }], ordered: true }],
    ['createIndex', { keys: { a: 1 } }],
  ];
  for (const db of [id, name, row?.db_name]) {
    for (const [method, args] of calls) {
      const answer = await run.send({ db, collection: 'books', method, args: encodeMessage(args) });
      expect([db, method, answer]).toMatchObject([db, method, { error: { code: 'storage_rejected' } }]);
    }
  }
});

it('a collection of rows gets its indexes again after its owner drops it, or one of them, during a run', async () => {
  const run = await pushingRun();
  await run.push({ n: 1 });
  const collection = await path(run.skriptId);
  const keys = async () =>
    (await developer('GET', `${collection}/indexes/list`)).body.items.map(({ keys }: { keys: object }) => keys);
  const expected = [{ _id: 1 }, { _run: 1, _id: 1 }, { _at: 1 }];
  expect(await keys()).toEqual(expected);
  expect((await developer('DELETE', collection)).status).toBe(200);
  expect((await rowsOf(run.id)).body).toMatchObject({ total: 0, items: [] });
  await run.push({ n: 2 });
  expect(await keys()).toEqual(expected);
  await run.pushKeyed({ sku: 1, price: 1 });
  expect(await keys()).toEqual([...expected, { _first: 1, _key: 1 }]);
  expect((await developer('DELETE', `${collection}/indexes/keys_of_rows`)).status).toBe(200);
  await run.pushKeyed({ sku: 1, price: 2 });
  expect(await keys()).toEqual([...expected, { _first: 1, _key: 1 }]);
  expect((await rowsOf(run.id)).body.items).toMatchObject([{ n: 2 }, { sku: 1, price: 2 }]);
  await untilCounted(run.id, 3);
});

it('a push does not wait until PostgreSQL has its number of rows, but the end of the run does', async () => {
  const executions = app.part(ExecutionsService);
  const save = executions.noteStoredRows.bind(executions);
  let open = () => {};
  const gate = new Promise<void>(resolve => {
    open = resolve;
  });
  const saving = jest.spyOn(executions, 'noteStoredRows').mockImplementation(counts => gate.then(() => save(counts)));
  const run = await pushingRun();
  for (let n = 1; n <= 20; n++) expect(await run.push({ n })).toHaveProperty('result');
  const finished = run.worker.finish(run.id);
  // On a busy machine, the first save begins before the last push, and the next one waits for it.
  await until(
    async () => saving.mock.calls.length,
    saves => saves > 0,
  );
  expect(await execution(run.id)).toMatchObject({ action: 'start', rows: 0 });
  open();
  expect((await finished).result).toBe('ok');
  expect(await execution(run.id)).toMatchObject({ action: 'end', rows: 20 });
  saving.mockRestore();
});

it('the end of a run has the number of rows that its worker has seen, if the backend has lost it in a crash', async () => {
  const run = await pushingRun();
  await run.worker.finish(run.id, { rows: 7 });
  expect((await execution(run.id)).rows).toBe(7);
});

it('rows stay in their collection after their run is deleted; deleting the skript deletes its kv collection', async () => {
  const run = await pushingRun();
  await run.push({ n: 1 });
  const entry = { filter: { _id: 'page' }, replacement: { value: 7 }, upsert: true };
  await run.send({ collection: `kv_${run.skriptId}`, method: 'replaceOne', args: encodeMessage(entry) });
  await run.worker.finish(run.id);
  await developer('DELETE', `/joint-api/skript-execution/${run.id}`);
  expect((await rowsOf(run.id)).status).toBe(404);
  const rows = await path(run.skriptId);
  expect((await developer('GET', rows)).body.count).toBe(1);

  await developer('DELETE', `/joint-api/skripts/${run.skriptId}`);
  const kv = rows.replace('dataset_', 'kv_');
  expect((await developer('GET', kv)).body.count).toBe(1);
  await app.sql(`UPDATE jobs SET run_at = now() WHERE kind = 'mongo_collection_drop'`);
  await until(
    () => app.sql(`SELECT 1 FROM jobs WHERE kind = 'mongo_collection_drop'`),
    open => open.length === 0,
  );
  expect((await developer('GET', kv)).status).toBe(404);
  expect((await developer('GET', rows)).body.count).toBe(1);
});
