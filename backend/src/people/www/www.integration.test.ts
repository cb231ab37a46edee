import { type Answer, appForFile } from '../../../test/test-app.js';
import { contactForm, newAddress, signUpForm } from '../../../test/test-forms.js';
import { mailsOf, mailsTo, outboxEmpty } from '../../../test/test-mails.js';
import { ConstantTimeResponder } from './constant-time-responder.service.js';

const OPERATOR = 'operator@example.com';
const HOSTED = 'https://www.example.com';
const PROXY = '127.0.0.1';

// Each call sets its own client address, so that rate limits count each call separately.
const { app } = appForFile({ settings: { contactEmail: OPERATOR, corsOrigins: [HOSTED], trustedProxies: [PROXY] } });
let nextAddress = 1;

const from = () => {
  const n = nextAddress++;
  return { 'x-forwarded-for': `192.0.2.${(n % 250) + 1}, 10.0.${n >> 8}.${n & 255}` };
};
const contact = (changes?: object, headers = from()) =>
  app.anonymous('POST', '/www/contact', contactForm(changes), headers);
const register = (changes?: object, headers = from()) =>
  app.anonymous('POST', '/www/users/register', signUpForm(changes), headers);
const refusal = ({ status, body }: Answer) => [status, body.error_code, body.error_message, body.details?.[0]?.field];
const stored = () => app.sql<any>('SELECT * FROM contact_messages ORDER BY id');
const accounts = async (username: string) => {
  await app.part(ConstantTimeResponder).idle();
  return app.sql<any>('SELECT * FROM users WHERE username = $1', [username]);
};

