import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { startTestS3, type TestS3 } from '../../../../test/servers/test-s3.js';
import { TcpProxy } from '../../../../test/tcp-proxy.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, makeWorkerAndSkript, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { Metrics } from '../../../platform/common/metrics.service.js';
import { firstIdAt } from '../../../platform/common/sql/first-id-at.js';
import { createPartitions, PartitionsService } from '../../../platform/database/partitions.service.js';
import { ObjectDeletions } from '../../../platform/objects/object-deletions.service.js';
import { ObjectStore } from '../../../platform/objects/object-store.service.js';
import { EchoChunksRepository } from '../echo-chunks.repository.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
let s3: TestS3;
let worker: TestWorker;
let runId: string;

beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3?.close());
beforeEach(async () => {
  app.config.s3 = s3.settings;
  app.config.echoStore = 's3';
  worker = await fleet.connect();
  runId = (await fleet.start()).body.id;
  await worker.offers.next();
});

/**
 * Texts that stay larger than the smallest object, however well they are compressed. None begins with a plus sign, before
 * which a download puts an apostrophe.
 */
const large = (count = 2) => Array.from({ length: count }, () => `text ${randomBytes(20_000).toString('base64')}`);
const list = (query = '', id = runId) => developer('GET', `/joint-api/echoes/${id}/list?limit=1000&${query}`);
const messages = async (query = '') => (await list(query)).body.items.map(({ msg }: { msg: string }) => msg);
const download = () => developer('GET', `/joint-api/echoes/${runId}/download`);
const rows = (id = runId) =>
  app.sql<{ n: number; object_key: string | null; gz: Buffer | null }>(
    'SELECT n, object_key, gz FROM echo_chunks WHERE execution_id = $1 ORDER BY n',
    [id],
  );
const keyOf = async (n = 1) => String((await rows()).find(row => row.n === n)?.object_key);
const sweep = () => app.part(ObjectDeletions).sweep();
const deleteRun = async () => {
  await worker.finish(runId, { last_seq: 0, last_chunk: 0 });
  expect((await developer('DELETE', `/joint-api/skript-execution/${runId}`)).status).toBe(200);
};

describe.each(['postgres', 's3'] as const)('chunks in %s', store => {
  beforeEach(() => {
    app.config.echoStore = store;
  });

  it('are saved once even if sent twice, and can be read, searched, counted and downloaded', async () => {
    const first = [...large(), 'needle'];
    const second = ['another needle', ...large()];
    for (let sent = 0; sent < 2; sent += 1) expect(await worker.chunk(runId, 1, 1, first)).toEqual({ n: 1 });
    await worker.chunk(runId, 2, 4, second);
    await worker.finish(runId, { last_seq: 6, last_chunk: 2 });
    const saved = await rows();
    expect(saved.map(row => [row.gz !== null, row.object_key !== null])).toEqual(
      saved.map(() => [store === 'postgres', store === 's3']),
    );
    expect(s3.keys().filter(key => key.includes(runId))).toHaveLength(store === 's3' ? 2 : 0);
    expect(await messages()).toEqual([...first, ...second]);
    expect(await messages('before_seq=5')).toEqual([...first, 'another needle']);
    expect((await list('contains=needle&count=true')).body).toMatchObject({
      items: [{ seq: 3 }, { seq: 4 }],
      matching: 2,
    });
    expect((await download()).body.split('\n').map((line: string) => line.split(',')[3])).toEqual([
      'msg',
      ...first,
      ...second,
      undefined,
    ]);
  });

  it('are not saved if another worker sends them, or after their run is deleted', async () => {
    const stranger = await (await makeWorkerAndSkript(app, `stranger-${store}`)).connect();
    expect(await stranger.chunk(runId, 1, 1, large())).toEqual({ n: 1 });
    await deleteRun();
    expect(await worker.chunk(runId, 1, 1, large())).toEqual({ n: 1 });
    expect([await rows(), s3.keys().filter(key => key.includes(runId))]).toEqual([[], []]);
    stranger.close();
  });

  it('count towards the quota by their size; above the quota, a warning is saved instead of the echoes', async () => {
    const ownerId = (await developer('GET', '/joint-api/account')).body.id;
    await app.sql('DELETE FROM daily_saved_bytes');
    await worker.chunk(runId, 1, 1, large());
    const [used] = await app.sql<{ bytes: string }>('SELECT bytes FROM daily_saved_bytes WHERE owner_id = $1', [
      ownerId,
    ]);
    expect(Number(used?.bytes)).toBeGreaterThan(40_000);
    await app.sql(`UPDATE users SET quotas = '{"echo_bytes_per_day": 1}' WHERE id = $1`, [ownerId]);
    expect(await worker.chunk(runId, 2, 3, large())).toEqual({ n: 2 });
    await app.sql(`UPDATE users SET quotas = '{}' WHERE id = $1`, [ownerId]);
    expect((await messages()).at(-1)).toContain('You reached your quota of 1 B of saved echoes');
    expect(s3.keys().filter(key => key.includes(runId))).toHaveLength(store === 's3' ? 1 : 0);
  });

  it('are deleted together with their run', async () => {
    await worker.chunk(runId, 1, 1, large());
    await deleteRun();
    await sweep();
    expect([await rows(), s3.keys().filter(key => key.includes(runId))]).toEqual([[], []]);
  });
});

