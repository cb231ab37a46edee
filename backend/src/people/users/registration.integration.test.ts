import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../test/test-app.js';
import { newAddress, signUpForm } from '../../../test/test-forms.js';
import { mailsTo, signedUp, tokenIn } from '../../../test/test-mails.js';
import { TestWorker } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { SessionTokens } from '../../platform/auth/session-tokens.service.js';

const OPERATOR = 'operator@example.com';
const PASSWORD = 'nets & knots & depth';
const logged: string[] = [];

const { app } = appForFile({
  settings: { contactEmail: OPERATOR, trustedProxies: ['127.0.0.1'] },
  logger: pino({ level: 'trace' }, { write: line => void logged.push(line) }),
});
let count = 0;
const workers: TestWorker[] = [];

afterEach(async () => {
  for (const worker of workers.splice(0)) worker.close();
  await app.sql('DELETE FROM workers');
  await app.sql('DELETE FROM waiting_assignments');
});

const post = (path: string, body: unknown) =>
  app.anonymous('POST', path, body, { 'x-forwarded-for': `203.0.113.${(count++ % 250) + 1}` });
const setPassword = (token: string, password = PASSWORD) => post('/www/users/set-password', { token, password });
const forgot = (email: string) => post('/www/users/forgot-password', { email });
const login = (username: string, password = PASSWORD) => post('/panel/login', { username, password });
const idOf = async (username: string) =>
  (await app.sql<{ id: string }>('SELECT id FROM users WHERE username = $1', [username]))[0]?.id;

const profileOf = (email: string) =>
  app.sql<any>('SELECT p.* FROM profiles p JOIN users u ON u.id = p.user_id WHERE username = $1', [email]);

const newAccount = () => signedUp(app, post);

async function active(): Promise<string> {
  const { email, token } = await newAccount();
  expect((await setPassword(token)).status).toBe(200);
  return email;
}

async function resetToken(email: string, earlierMails = 1): Promise<string> {
  await forgot(email);
  return tokenIn((await mailsTo(app, email, earlierMails + 1)).at(-1));
}

async function worker(hello: object, isPublic = true): Promise<string> {
  const admin = await app.as('admin');
  const { body } = await admin('POST', '/joint-api/workers/addnew', { name: `w-${count++}`, public: isPublic });
  workers.push(await TestWorker.connect(app, body.key, hello));
  return body.id;
}

const assignedTo = async (email: string) =>
  (await app.sql<any>('SELECT worker_id FROM worker_assignments WHERE user_id = $1', [await idOf(email)])).map(
    row => row.worker_id,
  );
const waiting = async (email: string) =>
  (await app.sql('SELECT 1 FROM waiting_assignments WHERE user_id = $1', [await idOf(email)])).length === 1;

/** Returns the number of minutes until the account's newest link expires. */
async function minutesLeft(email: string): Promise<number | undefined> {
  const [link] = await app.sql<{ minutes: number }>(
    `SELECT round(extract(epoch FROM expires_at - now()) / 60)::int AS minutes FROM password_links
     WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`,
    [await idOf(email)],
  );
  return link?.minutes;
}

const NOT_USABLE = { status: 422, body: { error_code: 'link_not_usable' } };

