import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIVE_NAMESPACE, type LiveEchoes } from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, TestWorker } from '../../test/test-worker.js';

jest.setTimeout(60_000);

let app: TestApp;
let developer: Api;
let worker: TestWorker;
let runId: string;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
});
afterAll(() => app.close());

beforeEach(async () => {
  const fleet = await makeWorkerAndSkript(app, `echoes-${++count}`);
  worker = await TestWorker.connect(app, fleet.key);
  const { body } = await developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', {
    worker_id: fleet.workerId,
    skript_id: fleet.skriptId,
  });
  runId = body.id;
  await worker.offers.next();
});
afterEach(() => worker.close());

const list = async (query = '') => (await developer('GET', `/joint-api/echoes/${runId}/list?${query}`)).body;

describe('saved echoes', () => {
  it('are kept once, however often a chunk is sent, and also after the run ended', async () => {
    expect(await worker.chunk(runId, 1, 1, ['a', 'b'])).toEqual({ n: 1 });
    expect(await worker.chunk(runId, 1, 1, ['a', 'b'])).toEqual({ n: 1 });
    await worker.finish(runId, { last_seq: 3, last_chunk: 2 });
    expect(await worker.chunk(runId, 2, 3, ['c'])).toEqual({ n: 2 });
    expect(await list()).toMatchObject({
      total: 3,
      next_after_seq: null,
      items: [{ seq: 1, msg: 'a' }, { seq: 2 }, { seq: 3, msg: 'c' }],
    });
  });

  it('are paged, filtered and searched', async () => {
    await worker.chunk(runId, 1, 1, ['page 1', 'Page 2', 'other']);
    await worker.finish(runId, { last_seq: 3, last_chunk: 1 });
    const first = await list('limit=2');
    expect(first).toMatchObject({ items: [{ seq: 1 }, { seq: 2 }], next_after_seq: 2, total: 3 });
    expect(await list(`limit=2&after_seq=${first.next_after_seq}`)).toMatchObject({
      items: [{ seq: 3 }],
      next_after_seq: null,
    });
    expect((await list('contains=page')).items).toHaveLength(2);
    expect((await list('type=warn')).items).toEqual([]);
  });

  it('are followed by what the worker still has while the run goes on', async () => {
    await worker.chunk(runId, 1, 1, ['saved']);
    worker.unsaved = [{ seq: 2, type: 'log', msg: 'still there', time: '2026-02-15T00:00:01.000Z' }];
    expect((await list()).items).toMatchObject([{ msg: 'saved' }, { msg: 'still there' }]);
  });

  it('are whole as soon as the run has ended, though its last chunk is still on its way', async () => {
    worker.unsaved = [{ seq: 1, type: 'log', msg: 'the last word', time: '2026-02-15T00:00:01.000Z' }];
    await worker.finish(runId, { last_seq: 1, last_chunk: 1 });
    expect((await list()).items).toMatchObject([{ msg: 'the last word' }]);
  });

  it('come as one CSV with a header', async () => {
    await worker.chunk(runId, 1, 1, ['one', '"with, comma"']);
    await worker.chunk(runId, 2, 3, ['three']);
    await worker.finish(runId, { last_seq: 3, last_chunk: 2 });
    const { status, headers, body } = await developer('GET', `/joint-api/echoes/${runId}/download`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(body.split('\n')).toEqual([
      'seq,time,type,msg',
      '1,2026-02-15T00:00:00.000Z,log,one',
      '2,2026-02-15T00:00:00.000Z,log,"with, comma"',
      '3,2026-02-15T00:00:00.000Z,log,three',
      '',
    ]);
  });

  it('are refused when they do not match their sum or are not gzip', async () => {
    expect(await worker.chunk(runId, 1, 1, ['a'], { sha: '0'.repeat(64) })).toMatchObject({
      error: { code: 'invalid_frame' },
    });
    expect(await list()).toMatchObject({ items: [] });
  });

  it('are nobody else’s to read', async () => {
    const admin = await app.as('admin');
    expect((await admin('GET', `/joint-api/echoes/${runId}/list`)).status).toBe(404);
    expect((await admin('GET', `/joint-api/echoes/${runId}/download`)).status).toBe(404);
  });
});

describe('live echoes', () => {
  let viewer: Socket;
  const connect = async (username: 'admin' | 'developer') => {
    viewer = io(app.url + LIVE_NAMESPACE, {
      transports: ['websocket'],
      auth: { token: await app.token(username) },
      reconnection: false,
      forceNew: true,
    });
    await new Promise((resolve, reject) => {
      viewer.once('connect', () => resolve(null));
      viewer.once('connect_error', reject);
    });
  };
  const watch = () => viewer.timeout(5_000).emitWithAck('watch', { execution_id: runId, on: true });
  afterEach(() => viewer.disconnect());

  it('are asked of the worker when somebody watches, reach the viewer, and end with the last viewer', async () => {
    await connect('developer');
    const seen = new Promise<LiveEchoes>(resolve => viewer.once('echoes', resolve));
    expect(await watch()).toEqual({ ok: true });
    expect(await worker.watches.next()).toEqual({ id: runId, on: true });
    const items = [{ seq: 1, type: 'log', msg: 'now', time: '2026-02-15T00:00:00.000Z' }];
    worker.socket.emit('echo_live', { epoch: worker.welcome.epoch, id: runId, from_seq: 1, items });
    expect(await seen).toEqual({ execution_id: runId, from_seq: 1, items });
    viewer.disconnect();
    expect(await worker.watches.next()).toEqual({ id: runId, on: false });
  });

  it('are asked of the worker that takes a run which was watched while it waited', async () => {
    const fleet = await makeWorkerAndSkript(app, `late-${count}`);
    const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0';
    const body = { worker_id: fleet.workerId, skript_id: fleet.skriptId };
    const { id } = (await (await app.as('developer'))('POST', start, body)).body;
    await connect('developer');
    expect(await viewer.timeout(5_000).emitWithAck('watch', { execution_id: id, on: true })).toEqual({ ok: true });
    const late = await TestWorker.connect(app, fleet.key);
    expect(await late.watches.next()).toEqual({ id, on: true });
    late.close();
  });

  it('come with the changes of one’s own runs', async () => {
    await connect('developer');
    const changed = new Promise(resolve => viewer.once('execution', resolve));
    await worker.finish(runId);
    expect(await changed).toMatchObject({ id: runId, action: 'end', waiting_for: null });
  });

  it('of somebody else’s run cannot be watched', async () => {
    await connect('admin');
    expect(await watch()).toMatchObject({ ok: false });
  });

  it('end at once with the session', async () => {
    const { username, password } = JSON.parse(readFileSync(join(app.config.dataDir, 'credentials.json'), 'utf8'))[1];
    const { jwtToken } = (await app.anonymous('POST', '/panel/login', { username, password })).body;
    viewer = io(app.url + LIVE_NAMESPACE, {
      transports: ['websocket'],
      auth: { token: jwtToken },
      reconnection: false,
      forceNew: true,
    });
    await new Promise(resolve => viewer.once('connect', () => resolve(null)));
    const cut = new Promise(resolve => viewer.once('disconnect', resolve));
    await app.anonymous('POST', '/panel/logout', undefined, { authorization: `Bearer ${jwtToken}` });
    expect(await cut).toBe('io server disconnect');
  });

  it('of another worker’s run are not shown', async () => {
    await connect('developer');
    await watch();
    const other = await makeWorkerAndSkript(app, `stranger-${count}`);
    const stranger = await TestWorker.connect(app, other.key, { live: [runId] });
    const items = [{ seq: 1, type: 'log', msg: 'forged', time: '2026-02-15T00:00:00.000Z' }];
    stranger.socket.emit('echo_live', { epoch: stranger.welcome.epoch, id: runId, from_seq: 1, items });
    await stranger.send('state', { epoch: stranger.welcome.epoch, id: runId, seq: 1, waiting_for: 'storage_down' });
    const seen = new Promise<LiveEchoes>(resolve => viewer.once('echoes', resolve));
    worker.socket.emit('echo_live', {
      epoch: worker.welcome.epoch,
      id: runId,
      from_seq: 1,
      items: [{ ...items[0], msg: 'true' }],
    });
    expect((await seen).items).toMatchObject([{ msg: 'true' }]);
    stranger.close();
  });

  it('need a session', async () => {
    viewer = io(app.url + LIVE_NAMESPACE, {
      transports: ['websocket'],
      auth: { token: 'forged' },
      reconnection: false,
      forceNew: true,
    });
    const error = await new Promise<Error>(resolve => viewer.once('connect_error', resolve));
    expect(error.message).toBe('unauthorized');
  });
});
