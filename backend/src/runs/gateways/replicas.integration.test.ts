import { once } from 'node:events';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SchedulerRegistry } from '@nestjs/schedule';
import { type ExecutionUpdate, LIVE_NAMESPACE } from '@trawl/contracts';
import { RedisServer } from '@trawl/embedded/debian-server';
import { pino } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { freePort } from '../../../test/servers/free-port.js';
import { type Api, startTestApp, type TestApp } from '../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { createApp } from '../../app.js';
import { Readiness } from '../../operation/health/readiness.service.js';
import { Backends } from '../../platform/database/backends.service.js';
import { RedisService } from '../../platform/redis/redis.service.js';
import { LeasesRepository } from '../executions/leases/leases.repository.js';

const START = '/joint-api/execute-skript/single-worker/start';

/** Has the worker's connection. Neither backend looks at the database by a timer, so only notices make progress. */
let redis: RedisServer;
let first: TestApp;
let second: NestExpressApplication;
let fleet: TestFleet;
let worker: TestWorker;
let viewer: Socket;
let updates: ExecutionUpdate[];
/** Calls the second backend. */
let elsewhere: Api;

beforeAll(async () => {
  redis = new RedisServer(await freePort());
  await redis.start();
  first = await startTestApp({ settings: { redisUrl: redis.url, trustedProxies: ['127.0.0.1', '::1'] } });
  fleet = await makeWorkerAndSkript(first, 'replicas');
  second = await createApp(first.config, pino({ level: 'silent' }));
  await second.listen(0, '127.0.0.1');
  const url = await second.getUrl();
  const token = await first.token('developer');
  elsewhere = async (method, path, body, headers) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  await first.part(Backends).beat();
  for (const registry of [first.part(SchedulerRegistry), second.get(SchedulerRegistry, { strict: false })]) {
    for (const name of registry.getIntervals()) registry.deleteInterval(name);
  }
  viewer = io(url + LIVE_NAMESPACE, { transports: ['websocket'], auth: { token }, forceNew: true });
  viewer.on('execution', update => updates.push(update));
  await once(viewer as never, 'connect');
});
beforeEach(async () => {
  updates = [];
  worker = await TestWorker.connect(first, fleet.key);
});
afterEach(async () => {
  worker.socket.disconnect();
  await first.sql('TRUNCATE live_runs, executions');
});
afterAll(async () => {
  viewer?.disconnect();
  await second?.close();
  await first?.close();
  await redis?.stop();
});

const start = (query = '', input: unknown = {}) =>
  elsewhere('POST', `${START}?force=true${query}`, { worker_id: fleet.workerId, skript_id: fleet.skriptId, input });

it('a run on another backend’s worker can be started, paused, resumed and awaited without polling', async () => {
  const answer = start();
  const { id } = await worker.offers.next();
  await until(
    () => updates.map(({ action, waiting_for }) => [action, waiting_for]),
    seen => seen.length > 0,
  );
  expect(updates[0]).toMatchObject({ id, action: 'start', waiting_for: null });

  const paused = await elsewhere('POST', `/joint-api/skript-execution/${id}/pause`);
  expect([paused.status, paused.body[0].action]).toEqual([200, 'pause']);
  worker.answerToControls = ({ cmd }) =>
    cmd === 'resume' ? { action: 'start' } : { action: 'start', refused: 'it has no freezer.' };
  expect((await elsewhere('POST', `/joint-api/skript-execution/${id}/resume`)).body[0].action).toBe('start');
  const refusal = await elsewhere('POST', `/joint-api/skript-execution/${id}/pause`);
  expect(refusal.body).toMatchObject({
    error_code: 'pause_not_available',
    error_message: 'The worker cannot pause this run: it has no freezer. The run continues.',
  });

  await worker.finish(id);
  expect(await answer).toMatchObject({ status: 200, body: { id, action: 'end', output: { done: true } } });
  await until(
    () => updates,
    seen => seen.some(({ action }) => action === 'end'),
  );
  expect(updates.map(({ action }) => action).filter((action, n, all) => action !== all[n - 1])).toEqual([
    'start',
    'pause',
    'start',
    'end',
  ]);
});

it('an answer has the same fields from the worker’s backend, from another one and by id', async () => {
  const call = await first.as('developer');
  const input = { worker_id: fleet.workerId, skript_id: fleet.skriptId, input: {} };
  const fields: string[][] = [];
  for (const api of [call, elsewhere]) {
    const answer = api('POST', `${START}?force=true`, input);
    const { id } = await worker.offers.next();
    await worker.finish(id);
    const { body: started } = await answer;
    const { body: read } = await api('GET', `/joint-api/skript-execution/${id}`);
    fields.push(Object.keys(started).sort(), Object.keys(read).sort());
  }
  expect(fields).toEqual(Array(4).fill(fields[3]));
});

it('a run is offered and awaited although its notifications came while both backends did not listen', async () => {
  await first.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trawl-backend-listener' AND datname = current_database()`,
  );
  const answer = start();
  const { id } = await worker.offers.next();
  await worker.finish(id);
  expect((await answer).body).toMatchObject({ id, action: 'end' });
});

it('an answer to a question reaches another backend’s worker, whose refusal is returned', async () => {
  await start('&wait_ms=0');
  const { id } = await worker.offers.next();
  const answer = () => elsewhere('POST', `/joint-api/skript-execution/${id}/answers`, { seq: 3, answer: 'the last' });
  expect(await answer()).toMatchObject({ status: 200, body: { delivered: true } });
  expect(await worker.answers.next()).toMatchObject({ id, seq: 3, answer: 'the last' });
  worker.answerToAnswers = 'not_a_choice';
  expect(await answer()).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } });
});

