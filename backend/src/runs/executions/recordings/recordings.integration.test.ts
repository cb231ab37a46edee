import { request } from 'node:http';
import { LIMITS, PROTOCOL, RECORD_NOT_SENT } from '@trawl/contracts';
import { ObjectId } from 'bson';
import { encodeMessage } from '../../../../../packages/storage/test/bson-messages.js';
import { startTestS3, type TestS3 } from '../../../../test/servers/test-s3.js';
import { appForFile } from '../../../../test/test-app.js';
import { holdNotifications } from '../../../../test/test-mails.js';
import { fleetForEachTest, makeWorkerAndSkript, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { ObjectDeletions } from '../../../platform/objects/object-deletions.service.js';
import { RecordingsRepository } from './recordings.repository.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
const replay = (id: string, body: object = {}, query = 'wait_ms=0') =>
  developer('POST', `/joint-api/skript-execution/${id}/replay?${query}`, body);
const upload = (id: string, bytes: Buffer, key = fleet.key, exchanges: number | string = 2) =>
  fetch(`${app.url}/worker-api/records/${id}?exchanges=${exchanges}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
const download = (id: string, key = fleet.key) =>
  fetch(`${app.url}/worker-api/records/${id}`, { headers: { authorization: `Bearer ${key}` } });

/** Starts a run that is recorded, ends it and uploads its record. */
async function recorded(worker: TestWorker, bytes = Buffer.from('a record'), input: unknown = 'shop'): Promise<string> {
  const { id } = (await fleet.start({ input }, 'wait_ms=0&record=true&force=true')).body;
  expect(await worker.offers.next()).toMatchObject({ id, record: true, warm: false });
  await worker.finish(id);
  expect((await upload(id, bytes)).status).toBe(204);
  return id;
}

it('a start with record=true is recorded, and the run shows its record', async () => {
  const worker = await fleet.connect();
  const bytes = Buffer.alloc(2.5 * 1024 * 1024, 'x');
  const id = await recorded(worker, bytes);
  expect(await execution(id)).toMatchObject({
    record: { bytes: bytes.length, exchanges: 2, problem: null },
    replay_of: null,
  });
  const answer = await developer('GET', `/joint-api/skript-execution/${id}/record`);
  expect(answer.headers.get('content-disposition')).toContain(`${id}.record`);
  expect(answer.headers.get('content-length')).toBe(String(bytes.length));
  expect(await app.sql('SELECT n FROM record_parts WHERE execution_id = $1', [id])).toHaveLength(3);
  // A repeated upload replaces the record.
  expect((await upload(id, Buffer.from('short'))).status).toBe(204);
  expect((await execution(id)).record.bytes).toBe(5);
});

it.each([
  ['next', [true, undefined]],
  ['always', [true, true]],
])('a skript with record %s records its runs', async (record, expected) => {
  const worker = await fleet.connect();
  await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { record });
  const seen: unknown[] = [];
  for (const _ of expected) {
    await fleet.start({}, 'wait_ms=0&force=true');
    const offer = await worker.offers.next();
    seen.push(offer.record);
    await worker.finish(offer.id);
    const isOff = async () => (await developer('GET', `/joint-api/skripts/${fleet.skriptId}`)).body.record;
    if (record === 'next') await until(isOff, value => value === 'off');
  }
  expect(seen).toEqual(expected);
});

it('a replay gets the input of the recorded run, is marked, and may download the record while it is live', async () => {
  const worker = await fleet.connect();
  const id = await recorded(worker);
  expect((await download(id)).status).toBe(404);
  // A replay is not judged, whatever the contract says.
  await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { rows: { min: 5, on_broken: 'fail' } });
  const { status, body } = await replay(id, { on_miss: 'network' });
  expect([status, body.replay_of]).toEqual([202, id]);
  const offer = await worker.offers.next();
  expect(offer).toMatchObject({
    id: body.id,
    input: '"shop"',
    replay: { of: id, on_miss: 'network' },
    warm: false,
    ends_with_lease: false,
  });
  expect(offer.record).toBeUndefined();
  expect(await (await download(id)).text()).toBe('a record');
  await worker.finish(offer.id);
  expect((await download(id)).status).toBe(404);
  expect(await execution(offer.id)).toMatchObject({ action: 'end', replay_of: id, record: null, verdict: null });
});

it('a replay runs the current files, or the version that it names', async () => {
  const worker = await fleet.connect();
  const id = await recorded(worker);
  const { bundle_hash: old } = await execution(id);
  const [file] = await app.sql<{ id: string }>('SELECT id FROM skript_files WHERE skript_id = $1', [fleet.skriptId]);
  await developer('PUT', `/joint-api/skript-files/${file?.id}`, { content: 'module.exports = () => "new";' });
  await replay(id);
  const current = await worker.offers.next();
  expect(current.bundle).not.toBe(old);
  await replay(id, { version: old });
  expect((await worker.offers.next()).bundle).toBe(old);
  expect(await replay(id, { version: 'f'.repeat(64) })).toMatchObject({ status: 404 });
  expect(await replay(id, { version: 'latest' })).toMatchObject({ status: 400 });
});

it('a repeated replay with the same Idempotency-Key starts no second run', async () => {
  const worker = await fleet.connect();
  const id = await recorded(worker);
  const again = () =>
    developer('POST', `/joint-api/skript-execution/${id}/replay?wait_ms=0`, {}, { 'idempotency-key': 'once' });
  const [first, second] = [await again(), await again()];
  expect(second.body.id).toBe(first.body.id);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
});

it('rows of a replay are apart from those of other runs, and it makes no other write', async () => {
  const worker = await fleet.connect();
  const id = await recorded(worker);
  await replay(id);
  const { id: replayId, token, skript } = await worker.offers.next();
  let op_id = 0;
  const call = async (collection: string, method: string, args: object, more: object = {}) => {
    op_id += 1;
    const op = { collection, method, args: encodeMessage(args), resend: false, ...more };
    return worker.send('storage', { epoch: worker.welcome.epoch, id: replayId, op_id, token, op });
  };
  const docs = [{ _id: new ObjectId(), _run: replayId, _at: new Date(), title: 'Emma' }];
  await call(`dataset_${skript.id}`, 'insertMany', { docs, ordered: true }, { rows: 1 });
  const other = await call('books', 'insertMany', { docs, ordered: true });
  expect(other.error).toBeUndefined();
  expect(
    (await call('books', 'updateMany', { filter: {}, update: { $set: { a: 1 } }, upsert: true })).error,
  ).toBeUndefined();
  const postgres = (op: object, table?: string) =>
    worker.send('postgres', {
      epoch: worker.welcome.epoch,
      id: replayId,
      op_id: ++op_id,
      token,
      op,
      resend: false,
      table,
    });
  expect(await postgres({ method: 'query', text: 'INSERT INTO t SELECT 1', params: [] }, 't')).toMatchObject({
    result: { row_count: 0 },
  });
  expect(await postgres({ method: 'query', text: 'CREATE TABLE t (a int)', params: [] })).toMatchObject({
    error: { message: expect.stringContaining('read-only') },
  });
  await worker.finish(replayId, { rows: 1 });
  const rows = await developer('GET', `/joint-api/skript-execution/${replayId}/rows`);
  expect(rows.body.items).toMatchObject([{ title: 'Emma' }]);
  expect(await execution(replayId)).toMatchObject({ rows: 1, verdict: null });
  const [{ id: db } = { id: '' }] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
  const { items } = (await developer('GET', `/joint-api/mongo-collections/${db}/list?limit=1000`)).body;
  const names = items.map(({ name }: { name: string }) => name);
  expect(names).toContain(`replay_${skript.id}`);
  expect(names).not.toContain(`dataset_${skript.id}`);
  expect(names).not.toContain('books');
  expect(await app.sql('SELECT 1 FROM run_profiles WHERE execution_id = $1', [replayId])).toEqual([]);
});

it('a failed replay makes no issue and is not the last run of its skript, and no end of a replay makes an event', async () => {
  const worker = await fleet.connect();
  const ownerId = (await developer('GET', '/joint-api/account')).body.id;
  await holdNotifications(app, ownerId);
  await app.sql(
    `UPDATE notification_settings SET email_events = ARRAY['run.failed', 'run.completed'] WHERE user_id = $1`,
    [ownerId],
  );
  const id = await recorded(worker);
  const told = async (run: string) =>
    (
      await app.sql<{ payload: { execution_id: string } }>(
        'SELECT payload FROM notification_emails WHERE owner_id = $1',
        [ownerId],
      )
    ).filter(({ payload }) => payload.execution_id === run).length;
  expect(await told(id)).toBe(1);
  await replay(id);
  const offer = await worker.offers.next();
  await worker.finish(offer.id, { action: 'error', error_code: 'replay_miss', error_stack: 'no answer', output: null });
  expect(await execution(offer.id)).toMatchObject({ action: 'error', error_code: 'replay_miss', issue_id: null });
  expect(await app.sql('SELECT 1 FROM failures WHERE execution_id = $1', [offer.id])).toEqual([]);
  expect(await told(offer.id)).toBe(0);
  const latest = await developer('GET', `/joint-api/skript-execution/latest-by-skript?skript_ids=${fleet.skriptId}`);
  expect(latest.body.items.map((run: { id: string }) => run.id)).toEqual([id]);
});

it('other accounts and other workers do not reach a record', async () => {
  const worker = await fleet.connect();
  const id = await recorded(worker);
  const other = await app.as('admin');
  expect((await other('GET', `/joint-api/skript-execution/${id}/record`)).status).toBe(404);
  expect((await other('POST', `/joint-api/skript-execution/${id}/replay`, {})).status).toBe(404);
  const stranger = await makeWorkerAndSkript(app, 'stranger-of-records');
  await replay(id);
  await worker.offers.next();
  expect((await upload(id, Buffer.from('false'), stranger.key)).status).toBe(404);
  expect((await download(id, stranger.key)).status).toBe(404);
  expect((await upload(id, Buffer.from('false'), 'trw_none')).status).toBe(401);
  expect(await (await download(id)).text()).toBe('a record');
});

it('a run without a record cannot be replayed, and a record that is too large is refused', async () => {
  const worker = await fleet.connect();
  const { id } = (await fleet.start({}, 'wait_ms=0&force=true')).body;
  await worker.offers.next();
  await worker.finish(id);
  expect(await replay(id)).toMatchObject({ status: 404, body: { error_code: 'not_found' } });
  expect((await developer('GET', `/joint-api/skript-execution/${id}/record`)).status).toBe(404);
  expect((await upload(id, Buffer.alloc(LIMITS.recordBytes + 1))).status).toBe(413);
  expect((await upload(id, Buffer.from('x'), fleet.key, -1)).status).toBe(400);
});

it('a run shows why it has no record, or what its record lacks', async () => {
  const worker = await fleet.connect();
  const { id } = (await fleet.start({}, 'wait_ms=0&record=true&force=true')).body;
  await worker.offers.next();
  expect((await execution(id)).record).toBeNull();
  await worker.finish(id);
  expect((await execution(id)).record).toEqual(RECORD_NOT_SENT);
  const tell = (problem: string, bytes: string) =>
    upload(id, Buffer.from(bytes), fleet.key, `0&problem=${encodeURIComponent(problem)}`);
  const tooLarge = 'The run has sent more than 64 MB for its record.';
  expect((await tell(tooLarge, '')).status).toBe(204);
  expect((await execution(id)).record).toEqual({ bytes: 0, exchanges: 0, problem: tooLarge });
  expect(await replay(id)).toMatchObject({ status: 409, body: { error_message: expect.stringContaining(tooLarge) } });
  const { status, body } = await developer('GET', `/joint-api/skript-execution/${id}/record`);
  expect([status, body.error_message]).toEqual([404, `The run ${id} has no record. ${tooLarge}`]);
  expect((await tell('It lacks GET /a.', 'a record')).status).toBe(204);
  expect((await execution(id)).record).toEqual({ bytes: 8, exchanges: 0, problem: 'It lacks GET /a.' });
  expect((await tell('GET /\u001b[2J\na', 'a record')).status).toBe(204);
  expect((await execution(id)).record.problem).toBe('GET / [2J a');
  expect((await replay(id)).status).toBe(202);
  await worker.offers.next();
  for (const wrong of ['x'.repeat(1_001), '\u0000']) expect((await tell(wrong, '')).status).toBe(400);
});

it('a recorded run whose worker is lost says so, and its retry is recorded too', async () => {
  const worker = await fleet.connect();
  const { id } = (await fleet.start({}, 'wait_ms=0&record=true&force=true&retries=1&retry_delay_ms=0')).body;
  await worker.offers.next();
  await worker.finish(id, { action: 'error', error_code: 'exception', error_stack: 'lost', output: null });
  const again = await worker.offers.next();
  expect(again).toMatchObject({ record: true });
  expect((await execution(id)).record).toEqual(RECORD_NOT_SENT);
  await worker.finish(again.id);
  expect((await execution(again.id)).record).toEqual(RECORD_NOT_SENT);
});

it('an upload that breaks off leaves no parts, and one of a deleted run adds none', async () => {
  const worker = await fleet.connect();
  const { id } = (await fleet.start({}, 'wait_ms=0&record=true&force=true')).body;
  await worker.offers.next();
  await worker.finish(id);
  const parts = () => app.sql('SELECT n FROM record_parts WHERE execution_id = $1', [id]);
  const put = request(`${app.url}/worker-api/records/${id}?exchanges=2`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${fleet.key}`,
      'content-type': 'application/octet-stream',
      'content-length': 3_000_000,
    },
  });
  put.on('error', () => {});
  put.write(Buffer.alloc(2_000_000));
  await until(parts, rows => rows.length > 0);
  put.destroy();
  await until(parts, rows => rows.length === 0);
  expect((await execution(id)).record).toEqual(RECORD_NOT_SENT);
  const { id: ownerId } = (await developer('GET', '/joint-api/account')).body;
  await developer('DELETE', `/joint-api/skript-execution/${id}`);
  const part = { n: 1, bytes: 1, data: Buffer.from('x'), object_key: null };
  expect(await app.part(RecordingsRepository).addPart(id, ownerId, part)).toBe(false);
  expect(await parts()).toEqual([]);
});

