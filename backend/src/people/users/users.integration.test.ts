import mongoose from 'mongoose';
import { Client } from 'pg';
import { type Answer, type Api, appForFile } from '../../../test/test-app.js';
import { newAddress } from '../../../test/test-forms.js';
import { mailsTo, tokenIn } from '../../../test/test-mails.js';
import { makeWorkerAndSkript } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { AuditLog } from '../../platform/audit/audit-log.service.js';
import { EndingsService } from '../../runs/executions/end/endings.service.js';
import { AccountExpiry } from './account-expiry.service.js';
import { UsersService } from './users.service.js';

const PASSWORD = 'nets & knots & depth';
const ADD = '/joint-api/users/addnew';
const START = '/joint-api/execute-skript/single-worker/start';

const { app, admin } = appForFile({ settings: { trustedProxies: ['127.0.0.1'] } });
let count = 0;

const login = (username: string, password = PASSWORD) =>
  app.anonymous('POST', '/panel/login', { username, password }, { 'x-forwarded-for': `203.0.113.${++count}` });

async function made(fields: object = {}): Promise<{ id: string; username: string; api: Api; token: string }> {
  const { status, body } = await admin('POST', ADD, { username: newAddress(), password: PASSWORD, ...fields });
  expect(status).toBe(201);
  const token = (await login(body.username)).body.jwtToken;
  return { ...body, api: app.bearer(token), token };
}
const change = (id: string, fields: object, as = admin) => as('PUT', `/joint-api/users/${id}`, fields);
/** Has expired accounts deleted until this one is gone, and returns what is left of it. */
const leftOf = (id: string) =>
  until(
    async () => {
      await app.sql('UPDATE users SET removal_tried_at = NULL WHERE id = $1', [id]);
      await app.part(AccountExpiry).sweep();
      return app.sql('SELECT id FROM users WHERE id = $1', [id]);
    },
    rows => rows.length === 0,
  );
const statusOf = async (api: Api) => (await api('GET', '/joint-api/account')).status;

describe('an account that an administrator creates', () => {
  it('is active at once with a password, and has a database', async () => {
    const { username, api } = await made({ role: 'admin', quotas: { skripts: 3 } });
    expect((await api('GET', '/joint-api/account')).body).toMatchObject({ username, role: 'admin' });
    expect((await api('GET', '/joint-api/mongo-databases/list')).body.items).toMatchObject([{ name: 'main' }]);
    const { items } = (await admin('GET', `/joint-api/users/list?name_contains=${username}&role=admin`)).body;
    expect(items).toMatchObject([{ username, disabled: false, activated: true, quotas: { skripts: 3 } }]);
    expect(JSON.stringify(items)).not.toContain('password');
  });

  it('gets a password link if it has no password', async () => {
    const username = newAddress();
    const { body } = await admin('POST', ADD, { username: username.toUpperCase().replace('.COM', '.com') });
    expect(body).toMatchObject({ username, role: 'developer', activated: false });
    const token = tokenIn((await mailsTo(app, username, 1))[0]);
    expect((await app.anonymous('POST', '/www/users/set-password', { token, password: PASSWORD })).status).toBe(200);
    expect((await login(username)).status).toBe(200);
    expect((await admin('GET', `/joint-api/users/${body.id}`)).body.activated).toBe(true);
  });

  it('can have every address that mail accepts, and sets and resets its password by mail', async () => {
    const address = `Ada+${count}@o-neill.shop.online`;
    const { status, body } = await admin('POST', ADD, { username: address });
    const username = address.toLowerCase();
    expect([status, body.username]).toEqual([201, username]);
    const setPassword = async (mails: number, password: string) => {
      const token = tokenIn((await mailsTo(app, username, mails)).at(-1));
      expect((await app.anonymous('POST', '/www/users/set-password', { token, password })).status).toBe(200);
    };
    await setPassword(1, PASSWORD);
    expect((await app.anonymous('POST', '/www/users/forgot-password', { email: address })).status).toBe(200);
    await setPassword(2, `${PASSWORD} again`);
    const api = app.bearer((await login(address, `${PASSWORD} again`)).body.jwtToken);
    expect((await api('GET', '/joint-api/account')).body).toMatchObject({ username, has_email: true });
    const path = `/joint-api/users/list?name_contains=${encodeURIComponent(username)}`;
    expect((await admin('GET', path)).body.items).toMatchObject([{ username }]);
    const fields = { username, password: `${PASSWORD} again` };
    expect((await api('POST', '/joint-api/account/delete', fields)).status).toBe(200);
  });

  it.each([
    7,
    'ada',
    'ada@localhost',
    'a b@example.com',
    '"a b"@example.com',
    'Ada <ada@example.com>',
    `${'a.'.repeat(130)}a@b.co`,
  ])('must have an address that mail accepts: not %p', async username => {
    const { status, body } = await admin('POST', ADD, { username });
    expect([status, body.error_message]).toEqual([400, expect.stringContaining('must be an e-mail address such as')]);
  });

  it('must have a user name that is unique', async () => {
    const { username } = await made();
    const again = await admin('POST', ADD, { username: username.toUpperCase(), password: PASSWORD });
    expect([again.status, again.body.error_code]).toEqual([409, 'name_taken']);
    expect((await admin('POST', ADD, { username: 'no address' })).status).toBe(400);
  });
});

