import { once } from 'node:events';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SchedulerRegistry } from '@nestjs/schedule';
import { type ExecutionUpdate, LIVE_NAMESPACE } from '@trawl/contracts';
import { pino } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';
import { createApp } from '../app.js';
import { Backends } from '../database/backends.service.js';

const START = '/joint-api/execute-skript/single-worker/start';

/** Has the worker's connection. Neither backend looks at the database by a timer, so only notices make progress. */
let first: TestApp;
let second: NestExpressApplication;
let fleet: TestFleet;
let worker: TestWorker;
let viewer: Socket;
let updates: ExecutionUpdate[];
/** Calls the second backend. */
let elsewhere: Api;

beforeAll(async () => {
  first = await startTestApp();
  fleet = await makeWorkerAndSkript(first, 'replicas');
  second = await createApp(first.config, pino({ level: 'silent' }));
  await second.listen(0, '127.0.0.1');
  const url = await second.getUrl();
  const token = await first.token('developer');
  elsewhere = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
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
});

const start = (query = '', input: unknown = {}) =>
  elsewhere('POST', `${START}?force=true${query}`, { worker_id: fleet.workerId, skript_id: fleet.skriptId, input });

it('starts, pauses and resumes a run on a worker of another backend, and gets its end, without a timer', async () => {
  const answer = start();
  const { id } = await worker.offers.next();
  await until(
    () => updates.map(({ action, waiting_for }) => [action, waiting_for]),
    seen => seen.length > 0,
  );
  expect(updates[0]).toMatchObject({ id, action: 'start', waiting_for: null });

  const paused = await elsewhere('POST', `/joint-api/skript-execution/${id}/pause`);
  expect([paused.status, paused.body[0].action]).toEqual([200, 'pause']);
  worker.answerToControls = ({ cmd }) => (cmd === 'resume' ? { action: 'start' } : { action: 'start', refused: 'no.' });
  expect((await elsewhere('POST', `/joint-api/skript-execution/${id}/resume`)).body[0].action).toBe('start');
  expect((await elsewhere('POST', `/joint-api/skript-execution/${id}/pause`)).body.error_code).toBe(
    'pause_not_available',
  );

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

it('starts a run of another backend that waited until a slot was free', async () => {
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

it('sends a stop of another backend to the worker', async () => {
  await start('&wait_ms=0');
  const { id } = await worker.offers.next();
  expect((await elsewhere('POST', `/joint-api/skript-execution/${id}/stop`)).status).toBe(200);
  expect(await worker.controls.next()).toMatchObject({ id, cmd: 'stop' });
});
