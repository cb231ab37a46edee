import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../test/test-app.js';
import { contactForm, signUpForm } from '../../../test/test-forms.js';
import { mailsOf, mailsTo, outboxEmpty, tokenIn } from '../../../test/test-mails.js';
import { until } from '../../../test/until.js';
import { makeLogger } from '../common/logger.js';
import { toMessage } from './message.js';
import { OutboxService } from './outbox.service.js';

const OPERATOR = 'operator@example.com';
const logged: string[] = [];

const { app } = appForFile({
  settings: { contactEmail: OPERATOR },
  logger: makeLogger({ logLevel: 'info' }, { write: line => void logged.push(line) }),
});
let outbox: OutboxService;
let earlierMails: number;

beforeAll(async () => {
  outbox = app.part(OutboxService);
});
beforeEach(async () => {
  earlierMails = (await mailsOf(app)).length;
});
afterEach(() => app.sql('DELETE FROM outgoing_mails'));

const add = (subject: string, usefulHours = 1) =>
  app.part(DataSource).transaction(async manager => {
    const mail = { to: OPERATOR, subject, text: 'Text', html: '<p>Text</p>' };
    await outbox.add(manager, 'contact', mail, usefulHours);
  });
const sent = async () => (await mailsOf(app)).slice(earlierMails).map(({ subject }) => subject);
const rows = () =>
  app.sql<any>(
    `SELECT id, attempts, round(extract(epoch FROM next_attempt_at - now()) / 60)::int AS minutes,
       round(extract(epoch FROM send_before - created_at) / 3600)::int AS hours, kind
     FROM outgoing_mails ORDER BY id`,
  );

it('an e-mail that another backend is sending delays no other e-mail, and is not sent twice', async () => {
  await add('Held elsewhere');
  const elsewhere = new Client({ connectionString: app.config.postgresUrl });
  await elsewhere.connect();
  try {
    await elsewhere.query('BEGIN');
    await elsewhere.query('SELECT 1 FROM outgoing_mails FOR UPDATE');
    await add('Free');
    outbox.flush();
    await until(sent, subjects => subjects.includes('Free'));
    expect(await sent()).toEqual(['Free']);
    await elsewhere.query('ROLLBACK');
  } finally {
    await elsewhere.end();
  }
  outbox.flush();
  await outboxEmpty(app);
  expect(await sent()).toEqual(['Free', 'Held elsewhere']);
});

it('each e-mail is sent once, however often the outbox is flushed', async () => {
  const subjects = Array.from({ length: 12 }, (_, n) => `Number ${n}`);
  for (const subject of subjects) await add(subject);
  for (let times = 0; times < 50; times += 1) outbox.flush();
  await outboxEmpty(app);
  expect((await sent()).sort()).toEqual([...subjects].sort());
});

it('an expired e-mail is not sent, and a log line names its id', async () => {
  await add('Too late', -1);
  await add('In time');
  outbox.flush();
  await until(sent, subjects => subjects.includes('In time'));
  expect(await sent()).toEqual(['In time']);
  const [late] = await rows();
  expect(late.attempts).toBe(0);

  await outbox.removeOld();
  const line = logged.find(text => text.includes(late.id));
  expect(JSON.parse(String(line))).toMatchObject({
    level: 50,
    kind: 'contact',
    msg: 'e-mail not sent in time; dropped',
  });
});

it('a failed e-mail is retried after 1, 2, 4, 8, 16, 32 and then 60 minutes', async () => {
  const folder = join(app.config.dataDir, 'mail');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, 'in the way of the folder');
  try {
    await add('Patience');
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 8; attempts += 1) {
      await app.sql('UPDATE outgoing_mails SET next_attempt_at = now()');
      outbox.flush();
      const [row] = await until(rows, ([mail]) => mail.attempts === attempts);
      waits.push(row.minutes);
      await until(
        () => logged.filter(line => line.includes(row.id)).length,
        failures => failures === attempts,
      );
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  } finally {
    rmSync(folder);
  }
});

it('an activation e-mail expires after a day, a password reset after an hour, a contact copy after a week', async () => {
  const form = signUpForm();
  const post = (path: string, body: object) => app.anonymous('POST', path, body);
  await post('/www/users/register', form);
  const email = String(form.email);
  const [mail] = await mailsTo(app, email, 1);
  await post('/www/users/set-password', { token: tokenIn(mail), password: 'nets & knots & depth' });
  await post('/www/users/forgot-password', { email });
  await post('/www/users/register', form);
  await post('/www/contact', contactForm());
  await outboxEmpty(app);
  const hours = Object.fromEntries((await rows()).map(row => [row.kind, row.hours]));
  expect(hours).toMatchObject({ activation: 24, password_reset: 1, account_exists: 24, contact: 7 * 24 });
});

it.each([
  ['path', __filename],
  ['href', 'http://127.0.0.1:9/'],
])('an e-mail whose content is given as a %s is refused, and nothing is read from there', async (kind, place) => {
  const text = { [kind]: place } as unknown as string;
  const message = toMessage({ to: OPERATOR, subject: 'S', text, html: '<p>Text</p>' }, 'info@localhost');
  const transporter = createTransport({ streamTransport: true, buffer: true });
  await expect(transporter.sendMail(message)).rejects.toThrow(/access rejected/);
});
