import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { deserialize, ObjectId, serialize } from 'bson';
// @ts-expect-error: the package has no types
import S3rver from 's3rver';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { appForFile } from '../../../../test/test-app.js';
import { mailsTo } from '../../../../test/test-mails.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { isSignedBy, startReceiver } from '../../../../test/test-receiver.js';
import { until } from '../../../../test/until.js';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';
import { firstIdAt } from '../../../platform/common/sql/first-id-at.js';
import { JobsService } from '../../../platform/jobs/jobs.service.js';
import { OutboxService } from '../../../platform/mail/outbox.service.js';
import { ExportedIds } from './exported-ids.service.js';
import { setExported } from './exporters.repository.js';
import { MAX_EXPORTERS } from './exporters.service.js';
import { ExportersTimer } from './exporters-timer.service.js';

const { app, developer } = appForFile({
  settings: { outgoingAllow: ['127.0.0.1'], contactEmail: 'operator@example.com' },
});
const database = databaseForFile(app);
const AFTER_RUNS = `SELECT state, attempt, run_at > now() + interval '20 s' AS waits FROM jobs WHERE kind = 'export_after_run'`;

let name: string;
let collection: ReturnType<typeof database.fresh>['collection'];
beforeEach(() => {
  ({ name, collection } = database.fresh());
});
afterEach(() => app.sql('DELETE FROM exporters'));

async function make(fields: object = {}) {
  const body = { name: `Exporter ${randomUUID()}`, db_id: database.id, collection: name, ...fields };
  const answer = await developer('POST', '/joint-api/exporters/addnew', body);
  expect(answer.status).toBe(201);
  return answer.body;
}
const exportsOf = async (id: string) =>
  (await developer('GET', `/joint-api/exports/list?exporter_id=${id}&sort=created_at`)).body.items;
const ended = (id: string) =>
  until(
    async () => (await developer('GET', `/joint-api/exports/${id}`)).body,
    ({ ended_at }) => ended_at !== null,
  );
const run = async (id: string) => {
  const { status, body } = await developer('POST', `/joint-api/exporters/${id}/run`);
  expect(status).toBe(201);
  return ended(body.id);
};
/** Returns where a link leads; an empty text if it has just gone. */
function readlinkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
const idAt = (time: number) => ObjectId.createFromTime(Math.floor(time / 1_000)) as never;

const fileOf = async ({ id }: { id: string }): Promise<string> => {
  const { pathname, search } = new URL((await developer('GET', `/joint-api/exports/${id}`)).body.link);
  return (await app.anonymous('GET', pathname + search)).body;
};

it('an exporter with only_new exports each document once, even late ones and those of a failed export', async () => {
  const { id } = await make({ only_new: true, fields: 'n' });
  const old = Date.now() - 3_600_000;
  await collection.insertMany([{ _id: idAt(old), n: 1 }, { n: 2 }, { _id: 'own' as never, n: 3 }]);
  const first = await run(id);
  expect(first).toMatchObject({ state: 'done', rows: 3, exporter_id: id });
  expect((await fileOf(first)).split('\n').sort()).toEqual(['', '1', '2', '3', 'n']);
  expect(await run(id)).toMatchObject({ rows: 0 });
  await collection.insertMany([
    { _id: idAt(old - 86_400_000), n: 4 },
    { _id: 'another' as never, n: 5 },
    { _id: idAt(old + 7_200_000), n: 6 },
  ]);
  // Its destination refuses this file.
  await developer('PUT', `/joint-api/exporters/${id}`, {
    destination: { type: 'webhook', url: 'https://127.0.0.1:1/' },
  });
  expect(await run(id)).toMatchObject({ state: 'failed' });
  await developer('PUT', `/joint-api/exporters/${id}`, { destination: null });
  expect((await fileOf(await run(id))).split('\n').sort()).toEqual(['', '4', '5', '6', 'n']);
  expect(await run(id)).toMatchObject({ rows: 0 });
  expect(
    readdirSync(join(app.config.dataDir, 'exports', 'exported-ids')).filter(file => file.startsWith(id)).length,
  ).toBeLessThan(5);
});