it('a record is set only if all its bytes are in parts', async () => {
  const worker = await fleet.connect();
  const id = await recorded(worker);
  const repository = app.part(RecordingsRepository);
  expect(await repository.setRecord(id, { bytes: 9, exchanges: 1, problem: null })).toBe(false);
  expect((await execution(id)).record).toMatchObject({ bytes: 8 });
});

it('records are deleted with their run, and when they are too old', async () => {
  const worker = await fleet.connect();
  const [deleted, old, young] = [await recorded(worker), await recorded(worker), await recorded(worker)];
  await developer('DELETE', `/joint-api/skript-execution/${deleted}`);
  await app.sql(`UPDATE record_parts SET created_at = now() - interval '31 days' WHERE execution_id = $1`, [old]);
  await app.part(RecordingsRepository).deleteExpired();
  const left = await app.sql('SELECT execution_id FROM record_parts WHERE execution_id = ANY($1)', [
    [deleted, old, young],
  ]);
  expect(left).toEqual([{ execution_id: young }]);
  expect((await execution(old)).record).toEqual({
    bytes: 0,
    exchanges: 0,
    problem: 'Trawl has deleted the record, because it keeps records for 30 days.',
  });
  expect((await execution(young)).record).toMatchObject({ problem: null });
});

it('a worker of the protocol before, which would use the network, gets no replay', async () => {
  const recorder = await fleet.connect();
  const id = await recorded(recorder);
  recorder.close();
  const worker = await fleet.connect({ protocol: PROTOCOL - 1 });
  const { body } = await replay(id);
  const failed = await until(
    () => execution(body.id),
    ({ action }) => action === 'error',
  );
  expect(failed).toMatchObject({
    error_code: 'start_failed',
    error_stack: expect.stringContaining('too old for replays'),
  });
  expect(worker.offers.all).toEqual([]);
});

