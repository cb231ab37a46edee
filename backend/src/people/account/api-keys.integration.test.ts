import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { LIVE_NAMESPACE } from '@trawl/contracts';
import { pino } from 'pino';
import { io } from 'socket.io-client';
import { type Answer, type Api, startTestApp, type TestApp } from '../../../test/test-app.js';
import { until } from '../../../test/until.js';
import { createApp } from '../../app.js';
import { KeyUses } from '../../platform/auth/key-uses.service.js';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import { TokenResolver } from '../../platform/auth/tokens/token-resolver.service.js';
import { ApiKeysService } from './api-keys.service.js';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
const START = '/joint-api/execute-skript/single-worker/start';

let app: TestApp;
let developer: Api;
let second: NestExpressApplication;
let secondUrl: string;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  developer = await app.as('developer');
  second = await createApp(app.config, pino({ level: 'silent' }));
  await second.listen(0, '127.0.0.1');
  secondUrl = await second.getUrl();
});
afterAll(async () => {
  await second?.close();
  await app?.close();
});

async function newKey(scope = 'all', more: object = {}): Promise<{ id: string; key: string; name: string }> {
  const { status, body } = await developer('POST', '/joint-api/keys/addnew', {
    name: `key ${++count}`,
    scope,
    ...more,
  });
  expect(status).toBe(201);
  return body;
}
const withToken = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  app.anonymous(method, path, body, { authorization: `Bearer ${token}` });
const statusHere = async (token: string) => (await withToken(token, 'GET', '/joint-api/account')).status;
const statusThere = async (token: string) =>
  (await fetch(`${secondUrl}/joint-api/account`, { headers: { authorization: `Bearer ${token}` } })).status;
const login = async () => {
  const credentials = JSON.parse(readFileSync(`${app.config.dataDir}/credentials.json`, 'utf8'));
  const { username, password } = credentials[1];
  const { body } = await app.anonymous('POST', '/panel/login', { username, password });
  return body.jwtToken as string;
};