describe('the link in the activation e-mail', () => {
  it('sets the password and activates the account', async () => {
    const { email, token } = await newAccount();
    expect(await setPassword(token)).toMatchObject({ status: 200, body: { msg: expect.any(String) } });
    const { status, body } = await login(email.toUpperCase());
    expect([status, body.loggedUser]).toEqual([200, expect.objectContaining({ username: email, role: 'developer' })]);
    expect((await login(email, `${PASSWORD} `)).status).toBe(401);
  });

  it('works once, even when it is used twice at the same time', async () => {
    const { email, token } = await newAccount();
    const passwords = [1, 2, 3].map(n => `${PASSWORD} ${n}`);
    const answers = await Promise.all(passwords.map(password => setPassword(token, password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    const logins = await Promise.all(passwords.map(password => login(email, password)));
    expect(logins.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 200 ? 200 : 401)));
    expect(await setPassword(token)).toMatchObject(NOT_USABLE);
  });

  it('activates the account only once when several links are used at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = newAddress();
      for (let n = 0; n < 5; n += 1) await post('/www/users/register', signUpForm({ email }));
      const tokens = (await mailsTo(app, email, 5)).map(tokenIn);
      const answers = await Promise.all([...tokens, ...tokens].map(token => setPassword(token)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(422)]);
    }
  });

  it('saves the profile of its own sign-up, not of a later sign-up with the same address', async () => {
    const { email, token } = await newAccount();
    await post('/www/users/register', signUpForm({ email, city: 'Elsewhere', company_name: 'Not theirs' }));
    await mailsTo(app, email, 2);
    expect((await setPassword(token)).status).toBe(200);
    expect(await profileOf(email)).toMatchObject([{ city: 'Zagreb', company_name: '' }]);
    expect(await app.sql('SELECT 1 FROM password_links WHERE user_id = $1', [await idOf(email)])).toEqual([]);
  });

  it('is invalidated when another link of the account is used', async () => {
    const { email, token } = await newAccount();
    await post('/www/users/register', signUpForm({ email }));
    const second = tokenIn((await mailsTo(app, email, 2))[1]);
    expect((await setPassword(second)).status).toBe(200);
    expect(await setPassword(token)).toMatchObject(NOT_USABLE);
  });

  it('expires after a day, and a new one can be requested', async () => {
    const { email, token } = await newAccount();
    expect(await minutesLeft(email)).toBe(24 * 60);
    await app.sql(`UPDATE password_links SET expires_at = now()`);
    expect(await setPassword(token)).toMatchObject(NOT_USABLE);
    expect((await login(email)).status).toBe(401);
    expect((await setPassword(await resetToken(email))).status).toBe(200);
    expect((await login(email)).status).toBe(200);
  });

  it('cannot be forged, and is not stored in the database', async () => {
    const { token } = await newAccount();
    const altered = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const forged of [altered, 'x', ' ', "' OR 1=1 --", token.toLowerCase()]) {
      expect(await setPassword(forged)).toMatchObject(NOT_USABLE);
    }
    expect((await setPassword('')).body.error_code).toBe('validation_failed');
    const rows = await app.sql<any>(
      `SELECT encode(token_hash, 'escape') AS text FROM password_links
       UNION ALL SELECT encode(message, 'escape') FROM outgoing_mails WHERE message IS NOT NULL`,
    );
    expect(rows.some(({ text }) => text.includes(token))).toBe(false);
    expect((await setPassword(token)).status).toBe(200);
  });

  it('shows the user name while it is valid, and can still be used afterwards', async () => {
    const { email, token } = await newAccount();
    const look = () => post('/www/users/password-link', { token });
    expect(await look()).toMatchObject({ status: 200, body: { username: email } });
    expect(await look()).toMatchObject({ status: 200 });
    expect((await setPassword(token)).status).toBe(200);
    expect(await look()).toMatchObject(NOT_USABLE);
    expect(await post('/www/users/password-link', { token: 'x' })).toMatchObject(NOT_USABLE);
  });

  it('refuses a password without a visible character', async () => {
    const { token } = await newAccount();
    for (const blanks of [' '.repeat(10), '\u00a0\t'.repeat(6)]) {
      const { status, body } = await setPassword(token, blanks);
      expect([status, body.details[0]]).toEqual([
        400,
        { field: 'password', message: expect.stringContaining('at least one visible character') },
      ]);
    }
    expect((await setPassword(token)).status).toBe(200);
  });

  it.each([9, 201])('refuses a password of %i characters and stays valid', async length => {
    const { token } = await newAccount();
    const { status, body } = await setPassword(token, 'x'.repeat(length));
    expect([status, body.details[0].field]).toEqual([400, 'password']);
    expect((await setPassword(token, 'x'.repeat(length === 9 ? 10 : 200))).status).toBe(200);
  });
});