describe('changing an account', () => {
  it('by disabling it ends its sessions and suspends its API keys', async () => {
    const { id, username, api } = await made();
    const { key } = (await api('POST', '/joint-api/keys/addnew', { name: 'key', scope: 'all' })).body;
    expect([await statusOf(api), await statusOf(app.bearer(key))]).toEqual([200, 200]);
    expect((await change(id, { disabled: true })).body).toMatchObject({ disabled: true });
    expect([await statusOf(api), await statusOf(app.bearer(key)), (await login(username)).status]).toEqual([
      401, 401, 401,
    ]);
    expect((await change(id, { disabled: false })).body).toMatchObject({ disabled: false });
    expect([await statusOf(api), await statusOf(app.bearer(key)), (await login(username)).status]).toEqual([
      401, 200, 200,
    ]);
  });

  it('to another role takes effect at once and ends the account’s sessions', async () => {
    const { id, username, api } = await made();
    expect(await statusOf(api)).toBe(200);
    await change(id, { role: 'admin' });
    expect(await statusOf(api)).toBe(401);
    const again = app.bearer((await login(username)).body.jwtToken);
    expect((await again('GET', '/joint-api/users/list')).status).toBe(200);
    await change(id, { role: 'developer' });
    expect((await again('GET', '/joint-api/users/list')).status).toBe(401);
  });

  it('keeps omitted fields, and removes a quota with null', async () => {
    const { id } = await made({ quotas: { skripts: 3, runs_at_once: 5 } });
    expect((await change(id, { quotas: { skripts: null } })).body.quotas).toEqual({ runs_at_once: 5 });
    expect((await change(id, { quotas: { colour: 1 } })).status).toBe(400);
    expect((await change(id, { quotas: 'many' })).status).toBe(400);
  });
});

describe('an account that expires', () => {
  it('works until its expiry date, and is deleted after it', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const { id, username, api } = await made({ expires_at });
    const { key } = (await api('POST', '/joint-api/keys/addnew', { name: 'key', scope: 'all' })).body;
    const tokens = [api, app.bearer(key)];
    expect((await api('GET', '/joint-api/account')).body.expires_at).toBe(expires_at);
    expect(await Promise.all(tokens.map(statusOf))).toEqual([200, 200]);
    // The sweep must not delete the account before the calls below.
    await app.sql(`UPDATE users SET removal_tried_at = now() + interval '1 hour', expires_at = now() WHERE id = $1`, [
      id,
    ]);
    await until(
      () => Promise.all(tokens.map(statusOf)),
      statuses => statuses.every(status => status === 401),
    );
    expect((await login(username)).status).toBe(401);
    await app.sql('UPDATE users SET removal_tried_at = NULL WHERE id = $1', [id]);
    expect(await leftOf(id)).toEqual([]);
  });

  it('must have an expiry date in the future, and cannot be an administrator’s', async () => {
    const future = '2999-01-01T00:00:00.000Z';
    const { id } = await made({ expires_at: future });
    const refused = [
      await change(id, { expires_at: new Date().toISOString() }),
      await change(id, { role: 'admin' }),
      await admin('POST', ADD, { username: newAddress(), role: 'admin', expires_at: future }),
    ];
    expect(refused.map(({ status, body }) => [status, body.details[0].field])).toEqual(
      Array(3).fill([400, 'expires_at']),
    );
    expect((await change(id, { expires_at: null })).body.expires_at).toBeNull();
  });
});

