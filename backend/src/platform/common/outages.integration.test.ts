import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { mayMount, mountDisk, unmountDisk } from '../../../test/servers/test-disk.js';
import { TcpProxy } from '../../../test/tcp-proxy.js';
import { type Api, startTestApp, type TestApp } from '../../../test/test-app.js';
import { makeWorkerAndSkript, TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { MetricsServer } from '../../operation/metrics/metrics-server.service.js';
import { DispatchOutageLog } from '../../runs/executions/dispatch/dispatch-outage-log.service.js';
import { ReconciliationService } from '../../runs/executions/dispatch/reconciliation.service.js';
import { SchedulerService } from '../../runs/scheduler/scheduler.service.js';
import { AuditLog } from '../audit/audit-log.service.js';

const WARN = 40;

let app: TestApp;
let developer: Api;
let proxy: TcpProxy;
let mongo: TcpProxy;
let worker: TestWorker;
let skriptId: string;
const lines: { level: number; msg: string; err?: unknown; req?: unknown }[] = [];

beforeAll(async () => {
  const logger = pino({ level: 'info' }, { write: line => void lines.push(JSON.parse(line)) });
  app = await startTestApp({
    logger,
    settings: { metrics: { port: 0, host: '127.0.0.1' }, leaseMs: 300_000, postgresSilenceMs: 10_000 },
  });
  let key: string;
  ({ skriptId, key } = await makeWorkerAndSkript(app, 'outage'));
  developer = await app.as('developer');
  const direct = app.config.postgresUrl;
  proxy = await TcpProxy.start(new URL(direct));
  mongo = await TcpProxy.start(new URL(app.config.mongodbUri));
  await app.stop();
  app.config.postgresUrl = proxy.url;
  app.config.mongodbUri = mongo.url;
  await app.start();
  worker = await TestWorker.connect(app, key);
});
afterAll(async () => {
  worker?.close();
  await proxy?.close();
  await proxy?.open();
  await app?.close();
  await proxy?.close();
  await mongo?.close();
});
beforeEach(() => {
  lines.length = 0;
});

const input = (name: string) => ({ skript_id: skriptId, name: `input${name}.json`, val: 1 });
const isThere = () => developer('GET', '/joint-api/account');

it('calls that lose PostgreSQL in progress get 503, and each logs one line without a stack', async () => {
  await app.sql('BEGIN');
  await app.sql('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [skriptId]);
  const calls = [
    developer('PUT', `/joint-api/skripts/${skriptId}`, { category: 'left' }),
    developer('DELETE', `/joint-api/skripts/${skriptId}`),
    developer('POST', '/joint-api/inputs/addnew', input('Left')),
  ];
  await until(
    () => app.sql<{ n: number }>(`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`),
    ([row]) => (row?.n ?? 0) >= calls.length,
  );
  await proxy.close();
  const answers = await Promise.all(calls);
  await app.sql('ROLLBACK');
  await proxy.open();
  expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(
    calls.map(() => [503, 'service_unavailable']),
  );
  const told = lines.filter(({ req }) => req);
  expect(told).toHaveLength(calls.length);
  expect(told.filter(({ level, err }) => level !== WARN || err !== undefined)).toEqual([]);
});

it('periodic work logs an outage once when it begins and once when it ends', async () => {
  const [reconciliation, scheduler] = [app.part(ReconciliationService), app.part(SchedulerService)];
  const ofOutage = (word: string) => lines.filter(({ msg }) => msg.includes(word)).map(({ level }) => level);
  await until(isThere, ({ status }) => status === 200);
  await scheduler.tick();
  // Does nothing for a worker whose reconciliation is in progress, so it may take several calls until one has succeeded.
  const succeeded = jest.spyOn(app.part(DispatchOutageLog), 'success');
  await until(
    () => reconciliation.reconcileAll(),
    () => succeeded.mock.calls.length > 0,
  );
  lines.length = 0;
  await proxy.close();
  await until(
    () => reconciliation.reconcileAll(),
    () => ofOutage('dispatch failed').length > 0,
  );
  for (let times = 0; times < 3; times++) {
    await scheduler.tick();
    await reconciliation.reconcileAll();
  }
  expect(ofOutage('dispatch failed')).toEqual([WARN]);
  expect(ofOutage('firing due schedules failed')).toEqual([WARN]);
  await proxy.open();
  await until(isThere, ({ status }) => status === 200);
  await scheduler.tick();
  expect(ofOutage('PostgreSQL available again').length).toBeGreaterThan(0);
});

it('the audit log keeps its events during an outage of PostgreSQL, and writes each once', async () => {
  const log = app.part(AuditLog);
  await log.flush();
  await proxy.close();
  const event = {
    user_id: null,
    username: null,
    key_id: null,
    key_name: null,
    action: 'madeInAnOutage',
    target_kind: null,
    target_id: null,
    target_name: null,
    fields: [],
    status: 200,
    ip: '127.0.0.1',
  };
  log.record(event);
  log.record(event);
  await until(
    () => lines.some(({ msg }) => msg.includes('failed to write the audit log')),
    told => told,
  );
  await proxy.open();
  await log.flush();
  expect(await app.sql(`SELECT 1 FROM audit_log WHERE action = 'madeInAnOutage'`)).toHaveLength(2);
});

it('the backend stays ready without MongoDB, and /health/ready says that MongoDB is down', async () => {
  const health = () => app.anonymous('GET', '/health/ready');
  await until(health, ({ status, body }) => status === 200 && body.info.mongodb?.status === 'up');
  await mongo.close();
  const { status, body } = await until(health, ({ body }) => body.details.mongodb.status === 'down');
  expect([status, body.status, body.error]).toEqual([200, 'ok', { mongodb: { status: 'down' } }]);
  await mongo.open();
  await until(health, ({ body }) => body.details.mongodb.status === 'up');
});

it('the backend serves its metrics without PostgreSQL', async () => {
  const metrics = async () => (await fetch(`http://127.0.0.1:${app.part(MetricsServer).port}/metrics`)).text();
  expect(await metrics()).toMatch(/^trawl_worker_slots \d/m);
  await proxy.close();
  const text = await metrics();
  await proxy.open();
  expect(text).toContain('trawl_postgres_up 0');
  expect(text).not.toMatch(/^trawl_worker_slots \d/m);
  await until(isThere, ({ status }) => status === 200);
});

it('while PostgreSQL does not answer, the backend is alive but not ready, and answers waiting calls later', async () => {
  const statusOf = async (path: string) => (await app.anonymous('GET', path)).status;
  await until(isThere, ({ status }) => status === 200);
  proxy.pause();
  const call = isThere();
  expect(await statusOf('/health/ready')).toBe(503);
  expect(await statusOf('/health/live')).toBe(200);
  proxy.resume();
  expect((await call).status).toBe(200);
  await until(
    () => statusOf('/health/ready'),
    status => status === 200,
  );
});

it('a call whose PostgreSQL connection broke silently gets 503, and later calls get a new connection', async () => {
  await until(isThere, ({ status }) => status === 200);
  await app.sql('BEGIN');
  await app.sql('SELECT 1 FROM skripts WHERE id = $1 FOR UPDATE', [skriptId]);
  const call = developer('PUT', `/joint-api/skripts/${skriptId}`, { category: 'lost' });
  await until(
    () => app.sql<{ n: number }>(`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`),
    ([row]) => (row?.n ?? 0) > 0,
  );
  proxy.stall();
  await app.sql('ROLLBACK');
  expect(await call).toMatchObject({ status: 503, body: { error_code: 'service_unavailable' } });
  await until(isThere, ({ status }) => status === 200);
});

it('a call whose MongoDB connection broke silently is answered over a new connection', async () => {
  const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
  const call = () => developer('GET', `/joint-api/mongo-collections/${database.id}/list`);
  await until(call, ({ status }) => status === 200);
  mongo.stall();
  expect((await call()).status).toBe(200);
});

const onFullDisk = mayMount() ? it : it.skip;

onFullDisk(
  'on a full disk of PostgreSQL, calls get 503 and workers keep their echoes, until there is space',
  async () => {
    const disk = mkdtempSync(join(tmpdir(), 'trawl-full-postgres-'));
    expect(mountDisk(disk, 'size=1m')).toBe(true);
    const [server] = await app.sql<{ folder: string; month: string }>(
      `SELECT current_setting('data_directory') AS folder, to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM') AS month`,
    );
    const { uid, gid } = statSync(String(server?.folder));
    chownSync(disk, uid, gid);
    const tablespace = `trawl_test_disk_${process.pid}`;
    await app.sql(`CREATE TABLESPACE ${tablespace} LOCATION '${disk}'`);
    const move = async (where: string) => {
      for (const table of ['inputs', `echo_chunks_${server?.month}`])
        await app.sql(`ALTER TABLE ${table} SET TABLESPACE ${where}`);
    };
    const add = (n: number) =>
      developer('POST', '/joint-api/inputs/addnew', {
        ...input(`Large${n}`),
        val: randomBytes(30_000).toString('base64'),
      });
    try {
      await until(isThere, ({ status }) => status === 200);
      const start = { skript_id: skriptId, worker_id: 'any' };
      const { id } = (await developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', start)).body;
      await worker.offers.next();
      await move(tablespace);
      let added = await add(0);
      for (let n = 1; added.status === 201 && n < 100; n += 1) added = await add(n);
      expect(added).toMatchObject({ status: 503, body: { error_code: 'service_unavailable' } });
      const lines = [randomBytes(300_000).toString('base64')];
      expect(await worker.chunk(id, 1, 1, lines)).toMatchObject({ error: { code: 'unavailable' } });
      expect(mountDisk(disk, 'remount,size=64m')).toBe(true);
      expect(await worker.chunk(id, 1, 1, lines)).toEqual({ n: 1 });
      expect((await add(100)).status).toBe(201);
      expect((await developer('GET', `/joint-api/echoes/${id}/list`)).body.items).toMatchObject([{ msg: lines[0] }]);
    } finally {
      await move('pg_default');
      await app.sql(`DROP TABLESPACE ${tablespace}`);
      unmountDisk(disk);
      rmSync(disk, { recursive: true });
    }
  },
);
