import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { UnhurriedWork } from '../src/www/unhurried-work.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

/** The e-mails that the application wrote into its data folder, oldest first. */
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

/** Those to one address, once there are that many and nothing is left to be sent. */
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

/** Answers are sent before e-mails are: this waits for these. */
export async function outboxEmpty(app: TestApp): Promise<void> {
  await app.part(UnhurriedWork).done();
  await until(
    () =>
      app.sql<{ kind: string; attempts: number }>(
        `SELECT kind, attempts FROM outgoing_mails
         WHERE message IS NOT NULL AND (next_attempt_at <= now() OR attempts = 1)`,
      ),
    underWay => underWay.length === 0,
  );
}

/** The token of the link in an e-mail. */
export function tokenIn(mail: Email | undefined): string {
  const token = mail?.text?.match(/\/panel\/set-password\?token=([\w-]+)/)?.[1];
  if (!token) throw new Error(`There is no link in the e-mail ${mail?.subject}: ${mail?.text}`);
  return token;
}
