import { once } from 'node:events';
import { JwtService } from '@nestjs/jwt';
import { LIVE_NAMESPACE } from '@trawl/contracts';
import { Client } from 'pg';
import { io } from 'socket.io-client';
import { appForFile } from '../../../test/test-app.js';
import { signUpForm } from '../../../test/test-forms.js';
import { mailsTo, signedUp, tokenIn } from '../../../test/test-mails.js';
import { until } from '../../../test/until.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';
import { TokenResolver } from '../../platform/auth/tokens/token-resolver.service.js';
import { PasswordLinksService } from './password-links.service.js';

const PASSWORD = 'nets & knots & depth';

const { app } = appForFile({ settings: { trustedProxies: ['127.0.0.1'] } });
let sessions: SessionTokens;
let count = 0;

beforeAll(async () => {
  sessions = app.part(SessionTokens);
});

/** Each call has its own client address, so that rate limits never apply. */
const post = (path: string, body: object) =>
  app.anonymous('POST', path, body, { 'x-forwarded-for': `203.0.113.${++count}` });
const signUp = (email: string) => post('/www/users/register', signUpForm({ email }));
const setPassword = (token: string, password = PASSWORD) => post('/www/users/set-password', { token, password });
const linksOf = async (username: string) =>
  (await app.sql('SELECT 1 FROM password_links l JOIN users u ON u.id = l.user_id WHERE username = $1', [username]))
    .length;
const userOf = async (username: string) =>
  (await app.sql<any>('SELECT id, password_hash FROM users WHERE username = $1', [username]))[0];

const newAccount = () => signedUp(app, post);

async function active(): Promise<string> {
  const { email, token } = await newAccount();
  expect((await setPassword(token)).status).toBe(200);
  return email;
}