it('an exporter with only_new that lost its list of exported ids exports documents with newer ids', async () => {
  const { id } = await make({ only_new: true, fields: 'n' });
  const old = Date.now() - 3_600_000;
  await collection.insertMany([
    { _id: idAt(old), n: 1 },
    { _id: idAt(old + 60_000), n: 2 },
  ]);
  await app.sql(`UPDATE exporters SET exported_until = $2, exported_ids = 'gone' WHERE id = $1`, [
    id,
    new Date(old + 10_000),
  ]);
  expect(await fileOf(await run(id))).toBe('n\n2\n');
  expect(await run(id)).toMatchObject({ rows: 0 });
});

it('new ids are found even if the digests of all known ids do not fit into memory at once', async () => {
  const ids = app.part(ExportedIds);
  const batch = (numbers: number[]) => numbers.map(_id => serialize({ _id }));
  const found = async (name: string, before: string | null, numbers: number[]) => {
    const scan = async function* () {
      yield batch(numbers);
    };
    const { file, ids: read } = await ids.find(`${name}.${randomUUID()}`, { ids: before, until: null }, scan, 3);
    const all = [];
    for await (const some of read()) all.push(...some.map(one => deserialize(one)._id));
    return { file, all: all.sort((a, b) => a - b) };
  };
  const first = await found('x', null, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(first.all).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const second = await found('x', first.file, [3, 9, 10, 11, 1]);
  expect(second.all).toEqual([10, 11]);
  expect((await found('x', second.file, [1, 2, 12, 10, 9])).all).toEqual([12]);
});

it('an update of an exporter changes only the fields sent, and new data reset what counts as exported', async () => {
  const change = (fields: object) => developer('PUT', `/joint-api/exporters/${made.id}`, fields);
  const made = await make({
    only_new: true,
    fields: 'n,m',
    filter: '{"n":{"$gt":0}}',
    cron_span: '0 7 * * *',
    destination: { type: 'email' },
  });
  await app.sql(`UPDATE exporters SET exported_until = now() WHERE id = $1`, [made.id]);
  const kept = (await developer('GET', `/joint-api/exporters/${made.id}`)).body;
  expect(kept.exported_until).not.toBeNull();
  const changed = await change({ format: 'xlsx', name: 'Renamed', filter: null, cron_span: null });
  const now = { ...kept, format: 'xlsx', name: 'Renamed', filter: null, cron_span: null, next_at: null };
  expect(changed).toMatchObject({ status: 200, body: { ...now, updated_at: expect.any(String) } });
  expect((await change(changed.body)).status).toBe(400);
  const { destination, ...readBack } = changed.body;
  expect((await change(readBack)).body).toMatchObject({ ...readBack, destination, updated_at: expect.any(String) });
  expect((await change({ collection: 'other', destination: null })).body).toMatchObject({
    collection: 'other',
    destination: null,
    exported_until: null,
  });
  const query = await change({ source: 'query', sql: 'SELECT 1', only_new: false });
  expect(query.body).toMatchObject({ source: 'query', sql: 'SELECT 1', collection: null, db_id: null });
  const refused = await change({ source: 'run' });
  expect([refused.status, refused.body.details[0].field]).toEqual([400, 'skript_id']);
});

it('an exporter with only_new exports new documents again after the clock was an hour ahead', async () => {
  const { id } = await make({ only_new: true, fields: 'n' });
  const ahead = new Date(Date.now() + 3_600_000);
  await app.sql('UPDATE exporters SET exported_until = $2 WHERE id = $1', [id, ahead]);
  const exportedUntil = async () =>
    Date.parse((await developer('GET', `/joint-api/exporters/${id}`)).body.exported_until);
  await until(exportedUntil, time => time < Date.now());
  // The export was created while the clock was ahead, and ends after the clock was set right.
  const [job] = await app.sql<{ id: string }>(
    `INSERT INTO jobs (id, owner_id, kind, params, state, started_at)
     SELECT uuidv7(), owner_id, 'export', '{}', 'running', now() FROM exporters WHERE id = $1 RETURNING id`,
    [id],
  );
  await setExported(app.part(DataSource), id, String(job?.id), { ids: null, until: ahead.toISOString() });
  expect(await exportedUntil()).toBeLessThanOrEqual(Date.now());
  await app.sql('DELETE FROM jobs WHERE id = $1', [job?.id]);
});

it('documents of a failed export do not count as exported', async () => {
  const { id } = await make({ only_new: true });
  const wide = Object.fromEntries(Array.from({ length: 16_385 }, (_, n) => [`c${n}`, n]));
  await collection.insertOne({ _id: idAt(Date.now() - 3_600_000), ...wide });
  expect(await run(id)).toMatchObject({ state: 'failed' });
  expect((await developer('GET', `/joint-api/exporters/${id}`)).body.exported_until).toBeNull();
});

it('a webhook gets a signed event for each export that is done or has failed', async () => {
  const receiver = await startReceiver();
  const body = { name: 'of exports', url: receiver.url, events: ['export.finished'] };
  const webhook = (await developer('POST', '/joint-api/webhooks/addnew', body)).body;
  await collection.insertOne({ n: 1 });
  const done = await run((await make({ fields: 'n' })).id);
  const broken = { type: 'webhook', url: 'https://127.0.0.1:1/' };
  const failed = await run((await make({ destination: broken })).id);
  const received = await receiver.came(2);
  expect(received.map(one => isSignedBy(webhook.secret, one))).toEqual([true, true]);
  const told = Object.fromEntries(received.map(({ body: { type, data } }) => [data.state, { type, data }]));
  const { exporter_id, rows, bytes, link } = done;
  expect(told.done).toEqual({
    type: 'export.finished',
    data: {
      export: { id: done.id, name: done.file_name },
      exporter_id,
      state: 'done',
      rows,
      bytes,
      link,
      error_code: null,
      error_message: null,
    },
  });
  expect(told.failed?.data).toMatchObject({ export: { id: failed.id }, error_code: 'delivery_failed', link: null });
  await developer('DELETE', `/joint-api/webhooks/${webhook.id}`);
  receiver.close();
});

it('an export fails with the name of the collection if that does not exist', async () => {
  const { id } = await make({ cron_span: '0 7 * * *' });
  await app.sql(`UPDATE exporters SET next_at = now() - interval '1 s' WHERE id = $1`, [id]);
  await app.part(ExportersTimer).tick();
  const [first] = await exportsOf(id);
  expect(await ended(first.id)).toMatchObject({
    state: 'failed',
    error_code: 'not_found',
    error_message: `This database has no collection named ${name}.`,
  });
  await collection.insertOne({ n: 1 });
  expect(await run(id)).toMatchObject({ state: 'done', rows: 1 });
});

it('an exporter with a cron span makes one export at each of its times, and none while disabled', async () => {
  await collection.insertOne({ n: 1 });
  const { id, next_at } = await make({ cron_span: '0 7 * * *', time_zone: 'Europe/Zagreb' });
  expect(Date.parse(next_at)).toBeGreaterThan(Date.now());
  const timer = app.part(ExportersTimer);
  await timer.tick();
  expect(await exportsOf(id)).toEqual([]);
  await app.sql(`UPDATE exporters SET next_at = now() - interval '1 s' WHERE id = $1`, [id]);
  await timer.tick();
  await timer.tick();
  const [first, ...others] = await exportsOf(id);
  expect(others).toEqual([]);
  expect(await ended(first.id)).toMatchObject({
    state: 'done',
    file_name: expect.stringMatching(/-\d{8}T\d{6}Z-[0-9a-f]{8}\.csv$/),
  });
  expect((await developer('GET', `/joint-api/exporters/${id}`)).body.next_at).toBe(next_at);
  await developer('PUT', `/joint-api/exporters/${id}`, { enabled: false });
  await app.sql(`UPDATE exporters SET next_at = now() - interval '1 s' WHERE id = $1`, [id]);
  await timer.tick();
  expect(await exportsOf(id)).toHaveLength(1);
});

it('an exporter makes no export during maintenance, but makes it afterwards', async () => {
  const admin = await app.as('admin');
  const { id } = await make({ cron_span: '0 7 * * *' });
  await app.sql(`UPDATE exporters SET next_at = now() - interval '1 s' WHERE id = $1`, [id]);
  await admin('PUT', '/joint-api/maintenance', { message: 'Held' });
  await app.part(ExportersTimer).tick();
  expect(await exportsOf(id)).toEqual([]);
  await admin('DELETE', '/joint-api/maintenance');
  await app.part(ExportersTimer).tick();
  expect(await exportsOf(id)).toHaveLength(1);
});

it('an exporter planned while the clock was hours ahead gets its right next time, without an export', async () => {
  const { id, next_at } = await make({ cron_span: '0 7 * * *' });
  await app.sql(
    `UPDATE exporters SET next_at = now() + interval '30 hours', planned_at = now() + interval '5 hours' WHERE id = $1`,
    [id],
  );
  await app.part(ExportersTimer).tick();
  expect((await developer('GET', `/joint-api/exporters/${id}`)).body.next_at).toBe(next_at);
  expect(await exportsOf(id)).toEqual([]);
});

it('a due exporter works although another one fails and an import has a NUL character in its names', async () => {
  const [broken, { id }] = [await make({ cron_span: '0 7 * * *' }), await make({ cron_span: '0 7 * * *' })];
  await app.sql(
    `INSERT INTO jobs (id, owner_id, kind, params, state, lease_until)
     SELECT gen_random_uuid(), owner_id, 'import', '{"names":["\\u0000"]}', 'running', now() + interval '10 s' FROM exporters WHERE id = $1`,
    [id],
  );
  await app.sql(`UPDATE exporters SET time_zone = 'Nowhere/Gone' WHERE id = $1`, [broken.id]);
  await app.sql(`UPDATE exporters SET next_at = now() - interval '1 s'`);
  await app.part(ExportersTimer).tick();
  expect(await exportsOf(id)).toHaveLength(1);
  await app.sql(`DELETE FROM jobs WHERE kind = 'import'`);
});

it.each([
  ['only_new', true],
  ['filter', '{"n":1'],
])('an exporter for the rows of runs is refused with %s = %j', async (field, value) => {
  const { id: skript_id } = (await developer('POST', '/joint-api/skripts/addnew', { title: `Of ${field}` })).body;
  const body = { name: 'Refused', db_id: database.id, skript_id, source: 'run', [field]: value };
  const { status, body: answer } = await developer('POST', '/joint-api/exporters/addnew', body);
  expect([status, answer.details[0].field]).toEqual([400, field]);
});

it('only_new is refused for a table, with a WHERE clause that selects only new rows', async () => {
  const body = { name: 'Refused', source: 'table', table: 'prices', only_new: true };
  const { status, body: answer } = await developer('POST', '/joint-api/exporters/addnew', body);
  expect([status, answer.details[0].field]).toEqual([400, 'only_new']);
  const [, where] = /such as: (WHERE.*)\.$/.exec(answer.error_message) ?? [];
  const rows = `(VALUES (0, now() - interval '2 days'), (1, now() - interval '1 day'), (2, now())) prices (n, added_at)`;
  const sql = `SELECT n FROM ${rows} ${where}`;
  const found = await developer('POST', '/joint-api/postgres/query', { sql });
  expect(found.body.rows).toEqual([[1]]);
});

describe('an exporter that follows the runs of a skript', () => {
  let skriptId: string;
  let ownerId: string;
  beforeAll(async () => {
    skriptId = (await developer('POST', '/joint-api/skripts/addnew', { title: 'Exported' })).body.id;
    ownerId = (await developer('GET', '/joint-api/account')).body.id;
  });

  /** Ends a run of the skript, and returns its id. */
  async function endRun(): Promise<string> {
    const id = await startRun();
    await endRunOf(id);
    return id;
  }

  const endRunOf = (id: string) => app.sql('DELETE FROM live_runs WHERE execution_id = $1', [id]);

  async function startRun(): Promise<string> {
    const id = uuidv7();
    await app.sql(
      `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
       VALUES ($1, $2, $3, 'Exported', '', '', 'end')`,
      [id, ownerId, skriptId],
    );
    await app.sql(
      `INSERT INTO live_runs (execution_id, owner_id, on_any, environment, live_key, forced, time_limit_ms, waiting_reason, waiting_since, payload)
       VALUES ($1, $2, true, 'node', '', true, 1000, 'worker_offline', now(), '')`,
      [id, ownerId],
    );
    return id;
  }

  it('exports the rows of each run, even of runs that ended while no backend was running', async () => {
    const { id } = await make({ source: 'run', skript_id: skriptId, fields: 'n', collection: undefined });
    const { dbName } = await app.part(MongoDatabasesService).resolve(ownerId);
    const rows = async () => (await app.part(MongoConnectionService).db(dbName)).collection(`dataset_${skriptId}`);
    await app.stop();
    const runs = [await endRun(), await endRun()];
    await app.start();
    await (await rows()).insertMany([...runs, 'another'].map((_run, n) => ({ _run, n })));
    const made = await until(
      () => exportsOf(id),
      items => items.length === 2,
    );
    for (const one of made) expect(await ended(one.id)).toMatchObject({ state: 'done', source: 'run' });
    expect(await app.sql(AFTER_RUNS)).toEqual([]);
    await (await rows()).drop();
  });

  it('with only_new leaves out rows of live runs, and exports late rows the next time', async () => {
    const { id: dbId, dbName } = await app.part(MongoDatabasesService).resolve(ownerId);
    const rows = (await app.part(MongoConnectionService).db(dbName)).collection<any>(`dataset_${skriptId}`);
    const fields = { db_id: dbId, collection: `dataset_${skriptId}`, fields: 'n' };
    const { id } = await make({ ...fields, skript_id: skriptId, only_new: true });
    const [live, other] = [await startRun(), await startRun()];
    const filesAfter = async (end: string, count: number) => {
      await endRunOf(end);
      const made = await until(
        () => exportsOf(id),
        items => items.length === count,
      );
      await ended(made.at(-1).id);
      return fileOf(made.at(-1));
    };
    await rows.insertMany([
      { _run: live, n: 1 },
      { _run: other, n: 2 },
    ]);
    expect(await filesAfter(other, 1)).toBe('n\n2\n');
    await rows.insertMany([
      { _run: other, n: 'late' },
      { _run: live, n: 3 },
    ]);
    expect((await filesAfter(live, 2)).split('\n').sort()).toEqual(['', '1', '3', 'late', 'n']);
    expect(await filesAfter(await startRun(), 3)).toBe('n\n');
    await rows.drop();
  });

  it('waits until the last writes of a stopped run are over', async () => {
    await make({ source: 'run', skript_id: skriptId, collection: undefined });
    const id = await startRun();
    await app.sql(`UPDATE executions SET action = 'stop' WHERE id = $1`, [id]);
    await endRunOf(id);
    expect(await app.sql(AFTER_RUNS)).toEqual([{ state: 'queued', attempt: 0, waits: true }]);
    await app.sql(`DELETE FROM jobs WHERE kind = 'export_after_run'`);
  });

  it('is skipped for runs that ended eight days ago, and for all runs after it was deleted', async () => {
    const { id } = await make({ skript_id: skriptId, cron_span: '0 7 1 1 *' });
    await app.sql('UPDATE users SET disabled_at = now() WHERE id = $1', [ownerId]);
    // The new run's job comes last, because it postpones all jobs of its exporter by a minute.
    await app.sql(
      `INSERT INTO jobs (kind, lane, params, run_at)
       SELECT 'export_after_run', exporter, json_build_object('exporter_id', exporter, 'execution_id', run), now() + (n - 9) * interval '1 s'
       FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS t(exporter, run, n)`,
      [
        [uuidv7(), id, id],
        [uuidv7(), firstIdAt(new Date(Date.now() - 8 * 24 * 3_600_000)), uuidv7()],
      ],
    );
    const [left] = await until(
      () => app.sql<any>(AFTER_RUNS),
      rows => rows.length === 1 && rows[0].state === 'queued' && rows[0].attempt > 0,
    );
    expect(left.waits).toBe(true);
    await app.sql('UPDATE users SET disabled_at = NULL WHERE id = $1', [ownerId]);
    await app.sql(`UPDATE jobs SET run_at = now() WHERE kind = 'export_after_run'`);
    const [only] = await until(
      () => exportsOf(id),
      items => items.length === 1,
    );
    await ended(only.id);
  });

  it('exports again if a run ends during an export, and drops its waiting export when it is disabled', async () => {
    const { id } = await make({ skript_id: skriptId, cron_span: '0 7 1 1 *' });
    await endRun();
    const [first] = await until(
      () => exportsOf(id),
      items => items.length === 1,
    );
    // Its collection does not exist.
    expect(await ended(first.id)).toMatchObject({ state: 'failed', error_code: 'not_found' });
    // Pretend that it is still running.
    await app.sql(
      `UPDATE jobs SET state = 'running', ended_at = NULL, lease_until = now() + interval '10 s' WHERE id = $1`,
      [first.id],
    );
    await endRun();
    await until(
      () => app.sql<any>(AFTER_RUNS),
      ([job]) => job?.state === 'queued' && job.attempt > 0,
    );
    expect(await exportsOf(id)).toHaveLength(1);
    await app.sql(`UPDATE jobs SET state = 'done', ended_at = now() WHERE id = $1`, [first.id]);
    await app.sql(`UPDATE jobs SET run_at = now() WHERE kind = 'export_after_run'`);
    await until(
      () => exportsOf(id),
      items => items.length === 2,
    );
    await endRun();
    await developer('PUT', `/joint-api/exporters/${id}`, { enabled: false });
    expect(await app.sql(AFTER_RUNS)).toEqual([]);
  });
});

describe('a destination of exports', () => {
  it('of type webhook gets a signed message with a link with which anyone can download the file', async () => {
    await collection.insertOne({ n: 1 });
    const received: { request: IncomingMessage; body: any; isSigned: boolean }[] = [];
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const server = createServer(async (request, response) => {
      const raw = await text(request);
      const isSigned = isSignedBy(secret, { text: raw, headers: request.headers });
      received.push({ request, body: JSON.parse(raw), isSigned });
      response.end();
    }).listen(0, '127.0.0.1');
    await until(
      () => server.listening,
      listening => listening,
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?secret=1`;
    const exporter = await make({ fields: 'n', destination: { type: 'webhook', url, secret } });
    expect(exporter.destination).toEqual({ type: 'webhook', target: new URL(url).host });
    const done = await run(exporter.id);
    server.close();
    expect(done).toMatchObject({ state: 'done' });
    expect(received[0]).toMatchObject({ isSigned: true, request: { method: 'POST', url: '/hook?secret=1' } });
    expect(received[0]?.request.headers['webhook-id']).toBe(done.id);
    expect(received[0]?.body).toMatchObject({
      type: 'export.finished',
      export_id: done.id,
      rows: 1,
      bytes: done.bytes,
    });
    const { pathname, search } = new URL(received[0]?.body.link);
    const file = await app.anonymous('GET', pathname + search);
    expect(file.body).toBe('n\n1\n');
    expect((await app.anonymous('GET', `${pathname}?signature=${'x'.repeat(43)}`)).status).toBe(404);
    const [row] = await app.sql<{ params: string }>('SELECT params::text FROM exporters WHERE id = $1', [exporter.id]);
    for (const hidden of ['secret=1', 'whsec_']) expect(row?.params).not.toContain(hidden);
  });

  it('of type webhook is refused if its address is private', async () => {
    const destination = { type: 'webhook', url: 'https://127.0.0.2/' };
    const body = { name: 'inside', db_id: database.id, collection: name, destination };
    expect(await developer('POST', '/joint-api/exporters/addnew', body)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'destination.url', message: expect.stringMatching(/address is private/) }] },
    });
  });

  it('of type s3 gets the file', async () => {
    await collection.insertMany([{ n: 1 }, { n: 2 }]);
    const s3 = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: `${app.config.dataDir}/s3`,
      configureBuckets: [{ name: 'prices', configs: [] }],
    });
    const { port } = await s3.run();
    const { id, destination } = await make({
      fields: 'n',
      destination: {
        type: 's3',
        url: `http://127.0.0.1:${port}`,
        region: 'us-east-1',
        bucket: 'prices',
        prefix: 'books/',
        access_key_id: 'S3RVER',
        secret_access_key: 'S3RVER',
        path_style: true,
      },
    });
    expect(destination).toEqual({ type: 's3', target: 'prices/books/' });
    const done = await run(id);
    expect(done).toMatchObject({ state: 'done', error_message: null });
    const object = await fetch(`http://127.0.0.1:${port}/prices/books/${done.file_name}`);
    expect(await object.text()).toBe('n\n1\n2\n');
    await s3.close();
  });

  describe('of type s3 with a misbehaving server', () => {
    let answer: (request: IncomingMessage, response: ServerResponse) => void;
    const server = createServer((request, response) => answer(request, response));
    let destination: object;
    beforeAll(async () => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      destination = {
        type: 's3',
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        region: 'us-east-1',
        bucket: 'prices',
        access_key_id: 'S3RVER',
        secret_access_key: 'S3RVER',
        path_style: true,
      };
    });
    afterAll(() => server.close().closeAllConnections());

    it('fails after an endless answer, and leaves no open file', async () => {
      const text = 'x'.repeat(1_000_000);
      await collection.insertMany(Array.from({ length: 20 }, (_, n) => ({ n, text })));
      answer = (_request, response) => {
        const more = () => response.write('<x>'.repeat(10_000), more);
        response.on('error', () => undefined).writeHead(500);
        more();
      };
      const { id } = await make({ destination });
      const failed = await run(id);
      expect(failed).toMatchObject({ state: 'failed', error_code: 'delivery_failed' });
      expect(failed.error_message).toContain('more than 65536 bytes');
      const open = () => readdirSync('/proc/self/fd').map(fd => readlinkOf(`/proc/self/fd/${fd}`));
      await until(open, paths => !paths.some(path => path.includes(failed.id)));
      expect(readdirSync(join(app.config.dataDir, 'exports')).filter(file => file.includes(failed.id))).toEqual([]);
    });

    it('keeps the second attempt’s file when the first one, which lost its lease, fails later', async () => {
      await collection.insertOne({ n: 1 });
      const held: ServerResponse[] = [];
      answer = (request, response) => {
        request.resume().on('end', () => (held.length === 0 ? held.push(response) : response.end()));
      };
      const { id } = await make({ fields: 'n', destination });
      const { body } = await developer('POST', `/joint-api/exporters/${id}/run`);
      await until(
        () => held.length,
        count => count > 0,
      );
      await until(
        async () => {
          await app.sql(`UPDATE jobs SET lease_until = now() - interval '1 s' WHERE id = $1 AND attempt = 1`, [
            body.id,
          ]);
          app.part(JobsService).flush();
          return (await developer('GET', `/joint-api/exports/${body.id}`)).body.state;
        },
        state => state === 'done',
      );
      held[0]?.writeHead(500).end();
      // The first attempt deletes what it wrote.
      const files = () => readdirSync(join(app.config.dataDir, 'exports')).filter(file => file.includes(body.id));
      await until(files, ({ length }) => length === 1);
      const { pathname, search } = new URL((await ended(body.id)).link);
      expect((await app.anonymous('GET', pathname + search)).body).toBe('n\n1\n');
    });
  });

  it('of type email gets a link, and only the owner gets it', async () => {
    await collection.insertOne({ n: 1 });
    const { id } = await make({ destination: { type: 'email' } });
    const done = await run(id);
    app.part(OutboxService).flush();
    const [mail] = await mailsTo(app, 'operator@example.com', 1);
    expect(mail?.text).toContain(`/joint-api/export-links/${done.id}?signature=`);
  });

  it('of type email fails with a reason if the account has no e-mail address', async () => {
    await collection.insertOne({ n: 1 });
    const { id } = await make({ destination: { type: 'email' } });
    app.config.contactEmail = undefined;
    const failed = await run(id).finally(() => {
      app.config.contactEmail = 'operator@example.com';
    });
    expect(failed).toMatchObject({ state: 'failed', error_code: 'delivery_failed', link: null });
    expect(failed.error_message).toContain('no e-mail address for your account');
  });

  it.each([
    [{ type: 's3', bucket: 'b' }, 'destination.region is missing'],
    [{ type: 'webhook' }, 'destination.url is missing'],
    [{ type: 'webhook', url: 'ftp://x' }, 'url'],
    [{ type: 'webhook', url: 'https://[' }, 'destination.url must be a URL'],
    [{ type: 'webhook', url: 'https://a:b@example.com' }, 'destination.url must not contain a user name'],
    [{ type: 'webhook', url: 'https://example.com', secret: 'whsec_short' }, 'at least 24 random bytes'],
    [{ type: 'fax' }, 'type'],
    [{ type: 'email', to: 'somebody@example.com' }, 'to'],
  ])('is refused: %j', async (destination, message) => {
    const body = { db_id: database.id, collection: name, destination };
    const answer = await developer('POST', '/joint-api/exports/addnew', body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(message);
  });
});

it('an account cannot have more exporters than the limit', async () => {
  for (let n = 0; n < MAX_EXPORTERS; n += 1) await make();
  const body = { name: 'One more', db_id: database.id, collection: name };
  expect((await developer('POST', '/joint-api/exporters/addnew', body)).body.error_code).toBe('quota_exceeded');
});
