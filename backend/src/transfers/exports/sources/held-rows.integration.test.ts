import { randomUUID } from 'node:crypto';
import { startKeyedRun } from '../../../../test/runs/keyed-runs.js';
import { appForFile } from '../../../../test/test-app.js';
import { startReceiver, type TestReceiver } from '../../../../test/test-receiver.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';
import { VerdictsRepository } from '../../../runs/executions/verdicts/verdicts.repository.js';
import { SOURCE_NAMES, type SourceName } from './export-sources.service.js';

const { app, developer } = appForFile({ settings: { outgoingAllow: ['127.0.0.1'] } });
const fleet = fleetForEachTest(app);
afterEach(() => app.sql('DELETE FROM exporters'));
let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const GOOD_ROWS = ['a', 'b', 'c', 'd', 'e'].map(letter => ({ sku: `good-${letter}` }));
const HELD_ROWS = [{ sku: 'held-x' }, { sku: 'held-y' }];
const TABLE = { source: 'table', table: 'held_rows' };
const QUERY = { source: 'query', sql: `SELECT 'held-x' AS sku` };

/** An export, and how many held rows its file has: an error code if there is no file. */
interface Case {
  params: (place: { db_id: string; skriptId: string; execution_id: string }) => object;
  held: number | string;
  accepted: number | string;
}

const ofCollection = (prefix: string): Case => ({
  params: ({ db_id, skriptId }) => ({ source: 'collection', db_id, collection: prefix + skriptId }),
  held: 0,
  accepted: HELD_ROWS.length,
});
const ofRun = (source: SourceName, held: string): Case => ({
  params: ({ execution_id }) => ({ source, execution_id }),
  held,
  accepted: HELD_ROWS.length,
});

/** The exports of each source, with their number of held rows. A new source needs a decision here and in the docs of verdicts. */
const DECISIONS: Record<SourceName, Case[]> = {
  collection: ['dataset_', 'items_', 'changes_'].map(ofCollection),
  run: [ofRun('run', 'conflict')],
  changes: [ofRun('changes', 'storage_rejected')],
  // Trawl cannot tell which run has stored a row of a user's table, so it does not hold it.
  table: [{ params: () => TABLE, held: 1, accepted: 1 }],
  query: [{ params: () => QUERY, held: 1, accepted: 1 }],
};

const skusIn = (file: string): string[] =>
  file
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).sku)
    .sort();
const heldRowsIn = (file: string): number => file.split('\n').filter(line => line.includes('held-')).length;
const ended = (id: string) =>
  until(
    async () => (await developer('GET', `/joint-api/exports/${id}`)).body,
    ({ ended_at }) => ended_at !== null,
  );

async function fileOf(id: string): Promise<string> {
  const { link } = await ended(id);
  const { pathname, search } = new URL(link);
  return (await app.anonymous('GET', pathname + search)).body;
}

/** Exports once. Returns the number of held rows in the file, or the code of the error. */
async function exported(params: object): Promise<number | string> {
  const { status, body } = await developer('POST', '/joint-api/exports/addnew', { ...params, format: 'ndjson' });
  if (status !== 201) return body.error_code;
  const { state, error_code } = await ended(body.id);
  return state === 'done' ? heldRowsIn(await fileOf(body.id)) : error_code;
}