describe('a password link', () => {
  it('contains 32 random bytes', async () => {
    const tokens = [(await newAccount()).token, (await newAccount()).token];
    expect(tokens.map(token => Buffer.from(token, 'base64url').length)).toEqual([32, 32]);
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  it('is removed when it has expired, and unexpired links stay', async () => {
    const [{ email: old }, { email: recent }] = [await newAccount(), await newAccount()];
    await app.sql(
      `UPDATE password_links SET expires_at = now() - interval '1 second'
       WHERE user_id = (SELECT id FROM users WHERE username = $1)`,
      [old],
    );
    await app.part(PasswordLinksService).removeExpired();
    expect([await linksOf(old), await linksOf(recent)]).toEqual([0, 1]);
  });

  it('is not created when somebody signs up again with the address of a disabled account', async () => {
    const { email } = await newAccount();
    await app.sql('UPDATE users SET disabled_at = now() WHERE username = $1', [email]);
    await signUp(email);
    const mails = await mailsTo(app, email, 2);
    expect(mails[1]?.text).not.toContain('token=');
    expect(await linksOf(email)).toBe(1);
  });

  it('is not created by a sign-up with an active account’s address, which gets one e-mail an hour', async () => {
    const email = await active();
    for (let times = 0; times < 3; times += 1) await signUp(email);
    const mails = await mailsTo(app, email, 2);
    expect(mails[1]?.subject).toBe('You already have a Trawl account');
  });
});

describe('a session', () => {
  it('is not opened for a disabled account, even if the password was correct', async () => {
    const email = await active();
    const { id, password_hash } = await userOf(email);
    await app.sql('UPDATE users SET disabled_at = now() WHERE id = $1', [id]);
    expect(await sessions.open(id, password_hash)).toBeNull();
  });

  it('is not opened with the old password while the password is being changed', async () => {
    const { id, password_hash } = await userOf(await active());
    const change = new Client({ connectionString: app.config.postgresUrl });
    await change.connect();
    try {
      await change.query('BEGIN');
      await change.query(`UPDATE users SET password_hash = 'another' WHERE id = $1`, [id]);
      const opened = sessions.open(id, password_hash);
      let isDone = false;
      void opened.finally(() => (isDone = true));
      await until(
        async () =>
          isDone ||
          (await app.sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`)).length > 0,
        Boolean,
      );
      await change.query('COMMIT');
      expect(await opened).toBeNull();
    } finally {
      await change.end();
    }
    expect(await app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [id])).toEqual([]);
  });

  it('ends, with its live connections, when a new password is set', async () => {
    const email = await active();
    const { body } = await post('/panel/login', { username: email, password: PASSWORD });
    const socket = io(app.url + LIVE_NAMESPACE, {
      transports: ['websocket'],
      auth: { token: body.jwtToken },
      reconnection: false,
      forceNew: true,
    });
    try {
      await once(socket as never, 'connect');
      const disconnected = once(socket as never, 'disconnect');
      await post('/www/users/forgot-password', { email });
      expect((await setPassword(tokenIn((await mailsTo(app, email, 2))[1]), 'another password')).status).toBe(200);
      await disconnected;
    } finally {
      socket.close();
    }
  });

  it('is refused to a token that is unsigned or signed with another key', async () => {
    const { body } = await post('/panel/login', { username: await active(), password: PASSWORD });
    const { iat, exp, ...claims } = app.part(JwtService).decode(body.jwtToken);
    const unsigned = [
      { alg: 'none', typ: 'JWT' },
      { ...claims, iat, exp },
    ].map(part => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const forged = new JwtService({ secret: 'another secret' }).sign({ ...claims, iat, exp });
    for (const token of [forged, `${unsigned.join('.')}.`]) {
      expect((await app.bearer(token)('GET', '/joint-api/account')).status).toBe(401);
      const socket = io(app.url + LIVE_NAMESPACE, {
        transports: ['websocket'],
        auth: { token },
        reconnection: false,
        forceNew: true,
      });
      try {
        await once(socket as never, 'connect_error');
      } finally {
        socket.close();
      }
    }
    expect((await app.bearer(body.jwtToken)('GET', '/joint-api/account')).status).toBe(200);
  });

  it('is removed when it has expired, and unexpired sessions stay', async () => {
    const [old, recent] = [await userOf(await active()), await userOf(await active())];
    for (const { id, password_hash } of [old, recent]) await sessions.open(id, password_hash);
    await app.sql(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [old.id]);
    await sessions.removeExpired();
    const left = await app.sql('SELECT user_id FROM sessions WHERE user_id = ANY($1::uuid[])', [[old.id, recent.id]]);
    expect(left).toEqual([{ user_id: recent.id }]);
  });
});

describe('a renewed session', () => {
  const RENEW = '/joint-api/account/sessions/renew';
  const HOUR = 3600;

  /** Signs a new account in. `shift` moves the times of its session into the past. */
  async function signedIn(shift = '0 hours') {
    const username = await active();
    const { jwtToken: token } = (await post('/panel/login', { username, password: PASSWORD })).body;
    const { sid } = app.part(JwtService).decode(token);
    await app.sql(
      'UPDATE sessions SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval WHERE id = $1',
      [sid, shift],
    );
    return { username, token, sid, renew: () => app.bearer(token)('POST', RENEW) };
  }
  const secondsLeft = async (sid: string) =>
    (
      await app.sql<any>('SELECT extract(epoch FROM expires_at - now())::int AS s FROM sessions WHERE id = $1', [sid])
    )[0].s;
  /** Leaves a minute for the calls of a slow machine. */
  const expectAbout = (seconds: number, hours: number) => {
    expect(seconds).toBeGreaterThan(hours * HOUR - 60);
    expect(seconds).toBeLessThanOrEqual(hours * HOUR);
  };

  it('lasts five hours from now, and so does its new token', async () => {
    const { token, sid, renew } = await signedIn('4 hours');
    expectAbout(await secondsLeft(sid), 1);
    const { status, body } = await renew();
    expect(status).toBe(200);
    const { exp, ...claims } = app.part(JwtService).decode(body.jwtToken);
    expect(claims).toMatchObject({ sid });
    expectAbout(exp - Date.now() / 1000, 5);
    expectAbout(await secondsLeft(sid), 5);
    for (const each of [token, body.jwtToken])
      expect((await app.bearer(each)('GET', '/joint-api/account')).status).toBe(200);
  });

  it('ends 24 hours after the sign-in', async () => {
    const { sid, renew } = await signedIn();
    await app.sql(`UPDATE sessions SET created_at = now() - interval '22 hours' WHERE id = $1`, [sid]);
    const { exp } = app.part(JwtService).decode((await renew()).body.jwtToken);
    expectAbout(exp - Date.now() / 1000, 2);
    expectAbout(await secondsLeft(sid), 2);
  });

  it('does not lengthen the life of its earlier tokens', async () => {
    const { username, sid, renew } = await signedIn();
    await renew();
    const { id: sub } = await userOf(username);
    const resolver = app.part(TokenResolver);
    // The guard has verified the earlier token just before it expired.
    await resolver.resolveSession('earlier token', { sub, sid, exp: Math.floor(Date.now() / 1000) - 1 });
    expect(resolver.cached('earlier token')).toBeNull();
  });

  it.each([
    ['has ended', 'DELETE FROM sessions WHERE id = $1'],
    ['has expired', `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1`],
    [
      'belongs to a disabled account',
      `UPDATE users SET disabled_at = now() WHERE id = (SELECT user_id FROM sessions WHERE id = $1)`,
    ],
    [
      'belongs to an expired account',
      `UPDATE users SET expires_at = now() WHERE id = (SELECT user_id FROM sessions WHERE id = $1)`,
    ],
  ])('is refused if the session %s', async (_case, change) => {
    const { username, sid, renew } = await signedIn();
    await app.sql(change, [sid]);
    expect(await sessions.renew((await userOf(username)).id, sid)).toBeNull();
    expect((await renew()).status).toBe(401);
  });

  it('is refused after the password was changed', async () => {
    const { token, renew } = await signedIn();
    const changed = { current_password: PASSWORD, new_password: 'another password' };
    expect((await app.bearer(token)('PUT', '/joint-api/account/password', changed)).status).toBe(200);
    expect((await renew()).status).toBe(401);
  });
});
