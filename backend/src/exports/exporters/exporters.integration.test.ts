import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ObjectId } from 'bson';
// @ts-expect-error: the package has no types
import S3rver from 's3rver';
import { appForFile } from '../../../test/test-app.js';
import { mailsTo } from '../../../test/test-mails.js';
import { databaseForFile } from '../../../test/test-mongo.js';
import { until } from '../../../test/until.js';
import { ExecutionEvents } from '../../executions/records/execution-events.service.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { OutboxService } from '../../mail/outbox.service.js';
import { MongoDatabasesService } from '../../storage/databases/mongo-databases.service.js';
import { MongoConnectionService } from '../../storage/mongodb/mongo-connection.service.js';
import { MAX_EXPORTERS } from './exporters.service.js';
import { ExportersTimer } from './exporters-timer.service.js';

const { app, developer } = appForFile({
  settings: { outgoingAllow: ['127.0.0.1'], contactEmail: 'operator@example.com' },
});
const database = databaseForFile(app);

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

it('exports only what is new since the last time, and leaves nothing out', async () => {
  const { id } = await make({ only_new: true, fields: 'n' });
  const old = Date.now() - 3_600_000;
  await collection.insertMany([{ _id: idAt(old), n: 1 }, { n: 'not yet a minute old' }]);
  expect(await run(id)).toMatchObject({ state: 'done', rows: 1, exporter_id: id });
  const { exported_until } = (await developer('GET', `/joint-api/exporters/${id}`)).body;
  expect(Date.parse(exported_until)).toBeLessThan(Date.now() - 59_000);
  expect(await run(id)).toMatchObject({ rows: 0 });
  // Pretend that the last export was long ago.
  await app.sql(`UPDATE exporters SET exported_until = $2 WHERE id = $1`, [id, new Date(old - 10_000)]);
  await collection.insertOne({ _id: idAt(old - 60_000), n: 'before that' });
  expect(await run(id)).toMatchObject({ rows: 1 });
});

it('an export that fails does not count as exported', async () => {
  const { id } = await make({ only_new: true });
  const wide = Object.fromEntries(Array.from({ length: 16_385 }, (_, n) => [`c${n}`, n]));
  await collection.insertOne({ _id: idAt(Date.now() - 3_600_000), ...wide });
  expect(await run(id)).toMatchObject({ state: 'failed' });
  expect((await developer('GET', `/joint-api/exporters/${id}`)).body.exported_until).toBeNull();
});

it('runs at its times, once each', async () => {
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
    file_name: expect.stringMatching(/-\d{8}T\d{6}Z\.csv$/),
  });
  expect((await developer('GET', `/joint-api/exporters/${id}`)).body.next_at).toBe(next_at);
  await developer('PUT', `/joint-api/exporters/${id}`, { enabled: false });
  await app.sql(`UPDATE exporters SET next_at = now() - interval '1 s' WHERE id = $1`, [id]);
  await timer.tick();
  expect(await exportsOf(id)).toHaveLength(1);
});

it('runs after each run of its skript, with the rows of that run', async () => {
  const skript = (await developer('POST', '/joint-api/skripts/addnew', { title: 'Exported' })).body;
  const [owner] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  const { id } = await make({ source: 'run', skript_id: skript.id, fields: 'n', collection: undefined });
  await app.part(ExportersTimer).tick();
  const executionId = '01a20000-0000-7000-8000-000000000001';
  await app.sql(
    `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
     VALUES ($1, $2, $3, 'Exported', '', '', 'end')`,
    [executionId, owner?.id, skript.id],
  );
  const { dbName } = await app.part(MongoDatabasesService).resolve(String(owner?.id));
  const rows = (await app.part(MongoConnectionService).db(dbName)).collection(`dataset_${skript.id}`);
  await rows.insertMany([
    { _run: executionId, n: 1 },
    { _run: 'another', n: 2 },
  ]);
  app.part(ExecutionEvents).publish({
    id: executionId,
    owner_id: String(owner?.id),
    worker_id: null,
    action: 'end',
    updated_at: new Date(),
  });
  const [made] = await until(
    () => exportsOf(id),
    items => items.length > 0,
  );
  expect(await ended(made.id)).toMatchObject({ state: 'done', source: 'run', rows: 1 });
  await rows.drop();
});

describe('destinations', () => {
  it('webhook: gets a link with which anyone can download the file', async () => {
    await collection.insertOne({ n: 1 });
    const received: { request: IncomingMessage; body: any }[] = [];
    const server = createServer(async (request, response) => {
      received.push({ request, body: JSON.parse(await text(request)) });
      response.end();
    }).listen(0, '127.0.0.1');
    await until(
      () => server.listening,
      listening => listening,
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?secret=1`;
    const exporter = await make({ fields: 'n', destination: { type: 'webhook', url } });
    expect(exporter.destination).toEqual({ type: 'webhook', target: new URL(url).host });
    const done = await run(exporter.id);
    server.close();
    expect(done).toMatchObject({ state: 'done' });
    expect(received[0]?.request).toMatchObject({ method: 'POST', url: '/hook?secret=1' });
    expect(received[0]?.body).toMatchObject({ type: 'export.done', export_id: done.id, rows: 1, bytes: done.bytes });
    const { pathname, search } = new URL(received[0]?.body.link);
    const file = await app.anonymous('GET', pathname + search);
    expect(file.body).toBe('n\n1\n');
    expect((await app.anonymous('GET', `${pathname}?signature=${'x'.repeat(43)}`)).status).toBe(404);
    const [row] = await app.sql<{ params: string }>('SELECT params::text FROM exporters WHERE id = $1', [exporter.id]);
    expect(row?.params).not.toContain('secret=1');
  });

  it('webhook: an address inside the network is refused, and the export fails', async () => {
    const { id } = await make({ destination: { type: 'webhook', url: 'https://127.0.0.2/' } });
    expect(await run(id)).toMatchObject({
      state: 'failed',
      error_code: 'delivery_failed',
      error_message: expect.stringContaining('private, loopback'),
    });
  });

  it('s3: uploads the file', async () => {
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

  describe('s3: from a server that misbehaves', () => {
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

    it('an endless answer ends the upload, and no file stays open', async () => {
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

    it('an attempt that lost its lease does not delete the file of the next one', async () => {
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

  it('e-mail: goes to the owner only, with a link', async () => {
    const { id } = await make({ destination: { type: 'email' } });
    const done = await run(id);
    app.part(OutboxService).flush();
    const [mail] = await mailsTo(app, 'operator@example.com', 1);
    expect(mail?.text).toContain(`/joint-api/export-links/${done.id}?signature=`);
  });

  it.each([
    [{ type: 's3', bucket: 'b' }, 'destination.region is missing'],
    [{ type: 'webhook' }, 'destination.url is missing'],
    [{ type: 'webhook', url: 'ftp://x' }, 'url'],
    [{ type: 'webhook', url: 'https://[' }, 'destination.url must be a URL'],
    [{ type: 'fax' }, 'type'],
    [{ type: 'email', to: 'somebody@example.com' }, 'to'],
  ])('refuses %j', async (destination, message) => {
    const body = { db_id: database.id, collection: name, destination };
    const answer = await developer('POST', '/joint-api/exports/addnew', body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(message);
  });
});

it('an account has a limited number of exporters', async () => {
  for (let n = 0; n < MAX_EXPORTERS; n += 1) await make();
  const body = { name: 'One more', db_id: database.id, collection: name };
  expect((await developer('POST', '/joint-api/exporters/addnew', body)).body.error_code).toBe('quota_exceeded');
});
