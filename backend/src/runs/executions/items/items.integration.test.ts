import { randomUUID } from 'node:crypto';
import { nextKeyedAttempt, startKeyedRun } from '../../../../test/runs/keyed-runs.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';
import { ItemsCleanup } from './items-cleanup.service.js';

const { app, developer, admin } = appForFile({ settings: { historyDays: 90 } });
const fleet = fleetForEachTest(app);

type Row = Record<string, unknown>;

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
  const run = await startKeyedRun(fleet, worker);
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
    [first.id, 1.5],
    // Without the item that is gone, and then with those that a run of a part has not touched.
    [second.id, 2],
    [third.id, 3],
  ]);
  expect(median.body).toMatchObject({ field: 'price', fields: ['price'] });
  expect(median.body.points[2]).toMatchObject({ low: expect.closeTo(1.2), high: expect.closeTo(4.8) });
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

it('the rows of a broken run become items when you accept them, unless a later run was merged first', async () => {
  const worker = await fleet.connect();
  const rows = Array.from({ length: 40 }, (_, n) => ({ sku: n, price: n + 1, title: `Title ${n}` }));
  for (let count = 1; count <= 4; count++) await runOf(worker, rows);
  const broken: Awaited<ReturnType<typeof startKeyedRun>>[] = [];
  for (let count = 1; count <= 3; count++) {
    const run = await startKeyedRun(fleet, worker);
    await run.push([{ sku: 1, price: 1 }]);
    await run.finish();
    broken.push(run);
  }
  const [first, second, third] = broken.map(({ id }) => id) as [string, string, string];
  const verdict = (await developer('GET', `/joint-api/skript-execution/${second}`)).body.verdict;
  expect(verdict.level).toBe('broken');
  expect(await changesOf(second)).toMatchObject({ state: 'waiting', total: 0 });
  const accept = (id: string) => developer('POST', `/joint-api/skript-execution/${id}/verdict/accept`);
  expect((await accept(second)).status).toBe(200);
  expect(await merged(second)).toMatchObject({ state: 'merged', counts: { added: 0, changed: 1, gone: 39, back: 0 } });
  await accept(first);
  expect(await merged(first)).toMatchObject({ state: 'older', total: 0 });
  expect(await changesOf(third)).toMatchObject({ state: 'waiting' });
});

it('a run and its retries are merged as one, when the last attempt ends well', async () => {
  const worker = await fleet.connect();
  const run = await startKeyedRun(fleet, worker, 'wait_ms=0&force=true&retries=1&retry_delay_ms=0');
  await run.push([
    { sku: 'a', price: 1 },
    { sku: 'b', price: 1 },
  ]);
  await run.finish({ action: 'error', error_code: 'exception', error_stack: 'Error', output: null });
  const retry = await nextKeyedAttempt(worker);
  await retry.push([
    { sku: 'b', price: 2 },
    { sku: 'c', price: 2 },
  ]);
  await retry.finish();
  expect(await merged(retry.id)).toMatchObject({ counts: { added: 3, changed: 0, gone: 0, back: 0 } });
  expect(await changesOf(run.id)).toMatchObject({ state: 'none', total: 0 });
  const prices = (await itemsOf(retry.skriptId)).map(({ key, fields }) => [key, (fields as Row).price]);
  expect(prices.sort()).toEqual([
    [keyOf('a'), 1],
    [keyOf('b'), 2],
    [keyOf('c'), 2],
  ]);
});

it('a run with another input makes no item gone, and one without keys changes nothing', async () => {
  const worker = await fleet.connect();
  const first = await runOf(worker, [{ sku: 'a' }]);
  const other = await startKeyedRun(fleet, worker, undefined, { page: 2 });
  await other.push([{ sku: 'b' }]);
  await other.finish();
  expect((await merged(other.id)).counts).toEqual({ added: 1, changed: 0, gone: 0, back: 0 });
  const empty = await startKeyedRun(fleet, worker);
  await empty.finish();
  expect(await changesOf(empty.id)).toMatchObject({ state: 'none' });
  expect((await itemsOf(first.skriptId, 'gone=false')).length).toBe(2);
});

