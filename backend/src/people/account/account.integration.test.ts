import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { appForFile } from '../../../test/test-app.js';
import { unzip } from '../../../test/test-zip.js';
import { AuditLog } from '../../platform/audit/audit-log.service.js';

const { app } = appForFile();

const credentials = () => JSON.parse(readFileSync(join(app.config.dataDir, 'credentials.json'), 'utf8'));
const login = (body: unknown) => app.anonymous('POST', '/panel/login', body);

describe('the first start', () => {
  it('creates an administrator and a developer, and writes their passwords to a private file', () => {
    expect(credentials().map((c: any) => [c.username, c.role])).toEqual([
      ['admin', 'admin'],
      ['developer', 'developer'],
    ]);
    expect(statSync(join(app.config.dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
  });
});

describe('login', () => {
  it('returns a token and the user', async () => {
    const { username, password } = credentials()[1];
    const { status, body } = await login({ username: ' Developer ', password });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      jwtToken: expect.any(String),
      loggedUser: { username, role: 'developer' },
      message: expect.any(String),
    });
  });

  it('answers a wrong password and an unknown user with the same error', async () => {
    for (const username of ['developer', 'nobody']) {
      expect(await login({ username, password: 'wrong' })).toMatchObject({
        status: 401,
        body: { error_message: 'Bad Login', error_code: 'bad_login', request_id: expect.any(String) },
      });
    }
  });

  it('refuses invalid and unknown fields, and names each of them', async () => {
    const wrong = async (fields: object) => {
      const { status, body } = await login(fields);
      expect([status, body.error_code]).toEqual([400, 'validation_failed']);
      return body.details.map((detail: any) => detail.field).sort();
    };
    expect(await wrong({ username: 5 })).toEqual(['password', 'username']);
    // Unknown fields are reported before invalid values, so `username` is not in the list.
    expect(await wrong({ username: 5, colour: 'red', size: 1 })).toEqual(['colour', 'size']);
  });

  it('refuses a body that is not JSON, and a body that is too large', async () => {
    expect(await login('{"username":')).toMatchObject({
      status: 400,
      body: { error_code: 'invalid_json', error_message: 'Body string is not valid JSON' },
    });
    expect(await login({ username: 'x', password: 'y'.repeat(100_000) })).toMatchObject({
      status: 413,
      body: { error_code: 'payload_too_large' },
    });
  });
});

describe('a session token', () => {
  it('is required for API calls, must have a valid signature, and stops working at logout', async () => {
    const account = (authorization?: string) =>
      app.anonymous('GET', '/joint-api/account', undefined, authorization ? { authorization } : {});
    const { username, password } = credentials()[1];
    const token = (await login({ username, password })).body.jwtToken as string;
    expect((await account()).status).toBe(401);
    expect((await account(`Bearer ${token.slice(0, -2)}xx`)).status).toBe(401);
    expect(await account(`Bearer ${token}`)).toMatchObject({ status: 200, body: { username, role: 'developer' } });
    const out = await app.anonymous('POST', '/panel/logout', undefined, { authorization: `Bearer ${token}` });
    expect(out.status).toBe(200);
    expect((await account(`Bearer ${token}`)).body.error_code).toBe('unauthorized');
  });

  it('is refused while its user is disabled', async () => {
    const admin = await app.as('admin');
    await app.sql(`UPDATE users SET disabled_at = now() WHERE username = 'admin'`);
    expect((await admin('GET', '/joint-api/account')).status).toBe(401);
    await app.sql(`UPDATE users SET disabled_at = NULL WHERE username = 'admin'`);
    expect((await admin('GET', '/joint-api/account')).status).toBe(200);
  });
});

describe('the creation of a worker', () => {
  it('is refused for developers', async () => {
    const developer = await app.as('developer');
    expect(await developer('POST', '/joint-api/workers/addnew', { name: 'mine' })).toMatchObject({
      status: 403,
      body: { error_code: 'forbidden' },
    });
  });

  it('shows the worker’s key only once, and refuses a name that is taken', async () => {
    const admin = await app.as('admin');
    const { status, body } = await admin('POST', '/joint-api/workers/addnew', { name: 'paris-1', public: true });
    expect([status, body.key]).toEqual([201, expect.stringMatching(/^trw_/)]);
    const { body: workers } = await admin('GET', '/apps/workers/list?public=true');
    expect(workers.items).toMatchObject([{ name: 'paris-1', status: 'offline' }]);
    expect(JSON.stringify(workers)).not.toContain(body.key);
    expect((await admin('POST', '/joint-api/workers/addnew', { name: 'paris-1' })).body.error_code).toBe('name_taken');
  });
});

describe('an unknown route below an API path', () => {
  it('is answered with 404 as JSON', async () => {
    expect(await app.anonymous('GET', '/joint-api/nothing')).toMatchObject({
      status: 404,
      body: { error_code: 'not_found' },
    });
  });
});

describe('the archive of an account', () => {
  it('contains its skripts, lists and stored data, and no secret', async () => {
    const developer = await app.as('developer');
    const made = async (path: string, body: object) => {
      const answer = await developer('POST', path, body);
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    };
    const { id: skript_id } = await made('/joint-api/skripts/addnew', { title: 'Books: all/../new' });
    await made('/joint-api/skript-files/addnew', { skript_id, name: 'main.js', content: 'module.exports = 7' });
    await made('/joint-api/inputs/addnew', { skript_id, name: 'input.json', val: { page: 2 } });
    await made('/joint-api/input-secrets/addnew', { skript_id, name: 'inputSecret.json', val: 'SECRET' });
    await made('/joint-api/schedules/addnew', { name: 'nightly', cron_span: '0 3 * * *', worker_id: 'any', skript_id });
    const [database] = (await developer('GET', '/joint-api/mongo-databases/list')).body.items;
    const collections = ['books', 'Books'];
    for (const name of collections) await made(`/joint-api/mongo/${database.id}/${name}/addnew`, { title: name });
    const url = 'https://store.example.com';
    const destination = { type: 's3', url, bucket: 'b', region: 'r', access_key_id: 'k', secret_access_key: 'SECRET' };
    await made('/joint-api/exporters/addnew', { name: 'daily', db_id: database.id, collection: 'books', destination });
    await made('/joint-api/postgres/query', { sql: 'CREATE TABLE prices AS SELECT 5 AS price', read_only: false });
    const { key } = await made('/joint-api/keys/addnew', { name: 'nightly', scope: 'all' });

    const files = await archiveOf('developer');
    expect(Object.keys(files).sort()).toEqual([
      'README.txt',
      'account.json',
      'api-keys.ndjson',
      'audit.ndjson',
      'exporters.ndjson',
      'input-secrets.ndjson',
      'runs.ndjson',
      'schedules.ndjson',
      'skripts/Books_ all_.._new/input.json',
      'skripts/Books_ all_.._new/main.js',
      'skripts/Books_ all_.._new/manifest.json',
      'storage/mongodb/main/Books.ndjson',
      'storage/mongodb/main/books (2).ndjson',
      'storage/postgresql/public/prices.ndjson',
      'webhooks.ndjson',
    ]);
    expect(files['skripts/Books_ all_.._new/main.js']).toBe('module.exports = 7');
    expect(JSON.parse(String(files['skripts/Books_ all_.._new/input.json']))).toEqual({ page: 2 });
    expect(JSON.parse(String(files['storage/mongodb/main/Books.ndjson']))).toMatchObject({ title: 'Books' });
    expect(JSON.parse(String(files['storage/postgresql/public/prices.ndjson']))).toEqual({ price: 5 });
    expect(JSON.parse(String(files['schedules.ndjson']))).toMatchObject({ name: 'nightly' });
    expect(JSON.parse(String(files['exporters.ndjson']))).toMatchObject({ name: 'daily' });
    const all = Object.values(files).join('\n');
    for (const secret of ['SECRET', key, credentials()[1].password, 'password_hash']) expect(all).not.toContain(secret);
    expect(Object.values(await archiveOf('admin')).join('\n')).not.toContain('module.exports = 7');
  });

  it('contains all rows of a long list, in order', async () => {
    const admin = await app.as('admin');
    for (let n = 0; n < 41; n += 1) await admin('POST', '/joint-api/skripts/addnew', { title: `Skript ${n}` });
    await app.part(AuditLog).flush();
    const lines = String((await archiveOf('admin'))['audit.ndjson'])
      .trim()
      .split('\n');
    const ids = lines.map(line => JSON.parse(line).id as string);
    expect(lines.filter(line => line.includes('"createSkript"'))).toHaveLength(41);
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});

/** Downloads the archive of an account, and returns the texts of its files by their paths. */
async function archiveOf(username: 'admin' | 'developer'): Promise<Record<string, string>> {
  const response = await fetch(`${app.url}/joint-api/account/archive`, {
    headers: { authorization: `Bearer ${await app.token(username)}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  return unzip(Buffer.from(await response.arrayBuffer()));
}
