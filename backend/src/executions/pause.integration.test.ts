import { LIVE_NAMESPACE } from '@trawl/contracts';
import { io } from 'socket.io-client';
import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';

jest.setTimeout(60_000);

let app: TestApp;
let developer: Api;
let fleet: TestFleet;
let worker: TestWorker | undefined;
let count = 0;

const ROUTES = '/joint-api/execute-skript/single-worker';

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
});
afterAll(() => app.close());

beforeEach(async () => {
  fleet = await makeWorkerAndSkript(app, `pause-${++count}`);
});
afterEach(() => {
  worker?.close();
  worker = undefined;
});

const start = async (body: object = {}) =>
  (
    await developer('POST', `${ROUTES}/start?wait_ms=0`, {
      worker_id: fleet.workerId,
      skript_id: fleet.skriptId,
      ...body,
    })
  ).body;
const command = (cmd: 'pause' | 'resume' | 'stop', query = `skript_id=${fleet.skriptId}`) =>
  developer('GET', `${ROUTES}/${cmd}?${query}`);
const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

it('pauses a run when its worker has done so, resumes it, and says each live', async () => {
  worker = await TestWorker.connect(app, fleet.key);
  const { id } = await start();
  const live = io(app.url + LIVE_NAMESPACE, {
    transports: ['websocket'],
    auth: { token: await app.token('developer') },
    forceNew: true,
  });
  await new Promise<void>(resolve => live.once('connect', resolve));
  const updates: string[] = [];
  live.on('execution', update => updates.push(update.action));
  await worker.offers.next();
  expect(await command('pause')).toMatchObject({ status: 200, body: [{ id, action: 'pause' }] });
  expect(await worker.controls.next()).toEqual({ id, cmd: 'pause', cmd_seq: 1 });
  expect((await developer('GET', `/joint-api/skript-execution/list?action=pause`)).body.items).toMatchObject([{ id }]);
  expect(await command('resume')).toMatchObject({ status: 200, body: [{ id, action: 'start' }] });
  expect(await worker.controls.next()).toEqual({ id, cmd: 'resume', cmd_seq: 2 });
  await worker.finish(id);
  await until(
    () => updates,
    seen => seen.includes('end'),
  );
  live.close();
  expect(updates.slice(-3)).toEqual(['pause', 'start', 'end']);
});

it('says a run is paused only once it is, and asks again until then', async () => {
  worker = await TestWorker.connect(app, fleet.key);
  worker.answerToControls = () => ({ action: 'stop' });
  const { id } = await start();
  await worker.offers.next();
  expect((await command('pause')).body).toMatchObject([{ id, action: 'start' }]);
  await worker.controls.next();
  worker.answerToControls = () => ({ action: 'pause' });
  expect(await worker.controls.next()).toEqual({ id, cmd: 'pause', cmd_seq: 1 });
  await until(
    () => execution(id),
    seen => seen.action === 'pause',
  );
});

it('does not begin a run that is paused while it waits for its worker, until it is resumed', async () => {
  const { id } = await start();
  expect((await command('pause')).body).toMatchObject([{ id, action: 'pause' }]);
  worker = await TestWorker.connect(app, fleet.key);
  const other = await start({ input: 'another' });
  expect((await worker.offers.next()).id).toBe(other.id);
  expect(worker.offers.all).toHaveLength(1);
  expect((await command('resume', `execution_id=${id}`)).body).toMatchObject([{ id, action: 'start' }]);
  expect((await worker.offers.next()).id).toBe(id);
});

it('keeps a run paused through a restart of the backend', async () => {
  worker = await TestWorker.connect(app, fleet.key);
  const { id } = await start();
  await worker.offers.next();
  await command('pause');
  await app.stop();
  await app.start();
  developer = await app.as('developer');
  worker = await TestWorker.connect(app, fleet.key, { boot_id: worker.bootId, live: [id] });
  expect(worker.welcome).toMatchObject({ kill: [], controls: [{ id, cmd: 'pause', cmd_seq: 1 }] });
  expect((await execution(id)).action).toBe('pause');
  expect((await command('resume')).body).toMatchObject([{ id, action: 'start' }]);
});

it('stops a run that is paused; nothing is paused or resumed after a stop', async () => {
  worker = await TestWorker.connect(app, fleet.key);
  const { id } = await start();
  await worker.offers.next();
  await command('pause');
  await command('stop');
  // A command is sent again when its answer takes long.
  expect([...new Set(worker.controls.all.map(({ cmd }) => cmd))]).toEqual(['pause', 'stop']);
  for (const cmd of ['pause', 'resume'] as const) expect((await command(cmd)).body.error_code).toBe('no_live_run');
  await worker.finish(id, { action: 'stop', output: null });
  expect((await execution(id)).action).toBe('stop');
});

it('ends a paused run that waits, at once', async () => {
  const { id } = await start();
  await command('pause');
  expect((await command('stop')).body).toMatchObject([{ id, action: 'stop' }]);
});

it('holds back another start of the same run while it is paused', async () => {
  const { id } = await start();
  await command('pause');
  expect(await start()).toMatchObject({ error_code: 'already_running', details: { execution_id: id } });
});

it('says why a worker cannot pause, and lets the run go on', async () => {
  worker = await TestWorker.connect(app, fleet.key);
  worker.answerToControls = () => ({ action: 'start', refused: 'This system has no /proc.' });
  const { id } = await start();
  await worker.offers.next();
  expect(await command('pause')).toMatchObject({
    status: 422,
    body: { error_code: 'pause_not_available', error_message: expect.stringContaining('no /proc') },
  });
  expect((await execution(id)).action).toBe('start');
  await worker.finish(id);
  expect((await execution(id)).action).toBe('end');
});

it('ends a paused run when its finish was already on its way', async () => {
  worker = await TestWorker.connect(app, fleet.key);
  const { id } = await start();
  await worker.offers.next();
  await command('pause');
  await worker.finish(id);
  expect(await execution(id)).toMatchObject({ action: 'end', output: { done: true } });
});

it('of somebody else’s run is not there', async () => {
  const { id } = await start();
  const admin = await app.as('admin');
  expect((await admin('GET', `${ROUTES}/pause?execution_id=${id}`)).status).toBe(404);
  expect((await execution(id)).action).toBe('start');
});

it('a run that waits for its storage says so, and no longer when it goes on', async () => {
  worker = await TestWorker.connect(app, fleet.key);
  const { id } = await start();
  await worker.offers.next();
  const { epoch } = worker.welcome;
  const say = (seq: number, waiting_for: string | null) => worker?.send('state', { epoch, id, seq, waiting_for });
  expect(await say(1, 'storage_down')).toEqual({ seq: 1 });
  const { waiting_for } = await execution(id);
  expect(waiting_for).toEqual({ reason: 'storage_down', since: expect.any(String) });
  await say(1, 'storage_down');
  expect((await execution(id)).waiting_for).toEqual(waiting_for);
  await say(2, null);
  expect(await execution(id)).toMatchObject({ action: 'start', waiting_for: null });
  expect(await say(3, 'worker_full')).toMatchObject({ error: { code: 'invalid_frame' } });
});