describe('administrators', () => {
  it('cannot disable, demote or delete themselves', async () => {
    const { id } = (await admin('GET', '/joint-api/account')).body;
    const tried = async () => [
      await change(id, { disabled: true }),
      await change(id, { role: 'developer' }),
      await admin('DELETE', `/joint-api/users/${id}`),
    ];
    const codesOf = (answers: Answer[]) => answers.map(({ status, body }) => [status, body.error_code]);
    await app.sql(`UPDATE users SET disabled_at = now() WHERE role = 'admin' AND id <> $1`, [id]);
    expect(codesOf(await tried())).toEqual(Array(3).fill([409, 'last_administrator']));
    await made({ role: 'admin' });
    const answers = await tried();
    expect(codesOf(answers)).toEqual(Array(3).fill([409, 'conflict']));
    expect(answers[0]?.body.error_message).toContain('your own account');
    expect((await change(id, { role: 'admin', disabled: false })).status).toBe(200);
  });

  it('cannot all be removed, even when two administrators demote each other at the same time', async () => {
    const others = [await made({ role: 'admin' }), await made({ role: 'admin' })] as const;
    await app.sql(`UPDATE users SET disabled_at = now() WHERE role = 'admin' AND id <> ALL($1::uuid[])`, [
      others.map(({ id }) => id),
    ]);
    const [one, two] = others;
    const statuses = await Promise.all([
      change(two.id, { role: 'developer' }, one.api).then(({ status }) => status),
      change(one.id, { role: 'developer' }, two.api).then(({ status }) => status),
    ]);
    const left = await app.sql(`SELECT 1 FROM users WHERE role = 'admin' AND disabled_at IS NULL`);
    await app.sql(`UPDATE users SET disabled_at = NULL WHERE username = 'admin'`);
    expect(left).toHaveLength(1);
    expect(statuses.filter(status => status === 200)).toHaveLength(1);
  });
});

describe('the last administrator who can sign in', () => {
  it('cannot be removed, even if another administrator has no password yet', async () => {
    const [last, asking] = [await made({ role: 'admin' }), await made({ role: 'admin' })];
    await admin('POST', ADD, { username: newAddress(), role: 'admin' });
    await app.sql(
      `UPDATE users SET disabled_at = now() WHERE role = 'admin' AND password_hash IS NOT NULL AND id <> $1`,
      [last.id],
    );
    const demoted = app.part(UsersService).update(asking.id, last.id, { role: 'developer' });
    await expect(demoted).rejects.toMatchObject({ code: 'last_administrator' });
    await app.sql(`UPDATE users SET disabled_at = NULL WHERE username = 'admin'`);
  });
});