it('small chunks stay in PostgreSQL although S3 is set up, and a list reads both stores in order', async () => {
  await worker.chunk(runId, 1, 1, ['small']);
  await worker.chunk(runId, 2, 2, large(1));
  app.config.echoStore = 'postgres';
  const [text] = large(1);
  await worker.chunk(runId, 3, 3, [text as string]);
  expect((await rows()).map(({ object_key }) => object_key !== null)).toEqual([false, true, false]);
  expect((await list()).body.items).toMatchObject([{ seq: 1 }, { seq: 2 }, { seq: 3, msg: text }]);
});

it('without S3 settings, echoes in PostgreSQL stay readable, and reading those in S3 answers 503 with a reason', async () => {
  await worker.chunk(runId, 1, 1, ['small']);
  await worker.chunk(runId, 2, 2, large(1));
  app.config.s3 = undefined;
  app.config.echoStore = 'postgres';
  expect((await list('before_seq=2')).body.items).toMatchObject([{ msg: 'small' }]);
  expect(await list()).toMatchObject({
    status: 503,
    body: { error_code: 'service_unavailable', error_message: expect.stringContaining('TRAWL_S3_BUCKET') },
  });
});

describe('while S3 is away', () => {
  let proxy: TcpProxy;
  beforeEach(async () => {
    proxy = await TcpProxy.start(new URL(String(s3.settings.url)));
    app.config.s3 = { ...s3.settings, url: proxy.url };
  });
  afterEach(() => proxy.close());

  /** Sends a chunk again until it is saved, as a worker does. */
  const delivered = (n: number, fromSeq: number) =>
    until(
      () => worker.chunk(runId, n, fromSeq, large()),
      answer => answer.n === n,
    );

  it('workers repeat unsaved chunks until S3 is back, and reading or downloading echoes answers 503', async () => {
    await worker.chunk(runId, 1, 1, large());
    await proxy.close();
    expect(await worker.chunk(runId, 2, 3, large())).toMatchObject({ error: { code: 'unavailable' } });
    for (const answer of [await list(), await download()]) {
      expect(answer).toMatchObject({
        status: 503,
        body: { error_code: 'service_unavailable', error_message: expect.stringContaining('No echoes are lost') },
      });
      expect(answer.headers.get('retry-after')).toBe('10');
    }
    await proxy.open();
    await delivered(2, 3);
    expect(await messages()).toHaveLength(4);
  });

  it('platform health and metrics show when S3 is unavailable, even without echoes, and when it is back', async () => {
    const admin = await app.as('admin');
    const health = async () => (await admin('GET', '/joint-api/platform-health')).body.object_store;
    const metric = async () => await app.part(Metrics).registry.getSingleMetricAsString('trawl_object_store_up');
    const store = app.part(ObjectStore);
    await store.check();
    const available = { bucket: 'echoes', is_available: true, unavailable_since: null, reason: null };
    expect(await health()).toEqual(available);
    expect(await metric()).toMatch(/^trawl_object_store_up 1$/m);
    await proxy.close();
    for (const echoStore of ['s3', 'postgres'] as const) {
      app.config.echoStore = echoStore;
      await store.check();
      const outage = {
        is_available: false,
        unavailable_since: expect.any(String),
        reason: expect.stringContaining('E'),
      };
      expect(await health()).toEqual({ ...available, ...outage });
    }
    expect(await metric()).toMatch(/^trawl_object_store_up 0$/m);
    await proxy.open();
    await store.check();
    expect(await health()).toEqual(available);
    app.config.s3 = undefined;
    expect(await health()).toBeNull();
    expect(await metric()).not.toMatch(/^trawl_object_store_up /m);
  });

  it('repeated chunks rarely try an upload, so few objects need to be deleted afterwards', async () => {
    await app.sql('DELETE FROM object_deletions');
    await proxy.close();
    for (let sent = 0; sent < 20; sent += 1) await worker.chunk(runId, 1, 1, large(1));
    const [{ count } = { count: 0 }] = await app.sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM object_deletions',
    );
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(20);
    await proxy.open();
    await delivered(1, 1);
  });

  it('a hanging upload to S3 is refused before the lease ends, and the worker’s repetition is saved', async () => {
    const { leaseMs } = app.config;
    app.config.leaseMs = 2_000;
    proxy.pause();
    expect(await worker.chunk(runId, 1, 1, large())).toMatchObject({ error: { code: 'unavailable' } });
    app.config.leaseMs = leaseMs;
    proxy.resume();
    await delivered(1, 1);
    await sweep();
    expect(await messages()).toHaveLength(2);
  });

  it('objects of deleted runs are deleted from S3 once it is available again', async () => {
    await worker.chunk(runId, 1, 1, large());
    const key = await keyOf();
    await proxy.close();
    await deleteRun();
    await sweep();
    expect(s3.keys()).toContain(key);
    await proxy.open();
    await app.sql('UPDATE object_deletions SET delete_after = now()');
    await sweep();
    expect(s3.keys()).not.toContain(key);
    expect(await app.sql('SELECT 1 FROM object_deletions WHERE key = $1', [key])).toEqual([]);
  });
});