it('a field whose name has a dot is another one than the field in an object', async () => {
  const worker = await fleet.connect();
  const first = await runOf(worker, [{ sku: 'a', 'a.b': 1, a: { b: 100 } }]);
  const { byKey, skriptId } = await runOf(worker, [{ sku: 'a', 'a.b': 2, a: { b: 200 } }]);
  expect(byKey[keyOf('a')].fields).toEqual({ 'a.b': { was: 1, now: 2 }, a: { was: { b: 100 }, now: { b: 200 } } });
  const median = await developer('GET', `/joint-api/skripts/${skriptId}/items/median?field=a.b`);
  expect(median.body.points.map((point: Row) => point.median)).toEqual([1, 2]);
  expect(median.body.points[0].execution_id).toBe(first.id);
});

it('an item or a change that the user has stored or damaged is a clear error', async () => {
  const worker = await fleet.connect();
  const { id, skriptId, changes } = await runOf(worker, [{ sku: 'a' }]);
  const dbId = (await developer('GET', '/joint-api/mongo-databases/list')).body.items[0].id;
  const add = (collection: string, document: object) =>
    developer('POST', `/joint-api/mongo/${dbId}/${collection}_${skriptId}/addnew`, document);
  const at = { $date: '2026-01-01T00:00:00Z' };
  const change = { kind: 'changed', _run: id, _item: 'x', _key: 'x', at, fields: [] };
  const wrong = [
    ['items', { _key: 'x', _first_seen: 'yesterday' }],
    ['items', { _key: 'x', _first_seen: at, _last_seen: at, _changed_at: at, _gone_at: 'never' }],
    ['changes', { ...change, at: 'now' }],
    ['changes', { ...change, kind: 'odd' }],
    ['changes', { ...change, fields: [null] }],
  ] as const;
  for (const [index, [collection, document]] of wrong.entries()) {
    const _id = collection === 'changes' ? `${id}/z${index}` : `z${index}`;
    expect((await add(collection, { ...document, _id })).status).toBe(201);
    const path = collection === 'items' ? `skripts/${skriptId}/items` : `skript-execution/${id}/changes`;
    expect(await developer('GET', `/joint-api/${path}`)).toMatchObject({
      status: 422,
      body: {
        error_code: 'storage_rejected',
        error_message: `The document with the _id "${_id}" is not as Trawl stores items and changes, or was changed. Delete it from its collection.`,
      },
    });
    const deleted = `/joint-api/mongo/${dbId}/${collection}_${skriptId}/${encodeURIComponent(_id)}`;
    expect((await developer('DELETE', deleted)).status).toBe(200);
  }
  expect((await changesOf(id)).items).toEqual(changes.items);
});

it.each([
  ['a slash, dots and a dollar', '../$a.b/c?d#e%2f'],
  ['__proto__', '__proto__'],
  ['quotes and spaces', `"'\\ \n ☃`],
  ['200,000 characters', 'x'.repeat(200_000)],
])('a key with %s is an item with a history', async (_, sku) => {
  const worker = await fleet.connect();
  const { skriptId, changes } = await runOf(worker, [{ sku }]);
  expect(changes.items).toMatchObject([{ kind: 'added', key: keyOf(sku) }]);
  // A key is JSON, and so is the text to look for.
  const [item] = await itemsOf(skriptId, `key=${encodeURIComponent(JSON.stringify(sku.slice(0, 100)).slice(1, -1))}`);
  expect(item).toMatchObject({ key: keyOf(sku), fields: { sku } });
  const ofItem = (idOrKey: string) =>
    developer('GET', `/joint-api/skripts/${skriptId}/items/${encodeURIComponent(idOrKey)}/history`);
  expect((await ofItem(String(item?.id))).body.items).toMatchObject([{ kind: 'added' }]);
  if (sku.length < 1_000) expect((await ofItem(keyOf(sku))).body.total).toBe(1);
});

