import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startTestApp, type TestApp } from '../../test/test-app.js';

jest.setTimeout(60_000);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const credentials = () => JSON.parse(readFileSync(join(app.config.dataDir, 'credentials.json'), 'utf8'));
const login = (body: unknown) => app.anonymous('POST', '/panel/login', body);

describe('the first start', () => {
  it('makes an administrator and a developer whose passwords only the owner of the data folder can read', () => {
    expect(credentials().map((c: any) => [c.username, c.role])).toEqual([
      ['admin', 'admin'],
      ['developer', 'developer'],
    ]);
    expect(statSync(join(app.config.dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
  });
});

describe('login', () => {
  it('answers a token and the user', async () => {
    const { username, password } = credentials()[1];
    const { status, body } = await login({ username: ' Developer ', password });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      jwtToken: expect.any(String),
      loggedUser: { username, role: 'developer' },
      message: expect.any(String),
    });
  });

  it('says Bad Login for a wrong password and for an unknown user alike', async () => {
    for (const username of ['developer', 'nobody']) {
      expect(await login({ username, password: 'wrong' })).toMatchObject({
        status: 401,
        body: { error_message: 'Bad Login', error_code: 'bad_login', request_id: expect.any(String) },
      });
    }
  });

  it('names every field that is wrong', async () => {
    const wrong = async (fields: object) => {
      const { status, body } = await login(fields);
      expect([status, body.error_code]).toEqual([400, 'validation_failed']);
      return body.details.map((detail: any) => detail.field).sort();
    };
    expect(await wrong({ username: 5 })).toEqual(['password', 'username']);
    // What is no field goes first.
    expect(await wrong({ username: 5, colour: 'red', size: 1 })).toEqual(['colour', 'size']);
  });

  it('refuses a body that is not JSON or too large, and says which', async () => {
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

describe('a token', () => {
  it('is needed, must be ours, and ends with its session', async () => {
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

  it('of a disabled user is worth nothing', async () => {
    const admin = await app.as('admin');
    await app.sql(`UPDATE users SET disabled_at = now() WHERE username = 'admin'`);
    expect((await admin('GET', '/joint-api/account')).status).toBe(401);
    await app.sql(`UPDATE users SET disabled_at = NULL WHERE username = 'admin'`);
    expect((await admin('GET', '/joint-api/account')).status).toBe(200);
  });
});

describe('roles', () => {
  it('keep developers from making workers', async () => {
    const developer = await app.as('developer');
    expect(await developer('POST', '/joint-api/workers/addnew', { name: 'mine' })).toMatchObject({
      status: 403,
      body: { error_code: 'forbidden' },
    });
  });

  it('show a worker’s key once, and never store it', async () => {
    const admin = await app.as('admin');
    const { status, body } = await admin('POST', '/joint-api/workers/addnew', { name: 'paris-1', public: true });
    expect([status, body.key]).toEqual([201, expect.stringMatching(/^trw_/)]);
    const { body: workers } = await admin('GET', '/apps/workers/list?public=true');
    expect(workers.items).toMatchObject([{ name: 'paris-1', status: 'offline' }]);
    expect(JSON.stringify(workers)).not.toContain(body.key);
    expect((await admin('POST', '/joint-api/workers/addnew', { name: 'paris-1' })).body.error_code).toBe('name_taken');
  });
});

describe('an unknown route', () => {
  it('is answered as JSON under the API', async () => {
    expect(await app.anonymous('GET', '/joint-api/nothing')).toMatchObject({
      status: 404,
      body: { error_code: 'not_found' },
    });
  });
});
