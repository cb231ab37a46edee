import { randomUUID } from 'node:crypto';
import { serialize } from 'bson';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { AuditLog } from '../../../platform/audit/audit-log.service.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

const COOKIES = 'shop.example\tFALSE\t/\tTRUE\t0\ttoken\tvery-secret-token\nbank.example\tFALSE\t/\tTRUE\t0\ta\tb';
const body = (more: object = {}) => ({ name: 'shop', origins: ['https://shop.example'], content: COOKIES, ...more });
const importSession = async (more: object = {}) => developer('POST', '/joint-api/sessions/import', body(more));

beforeEach(() => app.sql('DELETE FROM site_sessions'));

it('an imported session is listed without its value, exported with it, and deleted', async () => {
  const { status, body: session } = await importSession({ user_agent: 'Mozilla/5.0' });
  expect([status, session]).toEqual([
    201,
    {
      id: expect.any(String),
      name: 'shop',
      origins: ['https://shop.example'],
      cookies: 1,
      bytes: expect.any(Number),
      user_agent: 'Mozilla/5.0',
      saved_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
      runs: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  const path = `/joint-api/sessions/${session.id}`;
  expect((await developer('GET', path)).body).toEqual(session);
  expect((await developer('GET', '/joint-api/sessions/list?name_contains=SHO')).body.items).toEqual([session]);
  expect((await developer('GET', '/joint-api/sessions/list?name_contains=x%25')).body.items).toEqual([]);
  const { body: exported } = await developer('GET', `${path}/export`);
  expect(exported.cookies).toMatchObject([{ name: 'token', value: 'very-secret-token', domain: 'shop.example' }]);
  expect((await importSession({ name: 'copy', content: JSON.stringify(exported) })).body.cookies).toBe(1);
  expect((await developer('DELETE', path)).body).toEqual({ deleted: { sessions: 1 } });
  expect((await developer('GET', path)).status).toBe(404);
  await app.part(AuditLog).flush();
  const entries = await app.sql<{ action: string; target_name: string }>(
    `SELECT action, target_name FROM audit_log WHERE target_id = $1 ORDER BY id`,
    [session.id],
  );
  expect(entries).toEqual(
    ['importSiteSession', 'exportSiteSession', 'deleteSiteSession'].map(action => ({ action, target_name: 'shop' })),
  );
  expect(JSON.stringify(await app.sql('SELECT * FROM audit_log'))).not.toContain('very-secret-token');
});

it('a session shows the live runs that use it, and which of them logs in', async () => {
  const worker = await fleet.connect();
  await importSession();
  await fleet.start({}, 'wait_ms=0&force=true');
  const { id, token } = await worker.offers.next();
  const op = {
    collection: 'shop',
    method: 'openSession',
    args: serialize({ version: null, holder: randomUUID() }),
    resend: false,
  };
  await worker.send('storage', { id, token, epoch: worker.welcome.epoch, op_id: 1, op });
  const [listed] = (await developer('GET', '/joint-api/sessions/list')).body.items;
  expect(listed).toMatchObject({
    last_used_at: expect.any(String),
    runs: [{ execution_id: id, skript_name: expect.any(String), logs_in: true }],
  });
  await worker.finish(id);
  expect((await developer('GET', `/joint-api/sessions/${listed.id}`)).body.runs).toEqual([]);
});

it('the nightly cleanup deletes sessions that have expired, or were not used for 90 days, unless a run has them', async () => {
  const worker = await fleet.connect();
  await fleet.start({}, 'wait_ms=0&force=true');
  const run = await worker.offers.next();
  const age = async (name: string, change: string) => {
    const { id } = (await importSession({ name })).body;
    await app.sql(`UPDATE site_sessions SET ${change} WHERE id = '${id}'`);
  };
  const long = (days: number) => `now() - interval '${days} days'`;
  await age('expired', `expires_at = now() - interval '1 s'`);
  await age('unused', `last_used_at = ${long(91)}, saved_at = ${long(200)}, created_at = ${long(200)}`);
  await age('never-used', `saved_at = ${long(91)}, created_at = ${long(91)}`);
  await age('of-a-run', `expires_at = now() - interval '1 s', runs = '{${run.id}}'`);
  await age('used', `last_used_at = ${long(89)}, saved_at = ${long(200)}, created_at = ${long(200)}`);
  const names = async () =>
    (await app.sql<{ name: string }>('SELECT name FROM site_sessions ORDER BY name')).map(({ name }) => name);
  await app.part(Cleanups).nightly();
  expect(await names()).toEqual(['of-a-run', 'used']);
  await worker.finish(run.id);
  await app.part(Cleanups).nightly();
  expect(await names()).toEqual(['used']);
});

it.each<[object, string, string]>([
  [{ name: '__proto__' }, 'name', 'of which the first is a letter or digit'],
  [{ origins: [] }, 'origins', 'at least one origin'],
  [{ origins: ['https://shop.example/a'] }, 'origins', 'origins such as'],
  [{ origins: ['https://[::'] }, 'origins', 'is no origin'],
  [{ content: '{' }, 'content', 'begins like JSON'],
  [{ origins: ['https://other.example'] }, 'content', 'it has cookies of shop.example, bank.example.'],
  [
    { content: JSON.stringify([{ name: 'x'.repeat(5_000), value: '', domain: 'shop.example' }]) },
    'content',
    'cookies.0.name',
  ],
])('refuses an import with %j, and names the field', async (more, field, message) => {
  const { status, body: refusal } = await importSession(more);
  expect([status, refusal.error_code, refusal.details[0].field]).toEqual([400, 'validation_failed', field]);
  expect(refusal.error_message).toContain(message);
  expect(await app.sql('SELECT id FROM site_sessions')).toEqual([]);
});

const json = (more: object) =>
  JSON.stringify([{ name: 'token', value: 'very-secret', domain: 'shop.example', path: '/', ...more }]);
const netscape = (path: string, name: string, value: string) =>
  `shop.example\tFALSE\t${path}\tTRUE\t0\t${name}\t${value}`;
const UNSENDABLE = 'expected no semicolon, no line break and no control character but tab.';

const NAMELESS = 'expected a name, or a value that is not empty and does not begin with __Host- or __Secure-.';

it.each<[string, string]>([
  [json({ value: 'very-secret\r\nX-More: 1' }), `at cookies.0.value, of the cookie "token": ${UNSENDABLE}`],
  [json({ value: 'very-secret\0' }), `at cookies.0.value, of the cookie "token": ${UNSENDABLE}`],
  [json({ value: 'very-secret; admin=1' }), `at cookies.0.value, of the cookie "token": ${UNSENDABLE}`],
  [json({ name: 'to\r\nken' }), `at cookies.0.name, of the cookie "to\\r\\nken": ${UNSENDABLE}`],
  [json({ name: 'to; b' }), `at cookies.0.name, of the cookie "to; b": ${UNSENDABLE}`],
  [json({ name: 'to=b' }), 'at cookies.0.name, of the cookie "to=b": expected no equals sign.'],
  [json({ name: '', value: '' }), `at cookies.0, of the cookie "": ${NAMELESS}`],
  [json({ name: '', value: '__host-very-secret' }), `at cookies.0, of the cookie "": ${NAMELESS}`],
  [json({ path: '/\r\n' }), `at cookies.0.path, of the cookie "token": ${UNSENDABLE}`],
  [json({ domain: 'a;b.shop.example' }), `at cookies.0.domain, of the cookie "token": ${UNSENDABLE}`],
  [netscape('/', 'token', 'very-secret\rX'), `at cookies.0.value, of the cookie "token": ${UNSENDABLE}`],
  [netscape('/', 'token', 'very-secret;'), `at cookies.0.value, of the cookie "token": ${UNSENDABLE}`],
  [netscape('/', 'to\x01ken', 'very-secret'), `at cookies.0.name, of the cookie "to\\u0001ken": ${UNSENDABLE}`],
  [netscape('/\x01', 'token', 'very-secret'), `at cookies.0.path, of the cookie "token": ${UNSENDABLE}`],
])('refuses the import of a cookie that no browser has, and names it: %j', async (content, message) => {
  const { status, body: refusal } = await importSession({ content });
  expect([status, refusal.error_code, refusal.details[0].field]).toEqual([400, 'validation_failed', 'content']);
  expect(refusal.error_message).toContain(message);
  expect(JSON.stringify(refusal)).not.toContain('very-secret');
  expect(await app.sql('SELECT id FROM site_sessions')).toEqual([]);
});

it.each([json({ name: '' }), netscape('/', '', 'very-secret')])(
  'imports and exports a cookie without a name: %j',
  async content => {
    const { status, body } = await importSession({ content });
    expect(status).toBe(201);
    const exported = await developer('GET', `/joint-api/sessions/${body.id}/export`);
    expect(exported.body.cookies).toMatchObject([{ name: '', value: 'very-secret', domain: 'shop.example' }]);
    const again = { name: 'again', content: JSON.stringify(exported.body) };
    expect(await importSession(again)).toMatchObject({ status: 201 });
  },
);

it('administrators do not reach sessions of other accounts', async () => {
  const { id } = (await importSession()).body;
  const admin = await app.as('admin');
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/export'],
    ['DELETE', ''],
  ] as const) {
    expect((await admin(method, `/joint-api/sessions/${id}${path}`)).status).toBe(404);
  }
  expect((await admin('GET', '/joint-api/sessions/list')).body.items).toEqual([]);
});
