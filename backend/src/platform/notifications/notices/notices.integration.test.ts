import { once } from 'node:events';
import { LIVE_NAMESPACE } from '@trawl/contracts';
import { io } from 'socket.io-client';
import { appForFile } from '../../../../test/test-app.js';
import { NoticesService } from './notices.service.js';

const { app, developer, admin } = appForFile();

let userId: string;
beforeAll(async () => {
  userId = (await developer('GET', '/joint-api/account')).body.id;
});

const record = (event: string, data: object) =>
  app.sql('SELECT record_events(ARRAY[$1::uuid], ARRAY[$2], ARRAY[$3::json])', [userId, event, JSON.stringify(data)]);
const notices = async () => (await developer('GET', '/joint-api/account/notices/list')).body;
const unread = async () => (await developer('GET', '/joint-api/account')).body.unread_notices;

it('an event makes an unread notice of its account, whatever its settings for e-mails and webhooks', async () => {
  await developer('PUT', '/joint-api/account/notifications', { email_events: [] });
  await record('schedule.missed', { schedule: { id: 'c1', name: 'Nightly' }, missed: 3 });
  await record('export.finished', { export: { id: 'x1', name: 'books.csv' }, state: 'failed' });
  await record('quota.warning', { quota: { name: 'storage_bytes', limit: 10, used: 8 }, percent: 80 });
  expect((await notices()).items).toMatchObject([
    { event: 'quota.warning', text: 'You used 80 % of your quota storage_bytes', subject: { kind: 'quota', id: null } },
    { event: 'export.finished', text: 'Your export “books.csv” failed', subject: { kind: 'export', id: 'x1' } },
    { text: 'Your schedule “Nightly” missed fires', subject: { kind: 'schedule', id: 'c1' }, read: false },
  ]);
  expect(await unread()).toBe(3);
  expect((await admin('GET', '/joint-api/account/notices/list')).body.total).toBe(0);
});

it('notices can be marked as read, and later ones are unread', async () => {
  const before = await unread();
  expect((await developer('POST', '/joint-api/account/notices/read')).body).toEqual({ read: before });
  expect(await unread()).toBe(0);
  await record('webhook.disabled', { webhook: { id: 'w1', name: 'chat' }, reason: 'It fails.' });
  expect(await unread()).toBe(1);
  expect((await notices()).items.map(({ read }: { read: boolean }) => read).slice(0, 2)).toEqual([false, true]);
});

it('single runs make no notices', async () => {
  const { total } = await notices();
  await record('run.failed', { execution_id: userId, skript: { name: 'Books' } });
  expect((await notices()).total).toBe(total);
});

it('a panel that is open hears of new notices', async () => {
  const { jwtToken } = (await app.anonymous('POST', '/panel/login', app.credentials('developer'))).body;
  const socket = io(app.url + LIVE_NAMESPACE, { transports: ['websocket'], auth: { token: jwtToken }, forceNew: true });
  try {
    await once(socket as never, 'connect');
    const told = once(socket as never, 'notices');
    await record('schedule.missed', { schedule: { id: 'c1', name: 'Nightly' }, missed: 1 });
    await told;
  } finally {
    socket.close();
  }
});

it('notices are deleted after 30 days, and an account keeps its newest 200', async () => {
  await app.sql(`UPDATE notices SET created_at = now() - interval '31 days' WHERE event = 'quota.warning'`);
  await app.sql(
    `INSERT INTO notices (owner_id, event, payload, created_at)
     SELECT $1, 'schedule.missed', '{}', now() - n * interval '1 hour' FROM generate_series(1, 300) n`,
    [userId],
  );
  await app.part(NoticesService).removeOld();
  const rows = await app.sql<any>('SELECT event, created_at FROM notices WHERE owner_id = $1 ORDER BY created_at', [
    userId,
  ]);
  expect(rows).toHaveLength(200);
  expect(rows.map(({ event }: any) => event)).not.toContain('quota.warning');
  expect(rows.at(-1).created_at.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
});
