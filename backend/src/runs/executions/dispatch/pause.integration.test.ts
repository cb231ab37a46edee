import { isDeepStrictEqual } from 'node:util';
import { type Control, LIVE_NAMESPACE } from '@trawl/contracts';
import { io } from 'socket.io-client';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, type TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { ExecutionEvents } from '../records/execution-events.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

const ROUTES = '/joint-api/execute-skript/single-worker';

const start = async (body?: object) => (await fleet.start(body)).body;
const command = (cmd: 'pause' | 'resume' | 'stop', query = `skript_id=${fleet.skriptId}`) =>
  developer('GET', `${ROUTES}/${cmd}?${query}`);
const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;
/** Waits for a command. The backend may send one again before it has seen the acknowledgement. */
const isSent = (worker: TestWorker, command: Control) =>
  until(
    () => worker.controls.all.at(-1),
    last => isDeepStrictEqual(last, command),
  );

it('a run is paused and resumed when its worker acknowledges the command, and viewers see each change', async () => {
  const worker = await fleet.connect();
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
  await isSent(worker, { id, cmd: 'pause', cmd_seq: 1 });
  expect((await developer('GET', `/joint-api/skript-execution/list?action=pause`)).body.items).toMatchObject([{ id }]);
  expect(await command('resume')).toMatchObject({ status: 200, body: [{ id, action: 'start' }] });
  await isSent(worker, { id, cmd: 'resume', cmd_seq: 2 });
  await worker.finish(id);
  await until(
    () => updates,
    seen => seen.includes('end'),
  );
  live.close();
  expect(updates.slice(-3)).toEqual(['pause', 'start', 'end']);
});

it('a run is shown as paused only after its worker confirms it, and the backend repeats the command until then', async () => {
  const worker = await fleet.connect();
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

it('a paused run that waits for a worker is not offered until it is resumed', async () => {
  const { id } = await start();
  expect((await command('pause')).body).toMatchObject([{ id, action: 'pause' }]);
  const worker = await fleet.connect();
  const other = await start({ input: 'another' });
  expect((await worker.offers.next()).id).toBe(other.id);
  expect(worker.offers.all).toHaveLength(1);
  expect((await command('resume', `execution_id=${id}`)).body).toMatchObject([{ id, action: 'start' }]);
  expect((await worker.offers.next()).id).toBe(id);
});

it('a paused run stays paused when the backend restarts', async () => {
  let worker = await fleet.connect();
  const { id } = await start();
  await worker.offers.next();
  await command('pause');
  await app.stop();
  await app.start();
  worker = await fleet.connect({ boot_id: worker.bootId, live: [id] });
  expect(worker.welcome).toMatchObject({ kill: [], controls: [{ id, cmd: 'pause', cmd_seq: 1 }] });
  expect((await execution(id)).action).toBe('pause');
  expect((await command('resume')).body).toMatchObject([{ id, action: 'start' }]);
});

it('a paused run can be stopped; after the stop, pause and resume are refused', async () => {
  const worker = await fleet.connect();
  const { id } = await start();
  await worker.offers.next();
  await command('pause');
  await command('stop');
  // The set removes repeated commands: a command is sent again if the answer takes long.
  expect([...new Set(worker.controls.all.map(({ cmd }) => cmd))]).toEqual(['pause', 'stop']);
  for (const cmd of ['pause', 'resume'] as const) expect((await command(cmd)).body.error_code).toBe('no_live_run');
  await worker.finish(id, { action: 'stop', output: null });
  expect((await execution(id)).action).toBe('stop');
});

it('a paused run that waits for a worker ends at once when it is stopped', async () => {
  const { id } = await start();
  await command('pause');
  expect((await command('stop')).body).toMatchObject([{ id, action: 'stop' }]);
});

it('a start is refused while the same run is paused', async () => {
  const { id } = await start();
  await command('pause');
  expect(await start()).toMatchObject({ error_code: 'already_running', details: { execution_id: id } });
});

it('a pause that the worker cannot do is refused with the reason, and the run continues', async () => {
  const worker = await fleet.connect();
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

it('a paused run ends normally if its worker sends its finish', async () => {
  const worker = await fleet.connect();
  const { id } = await start();
  await worker.offers.next();
  await command('pause');
  await worker.finish(id);
  expect(await execution(id)).toMatchObject({ action: 'end', output: { done: true } });
});

it('a pause of another user’s run answers 404', async () => {
  const { id } = await start();
  const admin = await app.as('admin');
  expect((await admin('GET', `${ROUTES}/pause?execution_id=${id}`)).status).toBe(404);
  expect((await execution(id)).action).toBe('start');
});

it('a run that waits for its libraries on the worker shows its place in the queue and since when it waits', async () => {
  const worker = await fleet.connect();
  const { id } = await start();
  await worker.offers.next();
  const { epoch } = worker.welcome;
  const changes = app.part(ExecutionEvents).changes;
  const told: unknown[] = [];
  const subscription = changes.subscribe(change => change.id === id && told.push(change.waiting_for));
  const say = (seq: number, waiting_for: string | null, queue?: object) =>
    worker.send('state', { epoch, id, seq, waiting_for, queue });
  await say(1, 'libraries_installing', { place: 3, of: 5 });
  const { waiting_for } = await execution(id);
  expect(waiting_for).toEqual({ reason: 'libraries_installing', since: expect.any(String), place: 3, of: 5 });
  await say(2, 'libraries_installing', { place: 2, of: 5 });
  expect((await execution(id)).waiting_for).toEqual({ ...waiting_for, place: 2 });
  await say(3, 'libraries_installing');
  const { reason, since } = waiting_for;
  expect((await execution(id)).waiting_for).toEqual({ reason, since });
  expect(told).toEqual([waiting_for, { ...waiting_for, place: 2 }, { reason, since }]);
  await say(4, 'storage_down');
  expect((await execution(id)).waiting_for.reason).toBe('storage_down');
  expect(await say(5, 'libraries_installing', { place: 0, of: 1 })).toMatchObject({ error: { code: 'invalid_frame' } });
  subscription.unsubscribe();
});

it('a run shows that it waits for storage until its worker reports that it continues', async () => {
  const worker = await fleet.connect();
  const { id } = await start();
  await worker.offers.next();
  const { epoch } = worker.welcome;
  const say = (seq: number, waiting_for: string | null) => worker.send('state', { epoch, id, seq, waiting_for });
  expect(await say(1, 'storage_down')).toEqual({ seq: 1 });
  const { waiting_for } = await execution(id);
  expect(waiting_for).toEqual({ reason: 'storage_down', since: expect.any(String) });
  await say(1, 'storage_down');
  expect((await execution(id)).waiting_for).toEqual(waiting_for);
  await say(2, null);
  expect(await execution(id)).toMatchObject({ action: 'start', waiting_for: null });
  expect(await say(3, 'worker_full')).toMatchObject({ error: { code: 'invalid_frame' } });
});
