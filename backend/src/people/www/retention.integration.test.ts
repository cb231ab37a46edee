import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { appForFile } from '../../../test/test-app.js';
import { contactForm, signUpForm } from '../../../test/test-forms.js';
import { mailsTo, outboxEmpty, signedUp } from '../../../test/test-mails.js';

const PASSWORD = 'nets & knots & depth';
const logged: string[] = [];

const { app } = appForFile({
  settings: { contactEmail: 'operator@example.com' },
  logger: pino({ level: 'trace' }, { write: line => void logged.push(line) }),
});

const post = (path: string, body: unknown) => app.anonymous('POST', path, body);
const setPassword = (token: string) => post('/www/users/set-password', { token, password: PASSWORD });
const idOf = async (username: string) =>
  (await app.sql<{ id: string }>('SELECT id FROM users WHERE username = $1', [username]))[0]?.id;

const newAccount = () => signedUp(app, post);

describe('data retention', () => {
  /** Restarts the application, because the hourly cleanup also runs at the start. */
  async function restarted(): Promise<void> {
    await app.stop();
    await app.start();
  }

  it('removes accounts that were never activated after 30 days, with their links', async () => {
    const [{ email: old }, { email: recent }, { email: open, token }] = [
      await newAccount(),
      await newAccount(),
      await newAccount(),
    ];
    expect((await setPassword(token)).status).toBe(200);
    await app.sql(
      `UPDATE users SET created_at = now() - CASE WHEN username = $2 THEN 29 ELSE 31 END * interval '1 day'
       WHERE username = ANY($1)`,
      [[old, recent, open], recent],
    );
    // Signing up again with the same address does not make the account stay longer.
    await post('/www/users/register', signUpForm({ email: old }));
    await mailsTo(app, old, 2);
    await restarted();
    expect([await idOf(old), await idOf(recent), await idOf(open)]).toEqual([
      undefined,
      expect.any(String),
      expect.any(String),
    ]);
  });

  it('removes contact messages after a year', async () => {
    for (const subject of ['old', 'recent']) await post('/www/contact', contactForm({ subject }));
    await app.sql(`UPDATE contact_messages SET created_at = now() - interval '366 days' WHERE subject = 'old'`);
    await restarted();
    expect(await app.sql('SELECT subject FROM contact_messages')).toEqual([{ subject: 'recent' }]);
  });

  it('logs the file of each e-mail, but no link, password, address or message', async () => {
    const { email, token } = await newAccount();
    await setPassword(token);
    await post('/panel/login', { username: email, password: PASSWORD });
    await post('/www/contact', contactForm({ name: 'Unmistakable Visitor', email }));
    await outboxEmpty(app);
    const text = logged.join('');
    const files = readdirSync(join(app.config.dataDir, 'mail'));
    expect(files.every(file => text.includes(file))).toBe(true);
    for (const secret of [token, PASSWORD, email, 'Unmistakable', contactForm().msg as string]) {
      expect(text).not.toContain(secret);
    }
  });

  it('removes e-mail files after 30 days, and leaves other files in their folder', async () => {
    const folder = join(app.config.dataDir, 'mail');
    const day = 24 * 60 * 60;
    const ages = { 'old.eml': 31 * day, 'recent.eml': 29 * day, 'old.txt': 31 * day };
    for (const [name, seconds] of Object.entries(ages)) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
    }
    await restarted();
    expect(readdirSync(folder).filter(name => name in ages)).toEqual(['old.txt', 'recent.eml']);
    for (const name of ['old.txt', 'recent.eml']) rmSync(join(folder, name));
  });

  it('makes e-mail files readable by their owner only', () => {
    const folder = join(app.config.dataDir, 'mail');
    const [file] = readdirSync(folder);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, String(file))).mode & 0o777]).toEqual([0o700, 0o600]);
  });
});