describe('GET /ip', () => {
  it('returns the client’s address, and the answer is not cached', async () => {
    const { status, body, headers } = await app.anonymous('GET', '/ip', undefined, {
      'x-forwarded-for': '203.0.113.7',
    });
    expect([status, body]).toEqual([200, { external_ip: '203.0.113.7' }]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('returns an IPv4 address without the IPv6 prefix', async () => {
    const { body } = await app.anonymous('GET', '/ip', undefined, { 'x-forwarded-for': '::ffff:203.0.113.7' });
    expect(body).toEqual({ external_ip: '203.0.113.7' });
  });

  it('trusts only the entry of X-Forwarded-For that the trusted proxy wrote', async () => {
    const { body } = await app.anonymous('GET', '/ip', undefined, { 'x-forwarded-for': '10.1.1.1, 203.0.113.7' });
    expect(body).toEqual({ external_ip: '203.0.113.7' });
  });

  it.each([
    ['203.0.113.7:49152', '203.0.113.7'],
    ['[2001:db8::7]:49152', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['unknown', PROXY],
    ['203.0.113.7, <b>', PROXY],
    ['999.1.1.1:80', PROXY],
    ['garbage, 203.0.113.7', '203.0.113.7'],
    ['', PROXY],
  ])('reads from X-Forwarded-For %j of a trusted proxy the address %s', async (sent, address) => {
    const { body } = await app.anonymous('GET', '/ip', undefined, { 'x-forwarded-for': sent });
    expect(body).toEqual({ external_ip: address });
  });
});

describe('the contact form', () => {
  it.each([
    ['a name of one word', { name: ' Ada ', email: 'x' }, 'Enter first and last name', 'name'],
    ['no name', { name: undefined, email: 'x' }, 'Enter first and last name', 'name'],
    ['an address without a dot', { email: 'ada@example', country: '' }, 'Enter valid email', 'email'],
    ['an address with a plus', { email: 'ada+1@example.com' }, 'Enter valid email', 'email'],
    ['an address with a long ending', { email: 'ada@example.museum' }, 'Enter valid email', 'email'],
    ['no address', { email: null, country: '' }, 'Enter valid email', 'email'],
    ['no country', { country: '  ', subject: '' }, 'Enter country', 'country'],
    ['no subject', { subject: '', msg: '' }, 'Enter subject', 'subject'],
    ['no message', { msg: ' \n ', result: '' }, 'Enter message', 'msg'],
    [
      '129 characters',
      { msg: ` ${'a'.repeat(129)} `, result: '' },
      'Enter message with at least 130 characters',
      'msg',
    ],
    ['no sum', { result: ' ', x: 0 }, 'Enter the sum result', 'result'],
    ['null as the sum', { result: null }, 'Enter the sum result', 'result'],
  ])('is refused with %s, and the error has the message for that field', async (_what, changes, message, field) => {
    expect(refusal(await contact(changes))).toEqual([400, 'validation_failed', message, field]);
  });

  it.each([
    [{ x: 0 }, 'x'],
    [{ x: 11 }, 'x'],
    [{ x: '3.0' }, 'x'],
    [{ x: undefined }, 'x'],
    [{ y: 2.5 }, 'y'],
    [{ y: [4] }, 'y'],
    [{ result: 8 }, 'result'],
    [{ result: '0x7' }, 'result'],
    [{ result: { toString: 7 } }, 'result'],
    [{ result: true }, 'result'],
  ])('is refused with the wrong or malformed sum %j, and the error names the field', async (changes, field) => {
    const [status, code, message, name] = refusal(await contact(changes));
    expect([status, code, name]).toEqual([400, 'validation_failed', field]);
    expect(message).toMatch(/^The sum /);
  });

  it('accepts a message of exactly 130 characters, and the sum as a number or text', async () => {
    const msg = 'b'.repeat(130);
    const answers = [
      await contact({ msg: `\n ${msg} ` }),
      await contact({ x: '3', y: '4', result: 7 }),
      await contact({ ip: undefined, time: undefined, referer: undefined }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await stored()).some(row => row.msg === msg)).toBe(true);
  });

  it('is stored with the sent fields and the address that the server saw', async () => {
    await contact({ subject: 'Stored' }, { 'x-forwarded-for': '203.0.113.77' });
    const [row] = (await stored()).filter(({ subject }) => subject === 'Stored');
    expect(row).toMatchObject({
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      country: 'Croatia',
      ip: '198.51.100.9',
      seen_ip: '203.0.113.77',
      time: '2026-02-15T09:30:00.000Z',
      referer: 'https://www.example.com/contact',
    });
  });

  it('is stored with the first 2,048 characters of a longer referer', async () => {
    const referer = `https://www.example.com/contact?${'q'.repeat(16_000)}`;
    expect((await contact({ subject: 'From far', referer })).status).toBe(200);
    const [row] = (await stored()).filter(({ subject }) => subject === 'From far');
    expect(row.referer).toBe(referer.slice(0, 2_048));
  });

  it('is refused with a field that is too long, not text or unknown, and the error names the field', async () => {
    expect(refusal(await contact({ subject: 'x'.repeat(201) }))).toEqual([
      400,
      'validation_failed',
      'Subject is too long: the limit is 200 characters',
      'subject',
    ]);
    expect(refusal(await contact({ msg: 'x'.repeat(10_001) }))[3]).toBe('msg');
    expect(refusal(await contact({ name: { first: 'Ada' } }))).toEqual([
      400,
      'validation_failed',
      'Name must be text',
      'name',
    ]);
    expect(refusal(await contact({ colour: 'red' }))[3]).toBe('colour');
    expect(refusal(await contact({ country: 'a\u0000b' }))[3]).toBe('country');
  });

  it('refuses a body of a megabyte, and a body that is not JSON', async () => {
    expect((await contact({ msg: 'x'.repeat(1024 * 1024) })).status).toBe(413);
    const form = await app.anonymous('POST', '/www/contact', 'name=Ada', {
      ...from(),
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(415);
  });

  it('accepts the longest allowed message, even with every character escaped', async () => {
    expect((await contact({ msg: '漢'.repeat(10_000) })).status).toBe(200);
    const escaped = JSON.stringify(contactForm({ msg: 'PLACE' })).replace('PLACE', '\\u6f22'.repeat(10_000));
    expect((await app.anonymous('POST', '/www/contact', escaped, from())).status).toBe(200);
  });

  it('discards the message of a bot, and responds as usual', async () => {
    const before = (await stored()).length;
    const [program, person] = [await contact({ fax_number: '1', name: 'x' }), await contact({ fax_number: ' ' })];
    expect([program.status, program.body]).toEqual([person.status, person.body]);
    expect((await stored()).length).toBe(before + 1);
  });

  it('sends the operator a copy, and a reply to it goes to the visitor', async () => {
    await contact({ name: 'Grace Hopper', email: 'grace@example.com', subject: 'A copy' });
    await outboxEmpty(app);
    const mail = (await mailsOf(app)).find(({ subject }) => subject === 'Contact: A copy');
    expect(mail?.to?.[0]?.address).toBe(OPERATOR);
    expect(mail?.from?.address).toBe('info@localhost');
    expect(mail?.replyTo?.[0]?.address).toBe('grace@example.com');
    for (const part of [mail?.text, mail?.html]) expect(part).toContain('Grace Hopper');
  });

  it('lets nobody inject an e-mail header, an HTML tag or a recipient into the copy', async () => {
    const hostile = 'Hi\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>';
    await contact({ name: `Eve ${hostile}`, subject: `Hostile ${hostile}`, country: hostile });
    await outboxEmpty(app);
    const mails = await mailsOf(app);
    const [mail] = mails.filter(({ subject }) => subject?.startsWith('Contact: Hostile'));
    expect(mail?.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail?.to).toHaveLength(1);
    expect(mail?.html).not.toContain('<script');
    expect(mails.flatMap(({ to }) => to ?? []).map(({ address }) => address)).not.toContain('victim@example.org');
    expect(refusal(await contact({ email: 'a@example.com\r\nBcc: b@example.com' }))[2]).toBe('Enter valid email');
  });
});

describe('contact messages', () => {
  it('are listed for administrators only, newest first', async () => {
    await contact({ subject: 'Older' });
    await contact({ subject: 'Newer' });
    const { status, body } = await (await app.as('admin'))('GET', '/joint-api/contact-messages/list?limit=2');
    expect(status).toBe(200);
    expect(body.items.map((item: any) => item.subject)).toEqual(['Newer', 'Older']);
    expect(body.items[0]).toMatchObject({
      msg: expect.any(String),
      seen_ip: expect.any(String),
      id: expect.any(String),
    });
    const developer = await (await app.as('developer'))('GET', '/joint-api/contact-messages/list');
    expect([developer.status, developer.body.error_code]).toEqual([403, 'forbidden']);
    expect((await app.anonymous('GET', '/joint-api/contact-messages/list')).status).toBe(401);
  });
});

describe('the sign-up form', () => {
  const MANDATORY = 'Fields marked with an asterisk (*) are mandatory';

  it.each(['first_name', 'last_name', 'email', 'city', 'country'])(
    'requires %s before it checks other rules',
    async field => {
      for (const value of ['', '   ', null, undefined]) {
        const changes = field === 'email' ? { email: value } : { email: 'wrong', [field]: value };
        expect(refusal(await register(changes))).toEqual([400, 'validation_failed', MANDATORY, field]);
      }
    },
  );

  it.each([
    [{ email: 'ada@example', result: '' }, 'Enter valid email'],
    [{ result: '' }, 'Enter the sum result'],
    [{ result: 18 }, 'The sum result is wrong. Add the two numbers again.'],
  ])('is refused with %j: %s', async (changes, message) => {
    expect(refusal(await register(changes)).slice(0, 3)).toEqual([400, 'validation_failed', message]);
  });

  it('creates an account without a password, and keeps its profile', async () => {
    const email = newAddress();
    const { status, body } = await register(
      { email: email.toUpperCase(), first_name: ' Ada  Augusta ', company_vat: 'HR123', comment: 'One\nTwo' },
      { 'x-forwarded-for': '203.0.113.78' },
    );
    expect([status, body]).toEqual([200, { msg: expect.stringContaining('e-mail') }]);
    const [user] = await accounts(email);
    expect(user).toMatchObject({ role: 'developer', password_hash: null, built_in: false });
    const [link] = await app.sql<any>('SELECT sign_up FROM password_links WHERE user_id = $1', [user.id]);
    expect(link.sign_up).toMatchObject({
      first_name: 'Ada Augusta',
      last_name: 'Lovelace',
      city: 'Zagreb',
      country: 'Croatia',
      phone: '',
      company_vat: 'HR123',
      comment: 'One\nTwo',
      seen_ip: '203.0.113.78',
      referer: 'https://www.example.com/sign-up',
    });
    for (const password of ['', 'null', 'no password has this hash', ' ']) {
      const login = await app.anonymous('POST', '/panel/login', { username: email, password: password || 'x' });
      expect([login.status, login.body.error_message]).toEqual([401, 'Bad Login']);
    }
  });

  it('puts no text of the form into the e-mail', async () => {
    const email = newAddress();
    await register({ email, first_name: 'BUY-NOW', last_name: 'https://evil.example', comment: 'BUY-NOW' });
    const [mail] = await mailsTo(app, email, 1);
    expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toMatch(/BUY-NOW|evil/);
  });

  it('sends at most five e-mails an hour to one address', async () => {
    const email = newAddress();
    const answers: Answer[] = [];
    for (let count = 0; count < 7; count += 1) answers.push(await register({ email }));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.msg}`)).size).toBe(1);
    await mailsTo(app, email, 5);
  });

  it('counts its e-mails per mailbox, however the address is spelled, and also per day', async () => {
    const name = newAddress().split('@')[0]?.replaceAll(/\W/g, '') as string;
    const spellings = [1, 2, 3, 4, 5, 6, 7].map(at => `${name.slice(0, at)}.${name.slice(at)}@gmail.com`);
    for (const email of spellings) await register({ email });
    await outboxEmpty(app);
    const written = () =>
      app.sql('SELECT 1 FROM outgoing_mails WHERE recipient = $1', [`${name.toLowerCase()}@gmail.com`]);
    expect(await written()).toHaveLength(5);
    await app.sql(`UPDATE outgoing_mails SET created_at = created_at - interval '61 minutes'`);
    await app.sql(
      `INSERT INTO outgoing_mails (id, kind, recipient, send_before, done_at)
       SELECT gen_random_uuid(), kind, recipient, now(), now() FROM outgoing_mails, generate_series(1, 2) WHERE recipient = $1`,
      [`${name.toLowerCase()}@gmail.com`],
    );
    await app.sql(`UPDATE outgoing_mails SET created_at = created_at - interval '61 minutes'`);
    await register({ email: spellings[0] });
    await outboxEmpty(app);
    expect(await written()).toHaveLength(15);
  });

  it('discards the sign-up of a bot, and responds as usual', async () => {
    const email = newAddress();
    const program = await register({ email, fax_number: '+1 555' });
    expect([program.status, program.body]).toEqual([200, (await register()).body]);
    expect(await accounts(email)).toEqual([]);
    await mailsTo(app, email, 0);
  });

  it('refuses a field that is too long, and names it', async () => {
    expect(refusal(await register({ comment: 'x'.repeat(5_001) })).slice(2)).toEqual([
      'Comment is too long: the limit is 5000 characters',
      'comment',
    ]);
  });
});

describe('the rate limit of the public forms', () => {
  it('refuses the 21st call of an address, says when to retry, and leaves other addresses alone', async () => {
    const same = { 'x-forwarded-for': '203.0.113.200' };
    for (let tries = 0; tries < 20; tries += 1) expect((await contact({ name: '' }, same)).status).toBe(400);
    const { status, body, headers } = await contact({}, same);
    expect([status, body.error_code]).toEqual([429, 'too_many_requests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(500);
    expect(body.error_message).toBe('Too many calls from your address. Wait 10 minutes, then try again.');
    for (const sent of ['198.51.100.1, 203.0.113.200', '203.0.113.200:1234']) {
      expect((await contact({}, { 'x-forwarded-for': sent })).status).toBe(429);
    }
    expect((await contact()).status).toBe(200);
  });
});

describe('a page of another origin', () => {
  const preflight = (origin: string, path = '/www/contact') =>
    app.anonymous('OPTIONS', path, undefined, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    });
  const allowed = ({ headers }: Answer) => headers.get('access-control-allow-origin');

  it('may call the public forms and read their errors if its origin is listed', async () => {
    for (const path of ['/ip', '/www/contact', '/www/users/register']) {
      const answer = await preflight(HOSTED, path);
      expect([answer.status, allowed(answer)]).toEqual([204, HOSTED]);
      expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
      expect(answer.headers.get('access-control-allow-headers')).toBe('content-type');
    }
    const origin = { origin: HOSTED };
    const answers = [
      await app.anonymous('GET', '/ip', undefined, origin),
      await contact({}, { ...from(), ...origin }),
      await contact({ name: '' }, { ...from(), ...origin }),
      await contact({ msg: 'x'.repeat(200_000) }, { ...from(), ...origin }),
    ];
    // Scripts of other origins may read `Retry-After`, which says when to try again after a 429.
    for (const { headers } of answers) expect(headers.get('access-control-expose-headers')).toBe('Retry-After');
    expect(answers.map(answer => [answer.status, allowed(answer)])).toEqual([
      [200, HOSTED],
      [200, HOSTED],
      [400, HOSTED],
      [413, HOSTED],
    ]);
  });

  it('may call nothing if its origin is not listed, and only the public forms if it is', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'https://www.example.com.evil.example',
      'http://www.example.com',
    ]) {
      expect(allowed(await preflight(origin))).toBeNull();
      expect(allowed(await contact({}, { ...from(), origin } as never))).toBeNull();
    }
    expect(allowed(await preflight(HOSTED, '/panel/login'))).toBeNull();
    expect(allowed(await preflight(HOSTED, '/joint-api/account'))).toBeNull();
  });
});

describe('a platform without a trusted proxy', () => {
  it('takes a client’s address from the connection, and ignores forwarding headers', async () => {
    await app.stop();
    app.config.trustedProxies = [];
    await app.start();
    const { body } = await app.anonymous('GET', '/ip', undefined, {
      'x-forwarded-for': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
      'x-real-ip': '203.0.113.7',
    });
    expect(body).toEqual({ external_ip: '127.0.0.1' });
  });
});
