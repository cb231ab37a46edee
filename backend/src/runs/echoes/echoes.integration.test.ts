import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { LIVE_NAMESPACE, type LiveEchoes, SHARES } from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { appForFile } from '../../../test/test-app.js';
import { holdNotifications } from '../../../test/test-mails.js';
import { chunkOfFinish, fleetForEachTest, makeWorkerAndSkript, type TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { SavedBytes } from '../../platform/quotas/saved-bytes.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
let worker: TestWorker;
let runId: string;

beforeEach(async () => {
  worker = await fleet.connect();
  const { body } = await fleet.start();
  runId = body.id;
  await worker.offers.next();
});

const list = async (query = '') => (await developer('GET', `/joint-api/echoes/${runId}/list?${query}`)).body;

describe('saved echoes', () => {
  it('are saved once, even if the worker repeats a chunk or sends it after the run has ended', async () => {
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

  it('are paged backwards from the end, including echoes that are still on the worker', async () => {
    await worker.chunk(runId, 1, 1, ['a', 'b']);
    await worker.chunk(runId, 2, 3, ['c', 'd']);
    worker.unsaved = [{ seq: 5, type: 'log', msg: 'e', time: '2026-02-15T00:00:01.000Z' }];
    const last = await list('limit=2&before_seq=2147483647');
    expect(last).toMatchObject({ items: [{ msg: 'd' }, { msg: 'e' }], next_before_seq: 4, next_after_seq: null });
    const middle = await list(`limit=2&before_seq=${last.next_before_seq}`);
    expect(middle).toMatchObject({ items: [{ msg: 'b' }, { msg: 'c' }], next_before_seq: 2, next_after_seq: 3 });
    const first = await list(`limit=2&before_seq=${middle.next_before_seq}`);
    expect(first).toMatchObject({ items: [{ msg: 'a' }], next_before_seq: null, next_after_seq: 1 });
    expect(await list('after_seq=2')).toMatchObject({
      items: [{ seq: 3 }, { seq: 4 }, { seq: 5 }],
      next_before_seq: 3,
    });
    expect(await list('before_seq=4&contains=B')).toMatchObject({ items: [{ msg: 'b' }], next_before_seq: null });
    expect(await list('before_seq=4&after_seq=1')).toMatchObject({ error_code: 'validation_failed' });
  });

  it('with count=true, are returned with the number of all matches, not only of the page', async () => {
    await worker.chunk(runId, 1, 1, ['page 1', 'other', 'Page 3']);
    await worker.chunk(runId, 2, 4, ['page 4']);
    await worker.finish(runId, { last_seq: 4, last_chunk: 2 });
    expect(await list('contains=page&limit=1&count=true')).toMatchObject({ matching: 3, matching_capped: false });
    expect(await list('type=warn&count=true')).toMatchObject({ matching: 0 });
    expect(await list('limit=1&count=true')).toMatchObject({ matching: 4 });
    expect(await list('limit=1')).not.toHaveProperty('matching');
  });

  it('of a live run are listed together with echoes that only the worker has yet', async () => {
    await worker.chunk(runId, 1, 1, ['saved']);
    worker.unsaved = [{ seq: 2, type: 'log', msg: 'still there', time: '2026-02-15T00:00:01.000Z' }];
    expect((await list()).items).toMatchObject([{ msg: 'saved' }, { msg: 'still there' }]);
  });

  it('of an ended run are listed completely before the last chunk arrives', async () => {
    worker.unsaved = [{ seq: 1, type: 'log', msg: 'the last word', time: '2026-02-15T00:00:01.000Z' }];
    await worker.finish(runId, { last_seq: 1, last_chunk: 1 });
    expect((await list()).items).toMatchObject([{ msg: 'the last word' }]);
  });

  it('are downloaded as one CSV with a header', async () => {
    await worker.chunk(runId, 1, 1, ['one', '"with, comma"']);
    await worker.chunk(runId, 2, 3, ['three']);
    await worker.chunk(runId, 3, 4, ['=HYPERLINK(1)']);
    await worker.finish(runId, { last_seq: 4, last_chunk: 3 });
    const { status, headers, body } = await developer('GET', `/joint-api/echoes/${runId}/download`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(body.split('\n')).toEqual([
      'seq,time,type,msg',
      '1,2026-02-15T00:00:00.000Z,log,one',
      '2,2026-02-15T00:00:00.000Z,log,"with, comma"',
      '3,2026-02-15T00:00:00.000Z,log,three',
      "4,2026-02-15T00:00:00.000Z,log,'=HYPERLINK(1)",
      '',
    ]);
  });

  it('raise the number of echoes of a live run only if its own worker sends them', async () => {
    const lastSeq = async () => (await developer('GET', `/joint-api/skript-execution/${runId}`)).body.last_seq;
    const stranger = await (await makeWorkerAndSkript(app, 'not-its-worker')).connect();
    await stranger.chunk(runId, 9, 1, ['a', 'b', 'c', 'd', 'e']);
    expect(await lastSeq()).toBe(0);
    await worker.chunk(runId, 2, 3, ['c']);
    await worker.chunk(runId, 1, 1, ['a', 'b']);
    expect(await lastSeq()).toBe(3);
    stranger.close();
  });

  it('in a chunk with a wrong checksum are refused', async () => {
    expect(await worker.chunk(runId, 1, 1, ['a'], { sha: '0'.repeat(64) })).toMatchObject({
      error: { code: 'invalid_frame' },
    });
    expect(await list()).toMatchObject({ items: [] });
  });

  it('in a chunk that cannot be read are shown as one warning, and the echoes after it as they are', async () => {
    await worker.chunk(runId, 1, 1, ['a,b', 'c']);
    await worker.chunk(runId, 2, 3, ['d']);
    const warning = { seq: 2, type: 'warn', msg: expect.stringContaining('cannot show the echoes before this line') };
    expect((await list()).items).toMatchObject([warning, { seq: 3, msg: 'd' }]);
  });

  it('are saved once if their chunk comes with the end of the run, also if that is repeated', async () => {
    const end = { last_seq: 2, last_chunk: 1, chunk: chunkOfFinish(1, 1, ['a', 'b']) };
    expect(await worker.finish(runId, end)).toEqual({ result: 'ok' });
    expect(await worker.finish(runId, end)).toEqual({ result: 'late' });
    expect(await worker.finish(runId, { ...end, chunk: chunkOfFinish(2, 3, ['c']) })).toEqual({ result: 'late' });
    expect((await list()).items).toMatchObject([{ msg: 'a' }, { msg: 'b' }, { msg: 'c' }]);
    const { body } = await developer('GET', `/joint-api/skript-execution/${runId}`);
    expect(body).toMatchObject({ action: 'end', output: { done: true }, last_seq: 3 });
  });

  describe('above the daily quota of the account', () => {
    let ownerId: string;
    const allow = (bytes: number) =>
      app.sql('UPDATE users SET quotas = $2 WHERE id = $1', [ownerId, JSON.stringify({ echo_bytes_per_day: bytes })]);
    const used = async () => {
      await app.part(SavedBytes).write();
      return (await developer('GET', '/joint-api/account')).body.quotas.echo_bytes_per_day.used;
    };
    const warnings = () =>
      app.sql<{ percent: number }>(
        `SELECT (payload ->> 'percent')::int AS percent FROM notification_emails
         WHERE owner_id = $1 AND event = 'quota.warning' ORDER BY id`,
        [ownerId],
      );

    beforeEach(async () => {
      ownerId = (await developer('GET', '/joint-api/account')).body.id;
      await holdNotifications(app, ownerId);
      await used();
      await app.sql('DELETE FROM daily_saved_bytes');
      await app.sql('DELETE FROM notification_emails');
    });
    afterEach(() => app.sql(`UPDATE users SET quotas = '{}' WHERE id = $1`, [ownerId]));

    it('are replaced by one warning that names the quota, while the run continues', async () => {
      await allow(1);
      await worker.chunk(runId, 1, 1, ['saved']);
      expect(await worker.chunk(runId, 2, 2, ['lost', 'lost'])).toEqual({ n: 2 });
      expect(await worker.chunk(runId, 3, 4, ['lost'])).toEqual({ n: 3 });
      expect(await worker.chunk(runId, 2, 2, ['lost', 'lost'])).toEqual({ n: 2 });
      const { items, total } = await list();
      expect(items).toMatchObject([
        { seq: 1, msg: 'saved' },
        { seq: 4, type: 'warn', msg: expect.stringContaining('You reached your quota of 1 B of saved echoes') },
      ]);
      expect(total).toBe(4);
      expect((await developer('GET', `/joint-api/skript-execution/${runId}`)).body.action).toBe('start');
      await allow(0);
      await worker.chunk(runId, 4, 5, ['saved again']);
      expect((await list()).items).toMatchObject([{ seq: 1 }, { seq: 4 }, { seq: 5, msg: 'saved again' }]);
    });

    it('send the account one warning at 80 % of the quota and one at 100 %', async () => {
      await worker.chunk(runId, 1, 1, ['a']);
      const bytes = await used();
      await app.sql('DELETE FROM daily_saved_bytes');
      await allow(bytes * 3);
      for (const n of [2, 3]) await worker.chunk(runId, n, n, ['a']);
      expect(await warnings()).toEqual([]);
      await app.sql('UPDATE daily_saved_bytes SET bytes = $1', [Math.floor(bytes * 1.5)]);
      await worker.chunk(runId, 4, 4, ['a']);
      expect(await warnings()).toEqual([{ percent: 80 }]);
      for (const n of [5, 6, 7]) await worker.chunk(runId, n, n, ['a']);
      expect(await warnings()).toEqual([{ percent: 80 }, { percent: 100 }]);
    });

    it('count towards the quota together with run outputs, once for a repeated chunk, and from zero each day', async () => {
      await worker.chunk(runId, 1, 1, ['a']);
      await worker.chunk(runId, 1, 1, ['a']);
      const [row] = await app.sql<{ n: number }>('SELECT length(gz) AS n FROM echo_chunks WHERE execution_id = $1', [
        runId,
      ]);
      await worker.finish(runId, { last_seq: 1, last_chunk: 1, output: '"12345678"' });
      expect(await used()).toBe((row?.n as number) + 10);
      await app.sql('UPDATE daily_saved_bytes SET day = day - 1');
      expect(await used()).toBe(0);
    });
  });

  it('cannot be read by other users', async () => {
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
  const openWebSocket = () =>
    new Promise<Duplex | IncomingMessage>((resolve, reject) => {
      const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      };
      request(`${app.url}/socket.io/?EIO=4&transport=websocket`, { headers })
        .on('upgrade', (_response, socket) => resolve(socket))
        .on('response', response => resolve(response.resume()))
        .on('error', reject)
        .end();
    });
  const watch = () => viewer.timeout(60_000).emitWithAck('watch', { execution_id: runId, on: true });
  afterEach(() => viewer.disconnect());

  it('are requested from the worker for the first viewer, and cancelled when the last one disconnects', async () => {
    await connect('developer');
    const seen = new Promise<LiveEchoes>(resolve => viewer.once('echoes', resolve));
    expect(await watch()).toEqual({ ok: true });
    expect(await worker.watches.next()).toEqual({ id: runId, on: true });
    const items = [{ seq: 1, type: 'log', msg: 'now', time: '2026-02-15T00:00:00.000Z' }];
    worker.socket.emit('echo_live', { epoch: worker.welcome.epoch, id: runId, from_seq: 1, items });
    expect(await seen).toEqual({ execution_id: runId, from_seq: 1, items });
    // Workers write the fields in this order. The backend then passes the echoes on without parsing them.
    const later = [{ type: 'log', msg: 'now "ä"\n', time: '2026-02-15T00:00:00.000Z', seq: 2 }];
    const seenLater = new Promise<LiveEchoes>(resolve => viewer.once('echoes', resolve));
    worker.socket.emit('echo_live', { id: runId, from_seq: 2, items: later, epoch: worker.welcome.epoch });
    expect(await seenLater).toEqual({ execution_id: runId, from_seq: 2, items: later });
    viewer.disconnect();
    expect(await worker.watches.next()).toEqual({ id: runId, on: false });
  });

  it('limit an address to 32 connections that have not signed in', async () => {
    const opened: Duplex[] = [];
    while (opened.length < 1000) {
      const answer = await openWebSocket();
      if (answer instanceof IncomingMessage) {
        expect(answer.statusCode).toBe(400);
        break;
      }
      opened.push(answer);
    }
    expect(opened).toHaveLength(32);
    await expect(connect('developer')).rejects.toThrow();
    for (const socket of opened) socket.destroy();
    await until(
      () =>
        connect('developer').then(
          () => true,
          () => false,
        ),
      isConnected => isConnected,
    );
  });

  it('are refused on undocumented Socket.IO namespaces', async () => {
    viewer = io(app.url, { transports: ['websocket'], reconnection: false, forceNew: true });
    const refusal = await new Promise<Error>(resolve => viewer.once('connect_error', resolve));
    expect(refusal.message).toContain(LIVE_NAMESPACE);
  });

  it('are requested from a worker that connects and takes a run that is already watched', async () => {
    const other = await makeWorkerAndSkript(app, 'late');
    const { id } = (await other.start()).body;
    await connect('developer');
    expect(await viewer.timeout(60_000).emitWithAck('watch', { execution_id: id, on: true })).toEqual({ ok: true });
    const late = await other.connect();
    expect(await late.watches.next()).toEqual({ id, on: true });
    late.close();
  });

  it('come with messages about changes of the user’s own runs', async () => {
    await connect('developer');
    const changed = new Promise(resolve => viewer.once('execution', resolve));
    await worker.finish(runId);
    expect(await changed).toMatchObject({ id: runId, action: 'end', waiting_for: null });
  });

  it('are refused to a user who does not own the run', async () => {
    await connect('admin');
    expect(await watch()).toMatchObject({ ok: false });
  });

  it('stop when the viewer logs out: its connection is closed at once', async () => {
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

  it('are dropped if the worker that sends them does not have the run', async () => {
    await connect('developer');
    await watch();
    const other = await makeWorkerAndSkript(app, 'stranger');
    const stranger = await other.connect({ live: [runId] });
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

  it('of an account that sends too many `watch` messages end with an error that names the limit', async () => {
    await connect('admin');
    const cut = new Promise(resolve => viewer.once('disconnect', resolve));
    const errors: string[] = [];
    const message = { execution_id: '0198a1c2-1111-7000-8000-000000000001', on: false };
    // A new second may begin meanwhile.
    for (let n = 0; n < 2 * (SHARES.watchesPerSecond + SHARES.watchesQueued); n += 1)
      viewer.emit(
        'watch',
        message,
        ({ ok, error_message }: { ok: boolean; error_message?: string }) => ok || errors.push(String(error_message)),
      );
    await cut;
    expect(errors[0]).toContain(`More than ${SHARES.watchesQueued} \`watch\` messages`);
  });

  it('are refused to a connection with an invalid token', async () => {
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
