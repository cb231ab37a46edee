import { chromiumForFile } from '../harness/browser/chromium.js';
import { stopClock } from '../harness/browser/page-clock.js';
import { mailsTo } from '../harness/mails.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';
import { FormPage } from './form-page.js';

const MANDATORY = 'Fields marked with an asterisk (*) are mandatory';
const REQUIRED = {
  first_name: 'Grace',
  last_name: 'Hopper',
  email: 'grace.sign-up@example.com',
  city: 'New York',
  country: 'United States',
};
const OPTIONAL = {
  phone: '+1 212 555 0100',
  website: 'https://example.com',
  company_name: 'Example Ltd',
  company_location: 'New York',
  company_vat: 'US123',
  comment: 'Two lines\nof comment',
};

const platform = sharedPlatform();
const chromium = chromiumForFile();
let form: FormPage;

beforeEach(async () => {
  form = await FormPage.open(chromium.browser, `${platform.url}/sign-up`);
});
afterEach(async () => {
  expect(form.problems).toEqual([]);
  await form.close();
});

it('the sign-up form marks each missing mandatory field until it is edited, and focuses the first', async () => {
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'error', text: MANDATORY });
  expect(await form.invalid()).toEqual(Object.fromEntries(Object.keys(REQUIRED).map(name => [name, MANDATORY])));
  expect(await form.focused()).toBe('first_name');
  const { first_name, email, ...others } = REQUIRED;
  await form.fill({ first_name, email: 'grace' });
  expect(Object.keys(await form.invalid())).toEqual(Object.keys(others));
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'error', text: MANDATORY });
  expect(await form.focused()).toBe('last_name');
  expect(form.paths()).toEqual([]);
});

const names = Object.keys(REQUIRED);
it.each(isFullTest ? names : names.slice(testSeed % names.length).slice(0, 1))(
  'the sign-up form is not sent without %s',
  async missing => {
    await form.fill({ ...REQUIRED, [missing]: missing === 'country' ? '' : '  ' });
    await form.submit();
    expect(await form.message()).toEqual({ kind: 'error', text: MANDATORY });
    expect(await form.invalid()).toEqual({ [missing]: MANDATORY });
    expect(form.paths()).toEqual([]);
  },
);

it('the sign-up form marks an invalid e-mail address and does not send it', async () => {
  await form.fill({ ...REQUIRED, email: 'grace.sign-up@example' });
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'error', text: 'Enter valid email' });
  expect(await form.invalid()).toEqual({ email: 'Enter valid email' });
  expect(await form.focused()).toBe('email');
  expect(form.paths()).toEqual([]);
});

it('a sign-up shows the server’s message for 5500 ms, empties the form, and sends an e-mail', async () => {
  const clock = await stopClock(form.page);
  const [x, y] = await form.sum();
  await form.fill({ ...REQUIRED, ...OPTIONAL, result: await form.answerToSum() });
  await form.submit();
  const message = await form.message();
  expect(message).toEqual({ kind: 'success', text: expect.stringContaining('e-mail') });

  expect(form.paths()).toEqual(['/ip', '/www/users/register']);
  expect((await form.requested('/www/users/register')).payload).toEqual({
    ...REQUIRED,
    ...OPTIONAL,
    x,
    y,
    result: String(x + y),
    ip: '127.0.0.1',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    referer: `${platform.url}/sign-up`,
  });
  expect(Object.values(await form.values()).join('')).toBe('');
  expect(await form.sum()).not.toEqual([x, y]);
  const email = REQUIRED.email;
  await until(async () => (await mailsTo(platform, email))[0], `the e-mail to ${email}`);

  await clock.tick(5499);
  expect(await form.messageNow()).toEqual(message);
  await clock.tick(1);
  expect(await form.messageNow()).toBeNull();
  const text = await form.page.$eval('form', element => (element as HTMLElement).innerText);
  expect(text).toContain('What to do now');
});

it('after a wrong sum, the sign-up form shows the error for 2100 ms and a new sum, and keeps its values', async () => {
  const clock = await stopClock(form.page);
  const sum = await form.sum();
  await form.fill({ ...REQUIRED, city: 'Zagreb' });
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'error', text: 'Enter the sum result' });
  expect(await form.values()).toMatchObject({ ...REQUIRED, city: 'Zagreb' });
  expect(await form.sum()).not.toEqual(sum);
  await clock.tick(2099);
  expect(await form.messageNow()).not.toBeNull();
  await clock.tick(1);
  expect(await form.messageNow()).toBeNull();
});

it('the sign-up form shows the status of an error without a message, and names network errors and timeouts', async () => {
  const clock = await stopClock(form.page);
  const first = await form.sum();
  await form.fill({ ...REQUIRED, result: '3' });
  const path = '/www/users/register';
  form.answer(path, request => request.respond({ status: 502, body: '<h1>nginx</h1>' }));
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'error', text: 'Bad Gateway' });
  await form.settled();
  const second = await form.sum();
  expect(second).not.toEqual(first);

  form.answer(path, request => request.abort('InternetDisconnected'));
  await form.submit();
  await form.page.waitForSelector('::-p-text(Network error)');
  await form.settled();

  form.hold(path);
  const timed = form.page.waitForRequest(request => request.url().endsWith(path));
  await form.submit();
  await timed;
  await clock.tick(21_000);
  expect(await form.message()).toEqual({ kind: 'error', text: 'Request timeout after 21000 ms' });
  expect(await form.sum()).toEqual(second);
});

it('each field of the sign-up form has a label and an autofill name, and both notes are shown', async () => {
  const { page } = form;
  expect(await form.controls()).toEqual([
    ['first_name', 'First name *', 'given-name', true],
    ['last_name', 'Last name *', 'family-name', true],
    ['email', 'E-mail *', 'email', true],
    ['city', 'City *', 'address-level2', true],
    ['country', 'Country *', 'country-name', true],
    ['result', expect.stringMatching(/^How much is \d+ \+ \d+\? \*$/), 'off', true],
    ['phone', 'Phone', 'tel', false],
    ['website', 'Website', 'url', false],
    ['company_name', 'Company name', 'organization', false],
    ['company_location', 'Company location', 'off', false],
    ['company_vat', 'Company VAT number', 'off', false],
    ['comment', 'Comment', '', false],
  ]);
  const text = await page.$eval('form', element => (element as HTMLElement).innerText);
  expect(text).toContain('A valid e-mail is needed');
  expect(text).toContain('By clicking Create Account you accept the Terms of Use and acknowledge the Privacy Policy.');
  const links = await page.$$eval('form a', elements => elements.map(element => element.getAttribute('href')));
  expect(links).toEqual(expect.arrayContaining(['/legal/terms-of-service', '/legal/privacy-policy']));
});