describe('an API key', () => {
  it('is shown once and stored only as a hash', async () => {
    const { id, key } = await newKey('read');
    expect(Buffer.from(key.replace(/^trk_/, ''), 'base64url')).toHaveLength(32);
    const shown = [await developer('GET', '/joint-api/keys/list'), await developer('GET', `/joint-api/keys/${id}`)];
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(key.slice(4));
    const [row] = await app.sql<any>('SELECT * FROM api_keys WHERE id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(key.slice(4));
    expect(row.key_hash).toHaveLength(32);
  });

  it.each([
    ['read', 'GET', '/joint-api/skripts/list', 200],
    ['read', 'POST', '/joint-api/skripts/addnew', 403],
    ['read', 'GET', `${START}?worker_id=${NOWHERE}&skript_id=${NOWHERE}`, 403],
    ['read', 'POST', START, 403],
    ['run', 'GET', '/joint-api/skripts/list', 200],
    ['run', 'POST', '/joint-api/skripts/addnew', 403],
    ['run', 'DELETE', `/joint-api/skripts/${NOWHERE}`, 403],
    ['run', 'GET', `${START}?worker_id=${NOWHERE}&skript_id=${NOWHERE}`, 404],
    ['run', 'POST', START, 400],
    ['all', 'POST', '/joint-api/skripts/addnew', 400],
    ['all', 'DELETE', `/joint-api/skripts/${NOWHERE}`, 404],
    ['all', 'POST', '/joint-api/keys/addnew', 403],
    ['all', 'POST', '/panel/logout', 403],
    ['all', 'POST', '/joint-api/workers/addnew', 403],
  ])('with the scope %s calls %s %s and gets %i', async (scope, method, path, expected) => {
    const { key } = await newKey(scope);
    expect((await withToken(key, method, path, method === 'POST' ? {} : undefined)).status).toBe(expected);
  });

  it('cannot have a name with characters that change the direction of text', async () => {
    const { status, body } = await developer('POST', '/joint-api/keys/addnew', {
      name: 'read\u202eonly',
      scope: 'all',
    });
    expect([status, body.error_message]).toEqual([400, expect.stringContaining('change the direction of text')]);
  });

  it('cannot have a name that is taken or an expiry date in the past', async () => {
    const { name } = await newKey();
    const again = await developer('POST', '/joint-api/keys/addnew', { name, scope: 'read' });
    expect([again.status, again.body.error_code]).toEqual([409, 'name_taken']);
    const late = await developer('POST', '/joint-api/keys/addnew', {
      name: 'late',
      scope: 'read',
      expires_at: '2020-01-01T00:00:00Z',
    });
    expect([late.status, late.body.details[0].field]).toEqual([400, 'expires_at']);
    const vague = await developer('POST', '/joint-api/keys/addnew', {
      name: 'vague',
      scope: 'read',
      expires_at: 'tomorrow',
    });
    expect(vague.status).toBe(400);
  });

  it('can be renamed by its owner, and other accounts get 404 for it', async () => {
    const { id } = await newKey();
    expect((await developer('PUT', `/joint-api/keys/${id}`, { name: 'renamed', scope: 'read' })).body).toMatchObject({
      name: 'renamed',
      scope: 'all',
    });
    const admin = await app.as('admin');
    for (const [method, body] of [['GET'], ['PUT', { name: 'mine' }], ['DELETE']] as const) {
      expect((await admin(method, `/joint-api/keys/${id}`, body)).status).toBe(404);
    }
  });

  it('stops working on every backend when it is revoked, and is listed as revoked', async () => {
    const { id, key } = await newKey();
    expect([await statusHere(key), await statusThere(key)]).toEqual([200, 200]);
    expect((await developer('DELETE', `/joint-api/keys/${id}`)).body).toEqual({ deleted: { api_keys: 1 } });
    expect(await statusHere(key)).toBe(401);
    await until(
      () => statusThere(key),
      status => status === 401,
    );
    expect((await developer('GET', `/joint-api/keys/${id}`)).body.revoked_at).toEqual(expect.any(String));
    expect((await developer('DELETE', `/joint-api/keys/${id}`)).status).toBe(404);
  });

  it('expires, even when a backend has it in its cache', async () => {
    const { key } = await newKey('read', { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await statusHere(key)).toBe(200);
    const tokens = app.part(TokenResolver);
    expect(tokens.cached(key)).toMatchObject({ username: 'developer' });
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_700_000);
    expect(tokens.cached(key)).toBeNull();
    clock.mockRestore();
    await app.sql(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL`);
    await until(
      () => statusHere(key),
      status => status === 401,
    );
  });

  it('does not count towards the quota once it has expired, and is removed a month later', async () => {
    const { id: userId } = (await developer('GET', '/joint-api/account')).body;
    await app.sql(`UPDATE api_keys SET revoked_at = now() WHERE user_id = $1`, [userId]);
    const { id } = await newKey('read', { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    await app.sql(`UPDATE users SET quotas = '{"api_keys": 1}' WHERE id = $1`, [userId]);
    const add = () => developer('POST', '/joint-api/keys/addnew', { name: `key ${++count}`, scope: 'read' });
    expect((await add()).body.error_code).toBe('quota_exceeded');
    await app.sql(`UPDATE api_keys SET expires_at = now() - interval '31 days' WHERE id = $1`, [id]);
    expect((await add()).status).toBe(201);
    await app.part(ApiKeysService).removeEnded();
    expect((await developer('GET', `/joint-api/keys/${id}`)).status).toBe(404);
    await app.sql(`UPDATE users SET quotas = '{}' WHERE id = $1`, [userId]);
  });

  it('is refused while its account is disabled', async () => {
    const { key } = await newKey();
    expect(await statusHere(key)).toBe(200);
    await app.sql(`UPDATE users SET disabled_at = now() WHERE username = 'developer'`);
    await until(
      () => statusHere(key),
      status => status === 401,
    );
    await until(
      () => statusThere(key),
      status => status === 401,
    );
    await app.sql(`UPDATE users SET disabled_at = NULL WHERE username = 'developer'`);
    expect(await statusHere(key)).toBe(200);
  });

  it('records when it was last used', async () => {
    const { id, key } = await newKey('read');
    expect((await developer('GET', `/joint-api/keys/${id}`)).body.last_used_at).toBeNull();
    await statusHere(key);
    await app.part(KeyUses).write();
    const { last_used_at: first } = (await developer('GET', `/joint-api/keys/${id}`)).body;
    expect(first).toEqual(expect.any(String));
    await statusHere(key);
    await app.part(KeyUses).write();
    expect((await developer('GET', `/joint-api/keys/${id}`)).body.last_used_at).toBe(first);
  });

  it('opens a live connection, which closes when the key is revoked', async () => {
    const { id, key } = await newKey('read');
    const socket = io(app.url + LIVE_NAMESPACE, {
      transports: ['websocket'],
      auth: { token: key },
      reconnection: false,
      forceNew: true,
    });
    try {
      await once(socket as never, 'connect');
      const disconnected = once(socket as never, 'disconnect');
      await developer('DELETE', `/joint-api/keys/${id}`);
      await disconnected;
    } finally {
      socket.close();
    }
  });
});

describe('a session', () => {
  it('ends on every backend at logout', async () => {
    const token = await login();
    expect([await statusHere(token), await statusThere(token)]).toEqual([200, 200]);
    await withToken(token, 'POST', '/panel/logout');
    expect(await statusHere(token)).toBe(401);
    await until(
      () => statusThere(token),
      status => status === 401,
    );
  });
});

describe('a backend that receives no change notifications', () => {
  it('reads the database for each request until it receives them again', async () => {
    const { id, key } = await newKey();
    expect(await statusThere(key)).toBe(200);
    const changes = second.get(TokenChanges, { strict: false });
    await until(() => changes.isListening, Boolean);
    await app.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE application_name = 'trawl-backend-listener' AND datname = current_database()`);
    await until(
      () => changes.isListening,
      listening => !listening,
    );
    expect(await statusThere(key)).toBe(200);
    await app.sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
    // The backend is not notified of this change. If it still used its cache, the revoked key would keep working.
    await until(
      () => statusThere(key),
      status => status === 401,
    );
    await until(() => changes.isListening, Boolean);
  });

  it('reads the database for each request as soon as its listening connection hangs', async () => {
    const { id, key } = await newKey();
    const changes = second.get(TokenChanges, { strict: false });
    await until(() => changes.isListening, Boolean);
    let isGivenUp = false;
    const heard = changes.changed.subscribe(userId => {
      isGivenUp ||= userId === null;
    });
    expect(await statusThere(key)).toBe(200);
    const listeners = await app.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'trawl-backend-listener' AND datname = current_database()`,
    );
    for (const { pid } of listeners) process.kill(pid, 'SIGSTOP');
    try {
      await until(
        () => changes.isListening,
        listening => !listening,
      );
      await app.sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
      expect(await statusThere(key)).toBe(401);
      expect(isGivenUp).toBe(false);
    } finally {
      for (const { pid } of listeners) process.kill(pid, 'SIGCONT');
      heard.unsubscribe();
    }
    await until(() => changes.isListening, Boolean);
  });
});
