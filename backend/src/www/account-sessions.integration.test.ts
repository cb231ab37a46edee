import { once } from 'node:events';
import { LIVE_NAMESPACE } from '@trawl/contracts';
import { Client } from 'pg';
import { io } from 'socket.io-client';
import { startTestApp, type TestApp } from '../../test/test-app.js';
import { newAddress, signUpForm } from '../../test/test-forms.js';
import { mailsTo, tokenIn } from '../../test/test-mails.js';
import { until } from '../../test/until.js';
import { SessionsService } from '../auth/sessions.service.js';
import { PasswordLinksService } from './password-links.service.js';

jest.setTimeout(60_000);

const PASSWORD = 'nets & knots & depth';

let app: TestApp;
let sessions: SessionsService;
let count = 0;

beforeAll(async () => {
  app = await startTestApp({ settings: { trustedProxies: ['127.0.0.1'] } });
  sessions = app.part(SessionsService);
});
afterAll(() => app?.close());

/** Each from an address of its own: no test is about how many there may be. */
const post = (path: string, body: object) =>
  app.anonymous('POST', path, body, { 'x-forwarded-for': `203.0.113.${++count}` });
const signUp = (email: string) => post('/www/users/register', signUpForm({ email }));
const setPassword = (token: string, password = PASSWORD) => post('/www/users/set-password', { token, password });
const linksOf = async (username: string) =>
  (await app.sql('SELECT 1 FROM password_links l JOIN users u ON u.id = l.user_id WHERE username = $1', [username]))
    .length;
const userOf = async (username: string) =>
  (await app.sql<any>('SELECT id, password_hash FROM users WHERE username = $1', [username]))[0];

async function signedUp(): Promise<{ email: string; token: string }> {
  const email = newAddress();
  await signUp(email);
  return { email, token: tokenIn((await mailsTo(app, email, 1))[0]) };
}

async function active(): Promise<string> {
  const { email, token } = await signedUp();
  expect((await setPassword(token)).status).toBe(200);
  return email;
}

describe('a link', () => {
  it('is 32 bytes of chance, more than anyone can guess', async () => {
    const tokens = [(await signedUp()).token, (await signedUp()).token];
    expect(tokens.map(token => Buffer.from(token, 'base64url').length)).toEqual([32, 32]);
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  it('that nobody used goes when its time is over, and others stay', async () => {
    const [{ email: old }, { email: recent }] = [await signedUp(), await signedUp()];
    await app.sql(
      `UPDATE password_links SET expires_at = now() - interval '1 second'
       WHERE user_id = (SELECT id FROM users WHERE username = $1)`,
      [old],
    );
    await app.part(PasswordLinksService).removeExpired();
    expect([await linksOf(old), await linksOf(recent)]).toEqual([0, 1]);
  });

  it('is not made for a disabled account by signing up once more', async () => {
    const { email } = await signedUp();
    await app.sql('UPDATE users SET disabled_at = now() WHERE username = $1', [email]);
    await signUp(email);
    const mails = await mailsTo(app, email, 2);
    expect(mails[1]?.text).not.toContain('token=');
    expect(await linksOf(email)).toBe(1);
  });

  it('is asked for by sign-ups with an open account’s address in vain, and only one e-mail an hour says so', async () => {
    const email = await active();
    for (let times = 0; times < 3; times += 1) await signUp(email);
    const mails = await mailsTo(app, email, 2);
    expect(mails[1]?.subject).toBe('You already have a Trawl account');
  });
});

describe('a session', () => {
  it('is not opened for a disabled account, whatever was checked before', async () => {
    const email = await active();
    const { id, password_hash } = await userOf(email);
    await app.sql('UPDATE users SET disabled_at = now() WHERE id = $1', [id]);
    expect(await sessions.open(id, password_hash)).toBeNull();
  });

  it('is not opened while the password is being changed', async () => {
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

  it('ends with its live connections when a new password is set', async () => {
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

  it('goes when its time is over, and others stay', async () => {
    const [old, recent] = [await userOf(await active()), await userOf(await active())];
    for (const { id, password_hash } of [old, recent]) await sessions.open(id, password_hash);
    await app.sql(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [old.id]);
    await sessions.removeExpired();
    const left = await app.sql('SELECT user_id FROM sessions WHERE user_id = ANY($1::uuid[])', [[old.id, recent.id]]);
    expect(left).toEqual([{ user_id: recent.id }]);
  });
});