it('a webhook for rows.changed gets the numbers of changes and the first hundred', async () => {
  const worker = await fleet.connect();
  const webhook = { name: randomUUID(), url: 'trawl:log', events: ['rows.changed'] };
  const { id } = (await developer('POST', '/joint-api/webhooks/addnew', webhook)).body;
  const run = await runOf(
    worker,
    Array.from({ length: 130 }, (_, sku) => ({ sku })),
  );
  const deliveries = async () => (await developer('GET', `/joint-api/webhooks/${id}/deliveries/list`)).body.items;
  const [delivery] = await until(deliveries, found => found.length > 0);
  const { body } = (await developer('GET', `/joint-api/webhooks/${id}/deliveries/${delivery.id}/request`)).body;
  const { type, data } = JSON.parse(body);
  expect([type, data.execution_id, data.added, data.gone, data.changes.length]).toEqual([
    'rows.changed',
    run.id,
    130,
    0,
    100,
  ]);
  expect(data.changes[0]).toEqual({ kind: 'added', key: expect.any(String), fields: null, at: expect.any(String) });
  const notices = (await developer('GET', '/joint-api/account/notices/list')).body.items as Row[];
  expect(notices.filter(({ event }) => event === 'rows.changed')).toEqual([]);
  await developer('DELETE', `/joint-api/webhooks/${id}`);
});

it('values with a NUL character or half a surrogate pair reach a webhook of the skript', async () => {
  const worker = await fleet.connect();
  const webhook = { name: randomUUID(), url: 'trawl:log', events: ['rows.changed'], skript_id: fleet.skriptId };
  const { id } = (await developer('POST', '/joint-api/webhooks/addnew', webhook)).body;
  await runOf(worker, [{ sku: 'a', title: 'old' }]);
  const run = await runOf(worker, [{ sku: 'a', title: '\0 \ud800 \\u0000 \u{1f600}' }]);
  const deliveries = async () => (await developer('GET', `/joint-api/webhooks/${id}/deliveries/list`)).body.items;
  const [delivery] = await until(deliveries, found => found.length > 1);
  const { body } = (await developer('GET', `/joint-api/webhooks/${id}/deliveries/${delivery.id}/request`)).body;
  const { data } = JSON.parse(body);
  expect(data.execution_id).toBe(run.id);
  expect(data.changes[0].fields.title.now).toBe('\ufffd \ufffd \\u0000 \u{1f600}');
  await developer('DELETE', `/joint-api/webhooks/${id}`);
});

it('an exporter of changes exports the new and changed items after each merge', async () => {
  const worker = await fleet.connect();
  const exporter = { name: randomUUID(), source: 'changes', skript_id: fleet.skriptId, fields: 'sku,price' };
  const { id } = (await developer('POST', '/joint-api/exporters/addnew', exporter)).body;
  const exports = async () => (await developer('GET', `/joint-api/exports/list?exporter_id=${id}`)).body.items as Row[];
  const csvs: string[] = [];
  for (const rows of [
    [
      { sku: 'a', price: 1 },
      { sku: 'b', price: 1 },
      { sku: 'c', price: 1 },
    ],
    [
      { sku: 'a', price: 1 },
      { sku: 'b', price: 2 },
    ],
  ]) {
    await runOf(worker, rows);
    const done = await until(exports, found => found.filter(({ state }) => state === 'done').length > csvs.length);
    csvs.push((await developer('GET', `/joint-api/exports/${done[0]?.id}/file`)).body);
  }
  expect(
    csvs[0]
      ?.split('\n')
      .filter(line => line !== '')
      .sort(),
  ).toEqual(['a,1', 'b,1', 'c,1', 'sku,price']);
  expect(csvs[1]).toBe('sku,price\nb,2\n');
  await developer('DELETE', `/joint-api/exporters/${id}`);

  const unmerged = await startKeyedRun(fleet, worker);
  const body = { source: 'changes', execution_id: unmerged.id };
  expect((await developer('POST', '/joint-api/exports/addnew', body)).body.error_code).toBe('storage_rejected');
  expect((await admin('POST', '/joint-api/exports/addnew', body)).status).toBe(404);
});

