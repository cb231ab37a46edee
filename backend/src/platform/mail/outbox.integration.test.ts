import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { startTestApp, type TestApp } from '../../../test/test-app.js';
import { contactForm, newAddress, signUpForm } from '../../../test/test-forms.js';
import { outboxEmpty, tokenIn } from '../../../test/test-mails.js';
import { until } from '../../../test/until.js';
import { ConstantTimeResponder } from '../../people/www/constant-time-responder.service.js';
import { OutboxService } from './outbox.service.js';

const OPERATOR = 'operator@example.com';
const USER = { username: 'trawl', password: 'p@ss/word' };

interface Received {
  to: string[];
  raw: string;
  mail: Email;
}

let server: SMTPServer;
let port: number;
let app: TestApp;
let received: Received[] = [];
const logged: string[] = [];
let refuse: ((address: string) => Error | null) | undefined;
/** If set, the server refuses each complete e-mail with this error. */
let refuseMessage: Error | undefined;
/** If set, the server responds to an e-mail only after this promise resolves. */
let held: Promise<void> | undefined;

async function startServer(onPort: number): Promise<void> {
  server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === USER.username && password === USER.password
        ? done(null, { user: username })
        : done(new Error('wrong')),
    onRcptTo: ({ address }, _session, done) => done(refuse?.(address)),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (!refuseMessage) received.push({ to, raw, mail: await PostalMime.parse(raw) });
        await held;
        done(refuseMessage);
      });
    },
  });
  server.on('error', () => undefined); // clients that disconnect; the tests check what arrived
  await new Promise<void>(resolve => server.listen(onPort, '127.0.0.1', resolve));
  port = (server.server.address() as AddressInfo).port;
}

const stopServer = () => new Promise<void>(resolve => server.close(resolve));

beforeAll(async () => {
  await startServer(0);
  const smtpUrl = `smtp://${USER.username}:${encodeURIComponent(USER.password)}@127.0.0.1:${port}`;
  const logger = pino({ level: 'trace' }, { write: line => void logged.push(line) });
  app = await startTestApp({
    settings: { smtpUrl, contactEmail: OPERATOR, siteEmail: 'info@trawl.example' },
    logger,
  });
});
beforeEach(() => {
  received = [];
  refuse = undefined;
});
afterAll(async () => {
  await app?.close();
  await stopServer();
});

const contact = (changes?: object) => app.anonymous('POST', '/www/contact', contactForm(changes));
const outbox = () =>
  app.sql<any>('SELECT id, kind, attempts, message IS NOT NULL AS waits, done_at FROM outgoing_mails ORDER BY id');

/** Makes all e-mails due now. */
async function tryAgain(): Promise<void> {
  await app.sql('UPDATE outgoing_mails SET next_attempt_at = now(), attempts = 0 WHERE message IS NOT NULL');
  app.part(OutboxService).flush();
  await outboxEmpty(app);
}

/** Calls `act`, and waits until exactly one more attempt to send has failed. */
async function oneMoreFails(act: () => Promise<unknown>): Promise<void> {
  const failed = () => logged.filter(line => line.includes('failed to send e-mail')).length;
  const before = failed();
  await act();
  await until(failed, now => now !== before);
  expect(failed()).toBe(before + 1);
}

const refusing = (responseCode: number) => (address: string) =>
  Object.assign(new Error(`<${address}> as the server sees it`), { responseCode });