it('an object in S3 whose row was never saved is deleted after a day, and no later row can use its key', async () => {
  const key = `echoes/${runId}/1-lost.csv.gz`;
  const chunk = { id: runId, n: 1, from_seq: 1, to_seq: 1, epoch: 1, gz: new Uint8Array(), sha: '' };
  const chunks = app.part(EchoChunksRepository);
  expect(await chunks.beginObject(fleet.workerId, chunk, key)).toBeNull();
  await app.part(ObjectStore).put(key, randomBytes(100), 60_000);
  await sweep();
  expect(s3.keys()).toContain(key);
  await app.sql('UPDATE object_deletions SET delete_after = now() WHERE key = $1', [key]);
  await sweep();
  expect(s3.keys()).not.toContain(key);
  const row = { key, sha256: Buffer.alloc(32), bytes: 100 };
  await expect(chunks.insert(fleet.workerId, chunk, row)).rejects.toThrow('was deleted');
  expect(await rows()).toEqual([]);
});

it('when two attempts upload the same chunk, the object of the losing attempt is deleted', async () => {
  const chunks = app.part(EchoChunksRepository);
  const chunk = { id: runId, n: 1, from_seq: 1, to_seq: 2, epoch: 1, gz: new Uint8Array(), sha: '' };
  const key = `echoes/${runId}/1-second.csv.gz`;
  await chunks.beginObject(fleet.workerId, chunk, key);
  await app.part(ObjectStore).put(key, randomBytes(100), 60_000);
  await worker.chunk(runId, 1, 1, large());
  await chunks.insert(fleet.workerId, chunk, { key, sha256: Buffer.alloc(32), bytes: 100 });
  await sweep();
  expect(s3.keys().filter(one => one.includes(runId))).toEqual([await keyOf()]);
});

it.each([
  ['missing', (key: string) => app.part(ObjectStore).delete(key)],
  ['damaged', (key: string) => app.part(ObjectStore).put(key, randomBytes(10), 60_000)],
  ['damaged', (key: string) => s3.damage(key)],
])('echoes whose object in S3 is %s are replaced by a warning, and other echoes stay readable', async (what, harm) => {
  await worker.chunk(runId, 1, 1, large());
  await worker.chunk(runId, 2, 3, ['small']);
  await harm(await keyOf());
  expect((await list()).body.items).toMatchObject([
    { seq: 2, type: 'warn', msg: expect.stringMatching(`echoes from 1 to 2: the object with them is ${what}`) },
    { seq: 3, msg: 'small' },
  ]);
});

it('objects in S3 are deleted with the expired monthly partition of their chunks', async () => {
  const month = new Date('2031-05-10T00:00:00Z');
  await createPartitions(app.part(DataSource), month);
  const keys = ['echoes/expired/1.csv.gz', 'echoes/expired/2.csv.gz'];
  for (const [index, key] of keys.entries()) {
    await app.part(ObjectStore).put(key, randomBytes(100), 60_000);
    await app.sql(
      `INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, object_key, object_sha256, object_bytes)
       VALUES ($1, $2, 1, 1, $3, '', 100)`,
      [firstIdAt(month), index + 1, key],
    );
  }
  app.config.historyDays = 90;
  const live = await app.sql<{ name: string }>(`SELECT to_regclass('echo_chunks_2031_05')::text AS name`);
  expect(live).toEqual([{ name: 'echo_chunks_2031_05' }]);
  await app.part(PartitionsService).dropExpired(new Date('2031-10-10T00:00:00Z'));
  await sweep();
  expect(s3.keys().filter(key => keys.includes(key))).toEqual([]);
});
