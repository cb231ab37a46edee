import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { appForFile } from '../../../test/test-app.js';
import { newAddress, signUpForm } from '../../../test/test-forms.js';
import { mailsTo, tokenIn } from '../../../test/test-mails.js';
import { makeWorkerAndSkript } from '../../../test/test-worker.js';
import { LOGGER } from '../common/logger.js';
import { AuditLog } from './audit-log.service.js';

const SECRET = 'a value that nobody else may read';

const { app, developer, admin } = appForFile({ settings: { trustedProxies: ['127.0.0.1'] } });

async function entries(query = '', api = admin, path = '/joint-api/audit/list'): Promise<any[]> {
  await app.part(AuditLog).flush();
  const { status, body } = await api('GET', `${path}?${query}`);
  expect(status).toBe(200);
  return body.items;
}

describe('the audit log', () => {
  it('records user, operation, resource with its name, address and field names, but no values', async () => {
    const { body: skript } = await developer('POST', '/joint-api/skripts/addnew', {
      title: 'Deleted since',
      description: SECRET,
    });
    await developer(
      'PUT',
      `/joint-api/skripts/${skript.id}`,
      { category: 'sci' },
      { 'x-forwarded-for': '203.0.113.9' },
    );
    await developer('GET', `/joint-api/skripts/${skript.id}`);
    await developer('POST', '/joint-api/skripts/addnew', { title: 'Deleted since' });
    await developer('DELETE', `/joint-api/skripts/${skript.id}`);
    const seen = await entries(`target_id=${skript.id}`);
    const target = { kind: 'skript', id: skript.id, name: 'Deleted since' };
    const user = { id: expect.any(String), username: 'developer' };
    expect(seen).toMatchObject([
      { action: 'deleteSkript', target, user, fields: [], status: 200 },
      { action: 'updateSkript', target, user, key: null, fields: ['category'], status: 200, ip: '203.0.113.9' },
      { action: 'createSkript', target, user, fields: ['title', 'description'], status: 201 },
    ]);
    expect(JSON.stringify(await app.sql('SELECT * FROM audit_log'))).not.toContain(SECRET);
  });

  it('names the skript that an upload created', async () => {
    const files = [
      { name: 'manifest.json', content: '{ "title": "Uploaded" }' },
      { name: 'main.js', content: 'module.exports = async () => 1;' },
    ];
    const { body } = await developer('POST', '/joint-api/skripts/upload-files', { files });
    expect(await entries(`target_id=${body.skript.id}`)).toMatchObject([
      { action: 'uploadSkriptFiles', target: { kind: 'skript', name: 'Uploaded' }, fields: ['files'] },
    ]);
  });

  it('names the API key with which a call was made', async () => {
    const { body: key } = await developer('POST', '/joint-api/keys/addnew', { name: 'importer', scope: 'all' });
    const { body: skript } = await app.bearer(key.key)('POST', '/joint-api/skripts/addnew', { title: 'By a key' });
    expect(await entries(`target_id=${skript.id}`)).toMatchObject([{ key: { id: key.id, name: 'importer' } }]);
    expect(JSON.stringify(await app.sql('SELECT * FROM audit_log'))).not.toContain(key.key.slice(4));
  });

  it('shows resources with their current names, also in entries that were saved without a name', async () => {
    const { body: skript } = await developer('POST', '/joint-api/skripts/addnew', { title: 'First name' });
    await developer('PUT', `/joint-api/skripts/${skript.id}`, { title: 'Second name' });
    await app.part(AuditLog).flush();
    await app.sql('UPDATE audit_log SET target_name = NULL WHERE target_id = $1', [skript.id]);
    const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
    await developer('POST', `/joint-api/mongo/${database.id}/books/addnew`, { n: 1 });
    const named = async (query: string) =>
      (await entries(query, developer, '/joint-api/account/audit/list')).map(({ target }) => target.name);
    expect(await named(`target_id=${skript.id}`)).toEqual(['Second name', 'Second name']);
    expect(await named('action=createMongoDocument&limit=1')).toEqual(['main / books']);
    // Users choose the ids of their documents: the name of somebody else's resource must not show.
    const { body: foreign } = await admin('POST', '/joint-api/skripts/addnew', { title: 'Of somebody else' });
    await developer('POST', `/joint-api/mongo/${database.id}/books/addnew`, { _id: foreign.id });
    const path = `/joint-api/mongo/${database.id}/books/${foreign.id}`;
    expect((await developer('DELETE', path)).status).toBe(200);
    expect(await named('action=deleteMongoDocument&limit=1')).toEqual([`main / books / ${foreign.id}`]);
  });

  it('does not record aggregations, because they only read', async () => {
    const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
    const path = `/joint-api/mongo/${database.id}/books/aggregate`;
    expect((await developer('POST', path, { pipeline: [{ $limit: 1 }] })).status).toBe(200);
    expect(await entries('action=aggregateMongoDocuments')).toEqual([]);
  });

  it('records starts and stops of runs, even those made with GET', async () => {
    const fleet = await makeWorkerAndSkript(app, 'audited');
    const worker = await fleet.connect();
    try {
      const ids = `worker_id=${fleet.workerId}&skript_id=${fleet.skriptId}`;
      const base = '/joint-api/execute-skript/single-worker';
      const { body: run } = await developer('GET', `${base}/start?${ids}&wait_ms=0`);
      await worker.offers.next();
      await developer('GET', `${base}/stop?${ids}`);
      await worker.finish(run.id, { action: 'stop', output: null });
      expect(await entries(`target_id=${run.id}`)).toMatchObject([
        { action: 'stopSkript', target: { kind: 'skriptExecution' } },
        { action: 'startStoredSkript', target: { kind: 'skriptExecution' }, status: 202 },
      ]);
      const { body: started } = await developer('POST', '/joint-api/execute-skript/multi-worker/start?wait_ms=0', {
        skript_id: fleet.skriptId,
        worker_ids: [fleet.workerId],
      });
      const { id } = started.results[0].execution;
      await worker.offers.next();
      await worker.finish(id, { action: 'end', output: null });
      expect(await entries(`target_id=${id}`)).toMatchObject([
        { action: 'startSkriptOnWorkers', target: { kind: 'skriptExecution' } },
      ]);
    } finally {
      worker.close();
    }
  });

  it('records how many skripts a purge deleted', async () => {
    await developer('POST', '/joint-api/skripts/addnew', { title: 'To purge' });
    const { body } = await developer('POST', '/joint-api/skripts/purge', { confirm: true });
    const name = body.deleted.skripts === 1 ? '1 skript' : `${body.deleted.skripts} skripts`;
    expect(await entries('action=purgeSkripts')).toMatchObject([{ target: { kind: 'skripts', id: '', name } }]);
  });

  it('records how many runs a call deleted, with the ids of some', async () => {
    const { body: skript } = await developer('POST', '/joint-api/skripts/addnew', { title: 'With runs' });
    const ids = Array.from({ length: 7 }, () => uuidv7());
    await app.sql(
      `INSERT INTO executions (id, owner_id, skript_id, skript_name, skript_category, bundle_hash, action)
       SELECT unnest($1::uuid[]), owner_id, id, title, category, 'x', 'end' FROM skripts WHERE id = $2`,
      [ids, skript.id],
    );
    const path = '/joint-api/skript-execution/delete-many';
    for (const sent of [ids.slice(0, 2), ids, ids]) await developer('POST', path, { ids: sent });
    const target = (name: string, ...some: string[]) => ({ kind: 'skriptExecutions', id: some.join(','), name });
    expect(await entries('action=deleteExecutions&sort=created_at')).toMatchObject([
      { target: target('2 runs', ...ids.slice(0, 2)), fields: ['ids'], status: 200 },
      { target: target('5 runs', ...ids.slice(2)) },
      { target: target('0 runs') },
    ]);
  });

  it('records successful and failed logins, without the user name typed for an unknown account', async () => {
    const from = new Date().toISOString();
    await app.anonymous('POST', '/panel/login', app.credentials('developer'));
    await app.anonymous('POST', '/panel/login', { username: 'developer', password: SECRET });
    await app.anonymous('POST', '/panel/login', { username: SECRET, password: SECRET });
    expect(await entries(`action=login&from=${from}&sort=created_at`)).toMatchObject([
      { user: { username: 'developer' }, status: 200, fields: [] },
      { user: { username: 'developer' }, status: 401 },
      { user: null, status: 401 },
    ]);
    expect(JSON.stringify(await app.sql('SELECT * FROM audit_log'))).not.toContain(SECRET);
  });

  it('records the activation of an account', async () => {
    const email = newAddress();
    await app.anonymous('POST', '/www/users/register', signUpForm({ email }));
    const token = tokenIn((await mailsTo(app, email, 1))[0]);
    await app.anonymous('POST', '/www/users/set-password', { token, password: SECRET });
    const [entry] = await entries('action=setPassword');
    expect(entry).toMatchObject({ user: { username: email }, fields: ['token', 'password'] });
  });

  it('shows users their own entries, and administrators all entries', async () => {
    await admin('POST', '/joint-api/skripts/addnew', { title: 'Of the administrator' });
    const own = await entries('limit=1000', developer, '/joint-api/account/audit/list');
    expect(new Set(own.map(({ user }) => user.username))).toEqual(new Set(['developer']));
    const [{ user }] = own;
    expect((await entries(`user_id=${user.id}&limit=1000`)).length).toBeGreaterThanOrEqual(own.length);
    expect((await developer('GET', '/joint-api/audit/list')).status).toBe(403);
    const others = await developer('GET', `/joint-api/account/audit/list?user_id=${user.id}`);
    expect(others.body.details[0].field).toBe('user_id');
  });

  it('can be paged and filtered by time', async () => {
    const first = (await admin('GET', '/joint-api/audit/list?limit=2')).body;
    const second = (await admin('GET', `/joint-api/audit/list?limit=2&after=${first.next}`)).body;
    expect(second.items[0].id < first.items[1].id).toBe(true);
    expect(await entries('from=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await entries('to=2000-01-01T00:00:00Z')).toEqual([]);
  });

  it('removes entries that are older than the configured number of days', async () => {
    const [{ id }] = await entries('limit=1');
    const all = (await entries()).length;
    // A clock of the backend that is ahead removes nothing.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + (app.config.auditDays + 1) * 86_400_000);
    await app.part(AuditLog).removeOld();
    clock.mockRestore();
    expect(await entries()).toHaveLength(all);
    await app.sql(`UPDATE audit_log SET id = first_id_at(now() - $2 * interval '1 day') WHERE id = $1`, [
      id,
      app.config.auditDays + 1,
    ]);
    await app.part(AuditLog).removeOld();
    expect(await entries()).toHaveLength(all - 1);
  });

  it('leaves out the name of a resource that it cannot read, and a log line says why', async () => {
    const warn = jest.spyOn(app.part<Logger>(LOGGER), 'warn');
    await app.sql('ALTER TABLE webhook_endpoints RENAME TO webhook_endpoints_away');
    try {
      const id = uuidv7();
      expect(await app.part(AuditLog).nameBeforeDeletion({ kind: 'webhook', id })).toBeNull();
      const seen = expect.objectContaining({ kind: 'webhook', id, err: expect.any(Error) });
      expect(warn).toHaveBeenCalledWith(seen, 'failed to read the name of an audited resource');
    } finally {
      await app.sql('ALTER TABLE webhook_endpoints_away RENAME TO webhook_endpoints');
      warn.mockRestore();
    }
  });

  it('does not make calls fail when it cannot be written', async () => {
    await app.sql('ALTER TABLE audit_log RENAME TO audit_log_away');
    try {
      expect((await developer('POST', '/joint-api/skripts/addnew', { title: 'Unseen' })).status).toBe(201);
      await app.part(AuditLog).flush();
    } finally {
      await app.sql('ALTER TABLE audit_log_away RENAME TO audit_log');
    }
  });

  it('is written completely when the backend stops', async () => {
    const { body } = await developer('POST', '/joint-api/skripts/addnew', { title: 'The last' });
    await app.stop();
    expect(await app.sql('SELECT action FROM audit_log WHERE target_id = $1', [body.id])).toEqual([
      { action: 'createSkript' },
    ]);
    await app.start();
  });
});