describe('e-mail over SMTP', () => {
  it('arrives as text and HTML from the site’s address, and its content is deleted', async () => {
    const email = newAddress();
    await app.anonymous('POST', '/www/users/register', signUpForm({ email }));
    await outboxEmpty(app);
    expect(received.map(({ to }) => to)).toEqual([[email]]);
    const { mail } = received[0] as Received;
    expect([mail.from?.address, mail.to?.[0]?.address, mail.replyTo]).toEqual(['info@trawl.example', email, undefined]);
    expect(mail.html).toContain(`href="http://localhost/panel/set-password#token=${tokenIn(mail)}"`);
    expect(await outbox()).toMatchObject([{ kind: 'activation', waits: false, done_at: expect.any(Date) }]);
  });

  it('has only the headers that Trawl sets, whatever a visitor writes into the form', async () => {
    const hostile = 'x\r\nBcc: victim@example.org\nX-Evil: 1\r\n.\r\nMAIL FROM:<x@example.org> \u202e<b>é</b>';
    await contact({
      name: `A ${hostile}`,
      subject: hostile,
      msg: `${hostile}\r\n.\r\n${'y'.repeat(130)}`,
      referer: hostile,
    });
    await outboxEmpty(app);
    expect(received.map(({ to }) => to)).toEqual([[OPERATOR]]);
    const { raw, mail } = received[0] as Received;
    const names = mail.headers.map(({ key }) => key).sort();
    expect(names).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'reply-to',
        'subject',
        'to',
      ].sort(),
    );
    expect(mail.subject).toContain('Bcc: victim@example.org');
    expect(mail.replyTo?.[0]?.address).toBe('ada@example.com');
    expect(mail.html).toContain('&#60;b&#62;');
    expect(raw).not.toMatch(/^X-Evil/m);
  });

  it('that cannot be sent does not make the form fail, and is sent when the SMTP server is back', async () => {
    await stopServer();
    await oneMoreFails(async () => expect((await contact({ subject: 'While it was down' })).status).toBe(200));
    expect(received).toEqual([]);
    await startServer(port);
    await tryAgain();
    expect(received.map(({ mail }) => mail.subject)).toEqual(['Contact: While it was down']);
  });

  it('is retried for a full mailbox, and dropped for an unknown mailbox', async () => {
    refuse = refusing(452);
    await oneMoreFails(() => contact({ subject: 'Full for now' }));
    refuse = undefined;
    await tryAgain();
    expect(received).toHaveLength(1);

    refuse = refusing(550);
    await contact({ subject: 'Nobody there' });
    await outboxEmpty(app);
    refuse = undefined;
    await tryAgain();
    expect(received).toHaveLength(1);
    expect((await outbox()).filter(({ waits }) => waits)).toEqual([]);
  });

  it('is dropped when the SMTP server refuses its content, without logging the server’s text', async () => {
    refuseMessage = Object.assign(new Error('5.7.1 spam from <ADA@example.com>'), { responseCode: 554 });
    const before = logged.length;
    await contact({ subject: 'Refused' });
    await outboxEmpty(app);
    refuseMessage = undefined;
    await tryAgain();
    expect(received).toEqual([]);
    const text = logged.slice(before).join('');
    expect(text).toContain('SMTP: EMESSAGE 554 5.7.1');
    expect(text.toLowerCase()).not.toContain('ada@');
  });

  it('is retried when the SMTP server refuses the password of Trawl', async () => {
    refuse = refusing(535);
    await oneMoreFails(() => contact({ subject: 'Wrong password' }));
    refuse = undefined;
    await tryAgain();
    expect(received.map(({ mail }) => mail.subject)).toEqual(['Contact: Wrong password']);
  });

  it('is sent while other e-mails hang, and links are sent before copies for the operator', async () => {
    let release = () => {};
    held = new Promise(resolve => {
      release = resolve;
    });
    const came = (count: number) =>
      until(
        () => received.length,
        now => now >= count,
      );
    try {
      for (let n = 0; n < 10; n += 1) await contact();
      await came(4);
      await app.anonymous('POST', '/www/users/register', signUpForm());
      await app.part(ConstantTimeResponder).idle();
    } finally {
      release();
    }
    await came(11);
    held = undefined;
    await outboxEmpty(app);
    const kinds = received.map(({ mail }) => (mail.subject?.startsWith('Contact') ? 'copy' : 'link'));
    expect(kinds.slice(0, 4)).toEqual(Array(4).fill('copy'));
    expect(kinds.indexOf('link')).toBeLessThan(7);
  });

  it('that fails is logged with the reason, without an address, a password or its content', async () => {
    const before = logged.length;
    refuse = refusing(452);
    await oneMoreFails(() => contact());
    refuse = undefined;
    await stopServer();
    await oneMoreFails(() => contact());
    await startServer(port);
    await tryAgain();
    const text = logged.slice(before).join('');
    expect(text).toContain('SMTP: EENVELOPE 452');
    expect(text).not.toContain('as the server sees it');
    expect(text).toContain('ECONNREFUSED');
    const words = contactForm();
    for (const secret of [OPERATOR, USER.password, encodeURIComponent(USER.password), words.email, words.msg]) {
      expect(text).not.toContain(secret);
    }
  });

  it('that was not sent before a restart of the backend is sent afterwards', async () => {
    await stopServer();
    await oneMoreFails(() => contact({ subject: 'Before the restart' }));
    await app.stop();
    await startServer(port);
    await app.start();
    await tryAgain();
    expect(received.map(({ mail }) => mail.subject)).toEqual(['Contact: Before the restart']);
  });

  it('is dropped when it has expired, and its row is removed a day after it was sent', async () => {
    await stopServer();
    await oneMoreFails(() => contact());
    await app.sql(`UPDATE outgoing_mails SET send_before = now() - interval '1 second' WHERE message IS NOT NULL`);
    await app.sql(`UPDATE outgoing_mails SET done_at = now() - interval '25 hours' WHERE done_at IS NOT NULL`);
    await app.part(OutboxService).removeOld();
    expect(await outbox()).toEqual([]);
    await startServer(port);
  });
});
