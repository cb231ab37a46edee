import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { ConstantTimeResponder } from '../src/people/www/constant-time-responder.service.js';
import { NotificationMailer } from '../src/platform/notifications/emails/notification-mailer.service.js';
import type { Answer, TestApp } from './test-app.js';
import { newAddress, signUpForm } from './test-forms.js';
import { until } from './until.js';

/** Reads the e-mails that the application has written to its data folder, the oldest first. */
export async function mailsOf(app: TestApp): Promise<Email[]> {
  const folder = join(app.config.dataDir, 'mail');
  let names: string[] = [];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return Promise.all(names.map(name => PostalMime.parse(readFileSync(join(folder, name)))));
}

/**
 * Waits until the outbox is empty, then returns the e-mails to an address.
 * @throws Error when their number is not `count`.
 */
export async function mailsTo(app: TestApp, address: string, count: number): Promise<Email[]> {
  await outboxEmpty(app);
  const mails = (await mailsOf(app)).filter(({ to }) => to?.[0]?.address === address);
  if (mails.length !== count) {
    throw new Error(
      `${address} got ${mails.length} e-mails, not ${count}: ${mails.map(mail => mail.subject).join('; ')}`,
    );
  }
  return mails;
}

/** Keeps the events of an account in their table: its next e-mail about them is due in an hour. */
export const holdNotifications = (app: TestApp, accountId: string): Promise<unknown> =>
  app.sql(
    `INSERT INTO notification_settings (user_id, mailed_at) VALUES ($1, now())
     ON CONFLICT (user_id) DO UPDATE SET mailed_at = now()`,
    [accountId],
  );

/** Like `mailsTo`, after the e-mails about events that are due now. */
export async function notificationsTo(app: TestApp, address: string, count: number): Promise<Email[]> {
  // The first call may join one that began before the latest event.
  for (let calls = 0; calls < 2; calls += 1) await app.part(NotificationMailer).writeDue();
  return mailsTo(app, address, count);
}

/** Waits until all e-mails are sent. This is needed because the API responds before it sends them. */
export async function outboxEmpty(app: TestApp): Promise<void> {
  await app.part(ConstantTimeResponder).idle();
  await until(
    () =>
      app.sql<{ kind: string; attempts: number }>(
        `SELECT kind, attempts FROM outgoing_mails
         WHERE message IS NOT NULL AND (next_attempt_at <= now() OR attempts = 1)`,
      ),
    inProgress => inProgress.length === 0,
  );
}

/** Signs up with a new address. Returns the address and the token of the link in the e-mail that arrives. */
export async function signedUp(
  app: TestApp,
  post: (path: string, body: object) => Promise<Answer>,
): Promise<{ email: string; token: string }> {
  const email = newAddress();
  const { status } = await post('/www/users/register', signUpForm({ email }));
  if (status !== 200) throw new Error(`${email} was not signed up: ${status}`);
  const [mail] = await mailsTo(app, email, 1);
  return { email, token: tokenIn(mail) };
}

/** Returns the token of the link in an e-mail. */
export function tokenIn(mail: Email | undefined): string {
  const token = mail?.text?.match(/\/panel\/set-password#token=([\w-]+)/)?.[1];
  if (!token) throw new Error(`There is no link in the e-mail ${mail?.subject}: ${mail?.text}`);
  return token;
}