async function addExporter(fields: object): Promise<string> {
  const { status, body } = await developer('POST', '/joint-api/exporters/addnew', {
    name: randomUUID(),
    skript_id: fleet.skriptId,
    format: 'ndjson',
    ...fields,
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.id;
}

const exportsOf = async (exporterId: string): Promise<{ id: string }[]> =>
  (await developer('GET', `/joint-api/exports/list?exporter_id=${exporterId}&sort=created_at`)).body.items;
const waitsForNoRun = () =>
  until(
    () => app.sql(`SELECT 1 FROM jobs WHERE kind = 'export_after_run'`),
    jobs => jobs.length === 0,
  );
const verdictOf = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body.verdict;
const stateOf = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}/changes`)).body.state;
const merged = (id: string) =>
  until(
    () => stateOf(id),
    state => state === 'merged',
  );

async function endRun(worker: TestWorker, rows: { sku: string }[]): Promise<string> {
  const run = await startKeyedRun(fleet, worker);
  await run.push(rows);
  await run.finish();
  await until(
    () => verdictOf(run.id),
    verdict => verdict !== null,
  );
  return run.id;
}

async function holdingFleet() {
  const worker = await fleet.connect();
  const rows = { min: GOOD_ROWS.length, key: 'sku', on_broken: 'hold' };
  await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { rows });
  const { id: ownerId } = (await developer('GET', '/joint-api/account')).body;
  const { id: db_id, dbName } = await app.part(MongoDatabasesService).resolve(ownerId);
  const dataset = (await app.part(MongoConnectionService).db(dbName)).collection(`dataset_${fleet.skriptId}`);
  return { worker, db_id, dataset };
}

it.each(SOURCE_NAMES)('it is decided what exports of the source %s do with held rows', source => {
  expect(DECISIONS[source]?.length).toBeGreaterThan(0);
});

it('no export, item, change or webhook has the rows of a broken run before they are accepted, and each has them then', async () => {
  const { worker, db_id } = await holdingFleet();
  const { skriptId } = fleet;
  await developer('POST', '/joint-api/postgres/query', {
    sql: `CREATE TABLE ${TABLE.table} AS ${QUERY.sql}`,
    read_only: false,
  });
  const hook = { name: randomUUID(), url: receiver.url, events: ['rows.changed'], skript_id: skriptId };
  expect((await developer('POST', '/joint-api/webhooks/addnew', hook)).status).toBe(201);
  await merged(await endRun(worker, GOOD_ROWS));
  await receiver.came(1);

  const dataset = { source: 'collection', db_id, collection: `dataset_${skriptId}` };
  const onlyNew = await addExporter({ ...dataset, only_new: true });
  const cases = Object.values(DECISIONS).flat();
  const exporters = await Promise.all(
    cases.map(({ params }) => {
      const { execution_id: _, ...fields } = params({ db_id, skriptId, execution_id: '' }) as { execution_id?: string };
      return addExporter(fields);
    }),
  );
  const all = [onlyNew, ...exporters];

  const execution_id = await endRun(worker, HELD_ROWS);
  expect(await verdictOf(execution_id)).toMatchObject({ level: 'broken', is_held: true });
  await waitsForNoRun();
  expect(await Promise.all(all.map(exportsOf))).toEqual(all.map(() => []));
  for (const { params, held } of cases) {
    expect([params, await exported(params({ db_id, skriptId, execution_id }))]).toEqual([params, held]);
  }
  const { body: byHand } = await developer('POST', `/joint-api/exporters/${onlyNew}/run`);
  expect(skusIn(await fileOf(byHand.id))).toEqual(GOOD_ROWS.map(({ sku }) => sku));
  expect([await stateOf(execution_id), receiver.received.length]).toEqual(['waiting', 1]);

  expect((await developer('POST', `/joint-api/skript-execution/${execution_id}/verdict/accept`)).status).toBe(200);
  await merged(execution_id);
  const [, told] = await receiver.came(2);
  expect(told?.body.data.execution_id).toBe(execution_id);
  for (const { params, accepted } of cases) {
    expect([params, await exported(params({ db_id, skriptId, execution_id }))]).toEqual([params, accepted]);
  }
  for (const id of exporters) {
    await until(
      () => exportsOf(id),
      ({ length }) => length === 1,
    );
  }
  const lastOfNew = async (count: number) => {
    const items = await until(
      () => exportsOf(onlyNew),
      ({ length }) => length === count,
    );
    return skusIn(await fileOf(items.at(-1)?.id as string));
  };
  expect(await lastOfNew(2)).toEqual(HELD_ROWS.map(({ sku }) => sku));
  await endRun(worker, GOOD_ROWS);
  expect(await lastOfNew(3)).toEqual(GOOD_ROWS.map(({ sku }) => sku));
});

it('an export leaves out the rows of a live run, also of one that starts while it reads', async () => {
  const { worker, db_id, dataset } = await holdingFleet();
  await endRun(worker, GOOD_ROWS);
  const filter = await app.part(VerdictsRepository).exportedRows(fleet.skriptId);
  const run = await startKeyedRun(fleet, worker);
  await run.push(HELD_ROWS);
  expect(await dataset.countDocuments()).toBe(GOOD_ROWS.length + HELD_ROWS.length);
  expect(await dataset.countDocuments(filter as object)).toBe(GOOD_ROWS.length);
  expect(await exported({ source: 'collection', db_id, collection: dataset.collectionName })).toBe(0);
  await run.finish();
});

it('good rows stay in exports when their run, the newest one, is deleted', async () => {
  const { worker, dataset } = await holdingFleet();
  await endRun(worker, GOOD_ROWS);
  const newest = await endRun(worker, GOOD_ROWS);
  expect((await developer('DELETE', `/joint-api/skript-execution/${newest}`)).status).toBe(200);
  const filter = await app.part(VerdictsRepository).exportedRows(fleet.skriptId);
  expect(await dataset.countDocuments(filter ?? {})).toBe(2 * GOOD_ROWS.length);
});

it('held rows stay out of exports when their run is deleted, by hand or with its month', async () => {
  const { worker, db_id, dataset } = await holdingFleet();
  await endRun(worker, GOOD_ROWS);
  const held = await endRun(worker, HELD_ROWS);
  const other = await endRun(worker, HELD_ROWS);
  expect((await developer('DELETE', `/joint-api/skript-execution/${held}`)).status).toBe(200);
  await app.sql('DELETE FROM executions WHERE id <= $1', [other]);
  await app.part(VerdictsRepository).deleteOfDroppedRuns();
  await endRun(worker, GOOD_ROWS);
  expect(await dataset.countDocuments({ sku: /^held/ })).toBe(2 * HELD_ROWS.length);
  expect(await exported({ source: 'collection', db_id, collection: dataset.collectionName })).toBe(0);
  await developer('DELETE', `/joint-api/skripts/${fleet.skriptId}`);
  await app.sql('DELETE FROM executions WHERE skript_id = $1', [fleet.skriptId]);
  await app.part(VerdictsRepository).deleteOfDroppedRuns();
  expect(await app.sql('SELECT 1 FROM run_profiles WHERE skript_id = $1 AND is_held', [fleet.skriptId])).toEqual([]);
});

it('an export after a run waits until a later run has its verdict, too', async () => {
  const { worker, db_id, dataset } = await holdingFleet();
  const id = await addExporter({ source: 'collection', db_id, collection: dataset.collectionName, only_new: true });
  const judging = jest.spyOn(app.part(VerdictsRepository), 'lockUnjudged').mockResolvedValue([]);
  const run = await startKeyedRun(fleet, worker);
  await run.push(GOOD_ROWS);
  await run.finish();
  await until(
    () => app.sql<{ attempt: number }>(`SELECT attempt FROM jobs WHERE kind = 'export_after_run'`),
    ([job]) => (job?.attempt ?? 0) > 0,
  );
  expect(await exportsOf(id)).toEqual([]);
  judging.mockRestore();
  await until(
    () => verdictOf(run.id),
    verdict => verdict !== null,
  );
  await app.sql(`UPDATE jobs SET run_at = now() WHERE kind = 'export_after_run'`);
  const [made] = await until(
    () => exportsOf(id),
    ({ length }) => length === 1,
  );
  expect(skusIn(await fileOf(made?.id as string))).toEqual(GOOD_ROWS.map(({ sku }) => sku));
});

it('deleted runs whose rows are held do not hide a run with broken rows from the dashboard', async () => {
  const { worker } = await holdingFleet();
  const held = await endRun(worker, HELD_ROWS);
  const deleted: string[] = [];
  while (deleted.length < 20) deleted.push(await endRun(worker, HELD_ROWS));
  await developer('POST', '/joint-api/skript-execution/delete-many', { ids: deleted });
  expect(await app.sql('SELECT 1 FROM executions WHERE id = ANY($1)', [deleted])).toEqual([]);
  const { items } = (await developer('GET', '/joint-api/dashboard')).body.broken_rows;
  expect(items).toContainEqual(expect.objectContaining({ execution_id: held }));
});