describe('deleting an account', () => {
  it('removes all its data from every table and database', async () => {
    const { id, username, api } = await made();
    await api('POST', '/joint-api/keys/addnew', { name: 'key', scope: 'all' });
    const skript = (await api('POST', '/joint-api/skripts/addnew', { title: 'Everything' })).body;
    const part = { skript_id: skript.id };
    await api('POST', '/joint-api/skript-files/addnew', {
      ...part,
      name: 'main.js',
      content: 'module.exports = "the only one"',
    });
    await api('POST', '/joint-api/inputs/addnew', { ...part, name: 'input.json', val: 1 });
    const { hash } = (await api('POST', `/joint-api/skripts/${skript.id}/bundle`)).body;
    await app.sql(
      `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
       SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid, $1, $2, 'x', 'x', 'x', 'end'
       FROM generate_series(1, 1500) n`,
      [id, skript.id],
    );
    const [database] = await app.sql<any>('SELECT db_name FROM mongo_databases WHERE owner_id = $1', [id]);
    const connection = await mongoose.createConnection(app.config.mongodbUri).asPromise();
    try {
      const db = connection.useDb(database.db_name);
      await db.collection('books').insertOne({ title: 'x' });
      const { status, body } = await admin('DELETE', `/joint-api/users/${id}`);
      expect([status, body.deleted]).toEqual([
        200,
        expect.objectContaining({
          users: 1,
          skripts: 1,
          skript_files: 1,
          inputs: 1,
          versions: 1,
          api_keys: 1,
          skript_executions: 1500,
        }),
      ]);
      expect(await db.collection('books').countDocuments()).toBe(0);
    } finally {
      await connection.close();
    }
    // Check `bundles` separately: they contain the skript's files but not the account's id, so the search below would
    // miss them.
    expect(await app.sql('SELECT hash FROM bundles WHERE hash = $1', [hash])).toEqual([]);
    const tables = await app.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> 'audit_log'`,
    );
    for (const { name } of tables) {
      const rows = await app.sql(`SELECT 1 FROM "${name}" t WHERE t::text LIKE '%' || $1 || '%'`, [id]);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
    expect([await statusOf(api), (await login(username)).status]).toEqual([401, 401]);
    expect((await admin('GET', `/joint-api/users/${id}`)).status).toBe(404);
  });

  it('waits until a running fire of one of its schedules has ended', async () => {
    const { id, api } = await made();
    const skript = (await api('POST', '/joint-api/skripts/addnew', { title: 'Fired' })).body;
    const schedule = { name: 'hourly', cron_span: '0 * * * *', worker_id: 'any', skript_id: skript.id };
    await api('POST', '/joint-api/schedules/addnew', schedule);
    const fire = new Client({ connectionString: app.config.postgresUrl });
    await fire.connect();
    try {
      await fire.query('BEGIN');
      await fire.query('SELECT 1 FROM schedules WHERE owner_id = $1 FOR NO KEY UPDATE', [id]);
      const deletion = admin('DELETE', `/joint-api/users/${id}`);
      await until(
        () => app.sql(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`),
        waiting => waiting.length > 0,
      );
      await fire.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);
      await fire.query('COMMIT');
      expect((await deletion).status).toBe(200);
    } finally {
      await fire.end();
    }
  });

  it('by its owner needs user name and password, ends its tokens and runs, and then removes it', async () => {
    const { id, username, api } = await made();
    const { key } = (await api('POST', '/joint-api/keys/addnew', { name: 'key', scope: 'all' })).body;
    const skript_id = (await api('POST', '/joint-api/skripts/addnew', { title: 'Waiting' })).body.id;
    await api('POST', '/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content: 'module.exports = 1' });
    const run = (await api('POST', `${START}?wait_ms=0`, { worker_id: 'any', skript_id })).body;
    const closing = (fields: object) =>
      api('POST', '/joint-api/account/delete', { username, password: PASSWORD, ...fields });
    for (const wrong of [{ password: 'wrong' }, { username: 'admin' }]) {
      const { status, body } = await closing(wrong);
      expect([status, body.details?.[0].field]).toEqual([400, Object.keys(wrong)[0]]);
    }
    expect((await closing({})).status).toBe(200);
    expect([await statusOf(api), await statusOf(app.bearer(key)), (await login(username)).status]).toEqual([
      401, 401, 401,
    ]);
    expect(run.action).toBe('start');
    await app.part(EndingsService).endRunsOfDisabledAccounts();
    expect(await leftOf(id)).toEqual([]);
    await app.part(AuditLog).flush();
    const { items } = (await admin('GET', `/joint-api/audit/list?user_id=${id}&limit=3`)).body;
    expect(items).toMatchObject([
      { action: 'deleteExpiredAccount', target: { kind: 'user', id } },
      { action: 'login', status: 401 },
      { action: 'deleteAccount', fields: ['username', 'password'] },
    ]);
  });

  it('is refused while one of its runs is active, and changes nothing', async () => {
    const { id, api } = await made();
    const fleet = await makeWorkerAndSkript(app, 'deletion');
    const worker = await fleet.connect();
    try {
      await app.sql('UPDATE skripts SET owner_id = $1 WHERE id = $2', [id, fleet.skriptId]);
      await app.sql('UPDATE users SET built_in = true WHERE id = $1', [id]);
      const run = (await api('POST', `${START}?wait_ms=0`, { worker_id: fleet.workerId, skript_id: fleet.skriptId }))
        .body;
      const refused = await admin('DELETE', `/joint-api/users/${id}`);
      expect([refused.status, refused.body.error_code]).toEqual([409, 'has_live_run']);
      expect(await statusOf(api)).toBe(200);
      await worker.offers.next();
      await worker.finish(run.id, { output: 1 });
      expect((await admin('DELETE', `/joint-api/users/${id}`)).status).toBe(200);
    } finally {
      worker.close();
    }
  });
});