it('a run that another backend started and that waited for a slot is offered once a slot is free', async () => {
  const running = [];
  for (const _slot of [1, 2]) {
    await start('&wait_ms=0');
    running.push((await worker.offers.next()).id);
  }
  const { body } = await start('&wait_ms=0');
  expect(body.waiting_for.reason).toBe('worker_full');
  await worker.finish(String(running[0]));
  expect((await worker.offers.next()).id).toBe(body.id);
});

it('a stop that one backend receives reaches the worker that is connected to another', async () => {
  await start('&wait_ms=0');
  const { id } = await worker.offers.next();
  expect((await elsewhere('POST', `/joint-api/skript-execution/${id}/stop`)).status).toBe(200);
  expect(await worker.controls.next()).toMatchObject({ id, cmd: 'stop' });
});

const watch = (id: string, on: boolean) => viewer.emitWithAck('watch', { execution_id: id, on });
const health = async () => (await elsewhere('GET', '/health/ready')).body;

it('live and unsaved echoes of another backend’s worker are shown', async () => {
  await start('&wait_ms=0');
  const { id } = await worker.offers.next();
  const batches: unknown[] = [];
  viewer.on('echoes', batch => batches.push(batch));
  expect(await watch(id, true)).toEqual({ ok: true });
  expect(await worker.watches.next()).toEqual({ id, on: true });
  const items = [{ seq: 1, time: '2026-02-15T09:30:00.000Z', type: 'log' as const, msg: 'net 1' }];
  const batch = { epoch: worker.welcome.epoch, id, from_seq: 1, items };
  worker.socket.emit('echo_live', batch);
  await until(
    () => batches,
    seen => seen.length > 0,
  );
  expect(batches).toEqual([{ execution_id: id, from_seq: 1, items }]);

  worker.unsaved = items;
  const list = await elsewhere('GET', `/joint-api/echoes/${id}/list`);
  expect(list.body.items).toMatchObject([{ seq: 1, msg: 'net 1' }]);

  await watch(id, false);
  worker.socket.emit('echo_live', batch);
  expect(await worker.watches.next()).toEqual({ id, on: false });
});

it('failed logins and contact forms count towards one rate limit of all backends', async () => {
  const headers = { 'x-forwarded-for': '2001:db8:77::1' };
  const login = (api: Api) => api('POST', '/panel/login', { username: 'nobody', password: 'wrong wrong' }, headers);
  for (let n = 0; n < 10; n += 1) expect((await login(n % 2 ? elsewhere : first.anonymous)).status).toBe(401);
  expect((await login(elsewhere)).status).toBe(429);
  expect((await login(first.anonymous)).status).toBe(429);

  const form = (api: Api) => api('POST', '/www/contact', {}, headers);
  for (let n = 0; n < 20; n += 1) expect((await form(n % 2 ? elsewhere : first.anonymous)).status).toBe(400);
  expect((await form(elsewhere)).status).toBe(429);
});

it('without Redis, runs work and viewers get a reason instead of live echoes, until Redis is back', async () => {
  await redis.stop();
  await until(health, ({ details }) => details.redis.status === 'down');
  const answer = start();
  const { id } = await worker.offers.next();
  expect(await watch(id, true)).toMatchObject({ ok: false, error_message: expect.stringContaining('Redis') });
  await worker.finish(id);
  expect((await answer).body.action).toBe('end');
  expect((await first.anonymous('POST', '/panel/login', first.credentials('developer'))).status).toBe(200);

  await redis.start();
  await until(health, ({ status, details }) => status === 'ok' && details.redis.status === 'up');
  expect(await watch(id, true)).toEqual({ ok: true });
});

it('readiness shows Redis as down if it hangs on an open connection, and as up when it answers again', async () => {
  const check = () => [first.part(RedisService), second.get(RedisService, { strict: false })].map(part => part.check());
  redis.signal('SIGSTOP');
  try {
    await Promise.all(check());
    await until(health, ({ status, details }) => status === 'ok' && details.redis.status === 'down');
  } finally {
    redis.signal('SIGCONT');
  }
  await until(health, ({ details }) => details.redis.status === 'up');
  await Promise.all(check());
  expect((await health()).details.redis.status).toBe('up');
});

it('only one of several backends does the lease sweep at a time', async () => {
  const leases = [first.part(LeasesRepository), second.get(LeasesRepository, { strict: false })];
  await first.sql('TRUNCATE sweep_turns');
  const turns = await Promise.all([...leases, ...leases].map(repository => repository.takeTurn(true, 600_000)));
  expect(turns.filter(isTaken => isTaken)).toHaveLength(1);
});

it('a draining backend is not ready, and releases its workers’ leases when it closes', async () => {
  await TestWorker.connect({ ...first, url: await second.getUrl() }, fleet.key);
  const leases = () => first.sql<{ free: boolean }>('SELECT replica_id IS NULL AS free FROM worker_leases');
  expect(await leases()).toEqual([{ free: false }]);
  second.get(Readiness, { strict: false }).stop();
  expect((await elsewhere('GET', '/health/ready')).status).toBe(503);
  const live = await elsewhere('GET', '/health/live');
  expect([live.status, live.headers.get('connection')]).toEqual([200, 'close']);
  viewer.disconnect();
  await second.close();
  expect(await leases()).toEqual([{ free: true }]);
});
