import { pino } from 'pino';
import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { makeWorkerAndSkript, TestWorker } from '../../test/test-worker.js';
import { until } from '../../test/until.js';
import { Way } from '../../test/way.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { DispatcherService } from '../executions/dispatcher.service.js';
import { SchedulerService } from '../scheduler/scheduler.service.js';

jest.setTimeout(60_000);

const WARN = 40;

let app: TestApp;
let developer: Api;
let way: Way;
let worker: TestWorker;
let skriptId: string;
const lines: { level: number; msg: string; err?: unknown; req?: unknown }[] = [];

beforeAll(async () => {
  const logger = pino({ level: 'info' }, { write: line => void lines.push(JSON.parse(line)) });
  app = await startTestApp({ logger });
  let key: string;
  ({ skriptId, key } = await makeWorkerAndSkript(app, 'outage'));
  developer = await app.as('developer');
  const direct = app.config.postgresUrl;
  way = await Way.to(new URL(direct));
  await app.stop();
  app.config.postgresUrl = way.url;
  await app.start();
  worker = await TestWorker.connect(app, key);
});
afterAll(async () => {
  worker?.close();
  await way?.close();
  await way?.open();
  await app?.close();
  await way?.close();
});
beforeEach(() => {
  lines.length = 0;
});

const input = (name: string) => ({ skript_id: skriptId, name: `input${name}.json`, val: 1 });
const isThere = () => developer('GET', '/joint-api/account');

it('calls that PostgreSQL leaves in their middle are told to come again, each with one line and no stack', async () => {
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
  await way.close();
  const answers = await Promise.all(calls);
  await app.sql('ROLLBACK');
  await way.open();
  expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(
    calls.map(() => [503, 'service_unavailable']),
  );
  const told = lines.filter(({ req }) => req);
  expect(told).toHaveLength(calls.length);
  expect(told.filter(({ level, err }) => level !== WARN || err !== undefined)).toEqual([]);
});

it('what is tried again every second has one line of an outage, and one when it is over', async () => {
  const [dispatcher, scheduler] = [app.part(DispatcherService), app.part(SchedulerService)];
  const ofOutage = (word: string) => lines.filter(({ msg }) => msg.includes(word)).map(({ level }) => level);
  await until(isThere, ({ status }) => status === 200);
  await scheduler.tick();
  await dispatcher.dispatchAll();
  lines.length = 0;
  await way.close();
  for (let times = 0; times < 3; times++) {
    await scheduler.tick();
    await dispatcher.dispatchAll();
  }
  expect(ofOutage('dispatch failed')).toEqual([WARN]);
  expect(ofOutage('firing what is due failed')).toEqual([WARN]);
  await way.open();
  await until(isThere, ({ status }) => status === 200);
  await scheduler.tick();
  expect(ofOutage('can be reached again').length).toBeGreaterThan(0);
});

it('the audit log keeps what happened until it can be written, once', async () => {
  const log = app.part(AuditLog);
  await log.written();
  await way.close();
  const happening = {
    user_id: null,
    username: null,
    key_id: null,
    key_name: null,
    action: 'madeInAnOutage',
    target_kind: null,
    target_id: null,
    fields: [],
    status: 200,
    ip: '127.0.0.1',
  };
  log.note(happening);
  log.note(happening);
  await until(
    () => lines.some(({ msg }) => msg.includes('the audit log cannot be written')),
    told => told,
  );
  await way.open();
  await log.written();
  expect(await app.sql(`SELECT 1 FROM audit_log WHERE action = 'madeInAnOutage'`)).toHaveLength(2);
});