it('an accepted run starts an exporter of its rows once, and one of its changes after the merge', async () => {
  const worker = await fleet.connect();
  const skript = `/joint-api/skripts/${fleet.skriptId}`;
  await developer('PUT', skript, { rows: { min: 2, on_broken: 'hold' } });
  const ids: string[] = [];
  for (const source of ['changes', 'run']) {
    const exporter = { name: randomUUID(), source, skript_id: fleet.skriptId };
    ids.push((await developer('POST', '/joint-api/exporters/addnew', exporter)).body.id);
  }
  const run = await startKeyedRun(fleet, worker);
  await run.push([{ sku: 'a' }]);
  await run.finish();
  const execution = async () => (await developer('GET', `/joint-api/skript-execution/${run.id}`)).body;
  await until(execution, ({ verdict }) => verdict?.level === 'broken');
  const jobs = () =>
    app.sql<{ lane: string }>(`SELECT lane FROM jobs WHERE kind = 'export_after_run' AND lane = ANY($1)`, [ids]);
  await until(jobs, found => found.length === 0);
  // As if the job that the end of the run has added were still waiting.
  const [changes, rows] = ids as [string, string];
  await app.sql(
    `INSERT INTO jobs (kind, lane, params, run_at) VALUES ('export_after_run', $1::text,
      json_build_object('exporter_id', $1::text, 'execution_id', $2::text), now() + interval '1 hour')`,
    [rows, run.id],
  );
  await developer('POST', `/joint-api/skript-execution/${run.id}/verdict/accept`);
  expect((await merged(run.id)).counts.added).toBe(1);
  await until(jobs, found => found.length === 0);
  for (const id of [changes, rows]) {
    const exports = async () =>
      (await developer('GET', `/joint-api/exports/list?exporter_id=${id}`)).body.items as Row[];
    const found = await until(exports, ({ length }) => length > 0);
    expect(found).toHaveLength(1);
    await developer('DELETE', `/joint-api/exporters/${id}`);
  }
  await developer('PUT', skript, { rows: null });
});

it('items that are gone for long, old changes and those of deleted skripts are deleted', async () => {
  const worker = await fleet.connect();
  const kept = await runOf(worker, [{ sku: 'a' }, { sku: 'b' }]);
  await runOf(worker, [{ sku: 'a' }]);
  const cleanUp = (days: number) => app.part(ItemsCleanup).cleanUp(new Date(Date.now() + days * 86_400_000));
  await cleanUp(89);
  expect((await itemsOf(kept.skriptId)).length).toBe(2);
  expect((await changesOf(kept.id)).total).toBe(2);
  await cleanUp(91);
  expect((await itemsOf(kept.skriptId)).map(({ key }) => key)).toEqual([keyOf('a')]);
  expect((await changesOf(kept.id)).total).toBe(0);

  const { items } = (await developer('GET', '/joint-api/mongo-databases/list')).body;
  const collections = async () =>
    ((await developer('GET', `/joint-api/mongo-collections/${items[0].id}/list`)).body.items as Row[])
      .map(({ name }) => name)
      .filter(name => String(name).endsWith(kept.skriptId));
  expect(await collections()).toHaveLength(3);
  await developer('DELETE', `/joint-api/skripts/${kept.skriptId}`);
  await cleanUp(0);
  expect(await collections()).toEqual([`dataset_${kept.skriptId}`]);
});

it('collections of the user with such names stay', async () => {
  const { items } = (await developer('GET', '/joint-api/mongo-databases/list')).body;
  const other = (await developer('POST', '/joint-api/mongo-databases/addnew', { name: randomUUID() })).body;
  const [own, lookalike] = [`items_${randomUUID()}`, `changes_${randomUUID()}`];
  const [first, second] = await Promise.all(
    [items[0].id, other.id].map(async id => {
      const [row] = await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases WHERE id = $1', [id]);
      return app.part(MongoConnectionService).db(String(row?.db_name));
    }),
  );
  await first?.collection(own).insertOne({ a: 1 });
  // Another database has no items of Trawl.
  await second?.collection(lookalike).createIndex({ _item: 1, _id: 1 });
  await app.part(ItemsCleanup).cleanUp(new Date());
  expect(await first?.listCollections({ name: own }).toArray()).toHaveLength(1);
  expect(await second?.listCollections({ name: lookalike }).toArray()).toHaveLength(1);
  await developer('DELETE', `/joint-api/mongo-databases/${other.id}`);
  await first?.dropCollection(own);
});