describe('with an object store', () => {
  let s3: TestS3;
  beforeAll(async () => {
    s3 = await startTestS3();
  });
  afterAll(() => s3?.close());

  it('a record is in objects, which are deleted with the run', async () => {
    app.config.s3 = s3.settings;
    app.config.echoStore = 's3';
    const worker = await fleet.connect();
    const bytes = Buffer.alloc(1_500_000, 'y');
    const id = await recorded(worker, bytes);
    const keys = () => s3.keys().filter(key => key.includes(id));
    expect(keys()).toHaveLength(2);
    await replay(id);
    await worker.offers.next();
    expect(Buffer.from(await (await download(id)).arrayBuffer()).equals(bytes)).toBe(true);
    await developer('DELETE', `/joint-api/skript-execution/${id}`);
    await app.part(ObjectDeletions).sweep();
    expect(keys()).toEqual([]);
    app.config.echoStore = 'postgres';
  });
});

// Last, because a backend keeps the quota of an account for seconds.
it('a record counts as storage, and is dropped with a reason when the quota is full', async () => {
  const worker = await fleet.connect();
  const ownerId = (await developer('GET', '/joint-api/account')).body.id;
  await recorded(worker, Buffer.alloc(1_000));
  expect(await app.part(RecordingsRepository).bytesOf(ownerId)).toBeGreaterThanOrEqual(1_000);
  await app.sql(`UPDATE users SET quotas = '{"storage_bytes": 1}' WHERE id = $1`, [ownerId]);
  const { id } = (await fleet.start({}, 'wait_ms=0&record=true&force=true')).body;
  await worker.offers.next();
  await worker.finish(id);
  await until(
    async () => {
      await upload(id, Buffer.alloc(1_000));
      return (await execution(id)).record;
    },
    record => record?.problem !== null,
  );
  expect((await execution(id)).record).toMatchObject({ bytes: 0, problem: expect.stringContaining('quota') });
  expect(await replay(id)).toMatchObject({ status: 409, body: { error_code: 'conflict' } });
});