describe('a sign-up with the address of an active account', () => {
  it('gets the usual response, sends an e-mail about it, and does not change the account', async () => {
    const email = await active();
    const before = await app.sql('SELECT * FROM users u JOIN profiles p ON p.user_id = u.id WHERE username = $1', [
      email,
    ]);
    const again = await post('/www/users/register', signUpForm({ email: email.toUpperCase(), city: 'Elsewhere' }));
    const fresh = await post('/www/users/register', signUpForm());
    expect([again.status, again.body]).toEqual([fresh.status, fresh.body]);
    const mail = (await mailsTo(app, email, 2))[1];
    expect(mail?.subject).toBe('You already have a Trawl account');
    expect(mail?.text).not.toContain('token=');
    expect(
      await app.sql('SELECT * FROM users u JOIN profiles p ON p.user_id = u.id WHERE username = $1', [email]),
    ).toEqual(before);
    expect((await login(email)).status).toBe(200);
  });
});

describe('a reset of a forgotten password', () => {
  it('with a link within an hour ends every session of the account', async () => {
    const email = await active();
    const tokens = [(await login(email)).body.jwtToken, (await login(email)).body.jwtToken];
    const others = (await login(await active())).body.jwtToken;
    const account = async (token: string) =>
      (await app.anonymous('GET', '/joint-api/account', undefined, { authorization: `Bearer ${token}` })).status;
    const token = await resetToken(email);
    expect(await minutesLeft(email)).toBe(60);
    expect(await Promise.all(tokens.map(account))).toEqual([200, 200]);
    expect((await setPassword(token, 'another password')).status).toBe(200);
    expect(await Promise.all(tokens.map(account))).toEqual([401, 401]);
    expect(await account(others)).toBe(200);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, 'another password')).status).toBe(200);
    expect(await app.sql('SELECT name FROM mongo_databases WHERE owner_id = $1', [await idOf(email)])).toHaveLength(1);
  });

  it('during a login keeps the old password from opening a session', async () => {
    const email = await active();
    const [user] = await app.sql<any>('SELECT id, password_hash FROM users WHERE username = $1', [email]);
    const sessions = app.part(SessionTokens);
    expect(await sessions.open(user.id, user.password_hash)).toEqual(expect.any(String));
    await setPassword(await resetToken(email), 'another password');
    expect(await sessions.open(user.id, user.password_hash)).toBeNull();
    expect(await app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('is answered alike whether or not the account exists, and unknown addresses get no e-mail', async () => {
    const [known, unknown] = [await active(), newAddress()];
    const answers = [await forgot(known), await forgot(unknown), await forgot('admin@example.com')];
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    await mailsTo(app, unknown, 0);
    expect(await idOf(unknown)).toBeUndefined();
    expect((await forgot('not an address')).body.error_message).toBe('Enter valid email');
  });

  it('sends at most five e-mails an hour, even for concurrent requests', async () => {
    const email = await active();
    await Promise.all(Array.from({ length: 12 }, () => forgot(email)));
    await mailsTo(app, email, 6); // the very first one is of another kind
  });

  it('sends a link even after many sign-ups with the same address', async () => {
    const email = await active();
    for (let n = 0; n < 7; n += 1) await post('/www/users/register', signUpForm({ email }));
    const mails = await mailsTo(app, email, 2);
    expect(mails[1]?.subject).toBe('You already have a Trawl account');
    expect((await setPassword(await resetToken(email, 2), 'another password')).status).toBe(200);
  });

  it('is answered while the account’s row is locked, and the e-mail follows when the lock is released', async () => {
    const email = await active();
    const locker = app.part(DataSource).createQueryRunner();
    await locker.startTransaction();
    try {
      await locker.query('SELECT 1 FROM users WHERE username = $1 FOR UPDATE', [email]);
      const known = await Promise.all([forgot(email), forgot(email)]);
      expect(known.map(({ status }) => status)).toEqual([200, 200]);
      await locker.rollbackTransaction();
    } finally {
      await locker.release();
    }
    await mailsTo(app, email, 3);
  });

  it('is refused for a disabled account, even with an earlier link', async () => {
    const email = await active();
    const token = await resetToken(email);
    await app.sql('UPDATE users SET disabled_at = now() WHERE username = $1', [email]);
    expect(await setPassword(token)).toMatchObject(NOT_USABLE);
    await forgot(email);
    await mailsTo(app, email, 2);
  });
});

describe('the FREE PACK', () => {
  it('consists of a database and the public full-sandbox worker with the fewest accounts per slot', async () => {
    const small = await worker({ sandbox: 'full', slots: 1 });
    const large = await worker({ sandbox: 'full', slots: 4 });
    await worker({ sandbox: 'reduced', slots: 50 });
    await worker({ sandbox: 'full', slots: 50 }, false);
    const emails: string[] = [];
    for (let n = 0; n < 4; n += 1) emails.push(await active());
    const assigned: string[] = [];
    for (const email of emails) assigned.push(...(await assignedTo(email)));
    expect(assigned).toHaveLength(4);
    expect(assigned.filter(id => id === small)).toHaveLength(1);
    expect(assigned.filter(id => id === large)).toHaveLength(3);
    const databases = await app.sql<any>('SELECT name FROM mongo_databases WHERE owner_id = $1', [
      await idOf(emails[0] as string),
    ]);
    expect(databases).toEqual([{ name: 'main' }]);
    expect(await waiting(emails[0] as string)).toBe(false);
  });

  it('waits when no suitable worker exists, and gets the first one that connects', async () => {
    await worker({ sandbox: 'reduced' });
    const [first, second] = [await active(), await active()];
    expect([await waiting(first), await assignedTo(first)]).toEqual([true, []]);
    expect(logged.join('')).toContain('account waits for its free worker');

    await worker({ sandbox: 'none' });
    await worker({ sandbox: 'full' }, false);
    expect(await waiting(first)).toBe(true);
    const fitting = await worker({ sandbox: 'full' });
    await until(async () => !(await waiting(first)) && !(await waiting(second)), Boolean);
    expect([await assignedTo(first), await assignedTo(second)]).toEqual([[fitting], [fitting]]);
  });

  it('runs no code on a worker without the full sandbox', async () => {
    const email = await active();
    const { jwtToken } = (await login(email)).body;
    const authorization = { authorization: `Bearer ${jwtToken}` };
    const call = (path: string, body: object) => app.anonymous('POST', path, body, authorization);
    const read = async (path: string) => (await app.anonymous('GET', path, undefined, authorization)).body;
    const workerId = await worker({ sandbox: 'reduced' });
    const skript = (await call('/joint-api/skripts/addnew', { title: 'Mine' })).body;
    await call('/joint-api/skript-files/addnew', {
      skript_id: skript.id,
      name: 'main.js',
      content: 'module.exports = () => 1;',
    });
    for (const worker_id of [workerId, 'any']) {
      const { status, body } = await call('/joint-api/execute-skript/single-worker/start?wait_ms=0', {
        worker_id,
        skript_id: skript.id,
      });
      expect([status, body.error_code, body.error_message]).toEqual([
        403,
        'forbidden',
        expect.stringContaining('Your free worker is not ready yet'),
      ]);
    }
    expect((await read('/joint-api/account')).free_worker).toBe('waiting');
    expect((await read('/apps/workers/list')).items).toMatchObject([{ id: workerId, status: 'online', usable: false }]);

    const fitting = await worker({ sandbox: 'full' });
    await until(async () => !(await waiting(email)), Boolean);
    expect((await read('/joint-api/account')).free_worker).toBe('assigned');
    expect((await read(`/apps/workers/list?sort=-created_at`)).items).toMatchObject([
      { id: fitting, usable: true },
      { id: workerId, usable: false },
    ]);
  });
});
