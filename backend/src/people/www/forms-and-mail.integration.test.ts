import { appForFile } from '../../../test/test-app.js';
import { contactForm, newAddress, signUpForm } from '../../../test/test-forms.js';
import { mailsOf, mailsTo, outboxEmpty } from '../../../test/test-mails.js';

const { app, admin } = appForFile();

const signUp = async (email = newAddress()) =>
  (await app.anonymous('POST', '/www/users/register', signUpForm({ email }))).body.msg;
const forgotPassword = async () =>
  (await app.anonymous('POST', '/www/users/forgot-password', { email: newAddress() })).body.msg;

describe('without an SMTP server', () => {
  it('a sign-up promises no e-mail, and says who has the link', async () => {
    const email = newAddress();
    const msg = await signUp(email);
    expect(msg).toMatch(/^Your sign-up is saved\. .* sends no e-mail, so ask an administrator for the link/);
    const [mail] = await mailsTo(app, email, 1);
    expect(mail?.text).toContain('/panel/set-password');
    const { body } = await admin('GET', '/joint-api/users/list');
    expect(body.items).toContainEqual(expect.objectContaining({ username: email.toLowerCase() }));
  });

  it('a sign-up with the address of an account gets the same answer', async () => {
    const email = newAddress();
    expect(await signUp(email)).toBe(await signUp(email));
  });

  it('a forgotten password promises no e-mail', async () => {
    expect(await forgotPassword()).toContain('sends no e-mail');
  });
});

describe('with an SMTP server', () => {
  beforeAll(() => {
    app.config.smtpUrl = 'smtp://127.0.0.1:1';
  });
  afterAll(() => {
    app.config.smtpUrl = undefined;
  });

  it('a sign-up and a forgotten password announce an e-mail', async () => {
    expect(await signUp()).toMatch(/^An e-mail is on its way to you\./);
    expect(await forgotPassword()).toContain('an e-mail with a link is on its way');
  });
});

it('without CONTACT_EMAIL, a contact message is e-mailed to each administrator who has an address', async () => {
  const [reader, pending] = [newAddress(), newAddress()].map(address => address.toLowerCase()) as [string, string];
  await admin('POST', '/joint-api/users/addnew', { username: reader, role: 'admin', password: 'a long password 1' });
  await admin('POST', '/joint-api/users/addnew', { username: pending, role: 'admin' });
  await app.anonymous('POST', '/www/contact', contactForm({ subject: 'To whom it concerns' }));
  await outboxEmpty(app);
  const copies = (await mailsOf(app)).filter(({ subject }) => subject === 'Contact: To whom it concerns');
  expect(copies.map(({ to }) => to?.[0]?.address)).toEqual([reader]);
  expect(copies[0]?.text).toContain('to its administrators');
  expect((await admin('GET', '/joint-api/contact-messages/list')).body.items[0].subject).toBe('To whom it concerns');
});
