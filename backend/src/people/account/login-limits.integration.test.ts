import { type Answer, appForFile } from '../../../test/test-app.js';
import { LoginLimits } from './login-limits.service.js';

const WINDOW_MS = 15 * 60_000;

const { app } = appForFile({ settings: { trustedProxies: ['127.0.0.1'] } });
let password: string;
let hosts = 0;

beforeAll(async () => {
  password = app.credentials('developer').password;
});
afterEach(() => jest.restoreAllMocks());

const newAddress = () => `198.51.${100 + Math.floor(++hosts / 250)}.${hosts % 250}`;
const login = (username: string, tried: string, from: string): Promise<Answer> =>
  app.anonymous('POST', '/panel/login', { username, password: tried }, { 'x-forwarded-for': from });

async function fail(username: string, times: number, from: () => string): Promise<Answer> {
  let last: Answer | undefined;
  for (let n = 0; n < times; n += 1) last = await login(username, 'wrong', from());
  return last as Answer;
}
const later = (ms: number) => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now + ms);
};

describe('failed logins', () => {
  it.each(['developer', 'nobody'])(
    'for %s from one address are limited, and the error says how long to wait',
    async username => {
      const address = newAddress();
      expect((await fail(username, 10, () => address)).status).toBe(401);
      const refused = await login(username, password, address);
      expect([refused.status, refused.body.error_code]).toEqual([429, 'too_many_requests']);
      expect(refused.body.error_message).toBe(
        'Too many failed tries for this user name from this address. Wait 15 minutes, then try again.',
      );
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
      later(WINDOW_MS + 1_000);
      expect((await login(username, 'wrong', address)).status).toBe(401);
    },
  );

  it('from other addresses do not lock out a user at a known address', async () => {
    const home = newAddress();
    later(10 * WINDOW_MS);
    expect((await login('developer', password, home)).status).toBe(200);
    const refused = await fail('developer', 101, newAddress);
    expect([refused.status, refused.body.error_message]).toEqual([
      429,
      'Too many failed tries for this user name. Wait 15 minutes, then try again.',
    ]);
    expect((await login('developer', password, newAddress())).status).toBe(429);
    expect((await login('developer', password, home)).status).toBe(200);
  });

  it('for an unknown account from many addresses are limited by user name', async () => {
    expect((await fail('nobody@example.com', 101, newAddress)).body.error_message).toBe(
      'Too many failed tries for this user name. Wait 15 minutes, then try again.',
    );
  });

  it('no longer count after a successful login from the same address', async () => {
    later(20 * WINDOW_MS);
    const address = newAddress();
    for (let n = 0; n < 2; n += 1) {
      await fail('developer', 9, () => address);
      expect((await login('developer', password, address)).status).toBe(200);
    }
  });
});

describe('successful logins', () => {
  it('from many addresses never lock an account out', async () => {
    later(30 * WINDOW_MS);
    const limits = app.part(LoginLimits);
    const [{ id } = { id: '' }] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
    for (let n = 0; n < 101; n += 1) {
      const address = newAddress();
      await limits.take('developer', address);
      await limits.succeeded(id, 'developer', address);
    }
    expect((await login('developer', password, newAddress())).status).toBe(200);
  });
});

describe('the sessions of an account', () => {
  it('are listed with their addresses, and only their owner can end them', async () => {
    const [home, away] = [newAddress(), newAddress()];
    const own = app.bearer((await login('developer', password, home)).body.jwtToken);
    const lost = app.bearer((await login('developer', password, away)).body.jwtToken);
    const { items } = (await own('GET', '/joint-api/account/sessions/list?sort=-created_at&limit=2')).body;
    expect(items).toMatchObject([
      { ip: away, current: false },
      { ip: home, current: true },
    ]);
    const path = `/joint-api/account/sessions/${items[0].id}`;
    expect((await (await app.as('admin'))('DELETE', path)).status).toBe(404);
    expect((await lost('GET', '/joint-api/account')).status).toBe(200);
    expect((await own('DELETE', path)).body).toEqual({ deleted: { sessions: 1 } });
    expect((await lost('GET', '/joint-api/account')).status).toBe(401);
    expect((await own('GET', '/joint-api/account')).status).toBe(200);
  });
});

describe('changing your password', () => {
  const changed = 'nets & knots & depth';
  const change = (token: string, current_password: string, new_password: string) =>
    app.bearer(token)('PUT', '/joint-api/account/password', { current_password, new_password });
  const tokenOf = async (tried: string) => (await login('developer', tried, newAddress())).body.jwtToken as string;
  const statusOf = async (token: string) => (await app.bearer(token)('GET', '/joint-api/account')).status;

  it('ends all sessions, including the current one, and invalidates the old password', async () => {
    const [own, other] = [await tokenOf(password), await tokenOf(password)];
    expect(await statusOf(other)).toBe(200);
    const { status, body } = await change(own, password, changed);
    expect([status, body.message]).toEqual([200, expect.stringContaining('Sign in again')]);
    expect([await statusOf(own), await statusOf(other)]).toEqual([401, 401]);
    expect((await login('developer', password, newAddress())).status).toBe(401);
    expect((await change(await tokenOf(changed), changed, password)).status).toBe(200);
  });

  it('requires the current password, limits wrong tries, and is refused for API keys', async () => {
    const token = await tokenOf(password);
    const wrong = await change(token, 'wrong', changed);
    expect([wrong.status, wrong.body.details[0].field]).toEqual([400, 'current_password']);
    expect((await change(token, password, 'short')).body.details[0].field).toBe('new_password');
    for (let n = 0; n < 9; n += 1) await change(token, 'wrong', changed);
    expect((await change(token, password, changed)).status).toBe(429);
    const { body } = await app.bearer(token)('POST', '/joint-api/keys/addnew', { name: 'key', scope: 'all' });
    expect((await change(body.key, password, changed)).status).toBe(403);
  });
});
