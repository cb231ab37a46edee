import type { Page } from 'puppeteer-core';
import { layoutProblems } from '../harness/browser/accessibility.js';
import { chromiumForFile, openPage } from '../harness/browser/chromium.js';
import { mailsTo } from '../harness/mails.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

const FIRST = 'nets and knots';
const SECOND = 'depth and buoys';

const platform = sharedPlatform();
const chromium = chromiumForFile();
let page: Page;
const pageErrors: string[] = [];

beforeEach(async () => {
  page = await openPage(await chromium.browser.createBrowserContext());
  page.on('pageerror', error => pageErrors.push(String(error)));
});
afterEach(async () => {
  await page.browserContext().close();
  expect(pageErrors.splice(0)).toEqual([]);
});

const post = (path: string, body: object) =>
  fetch(platform.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Signs up with this address. Returns the link from the e-mail that the platform sends. */
async function signedUp(email: string): Promise<string> {
  const profile = { first_name: 'Ada', last_name: 'Lovelace', email, city: 'Zagreb', country: 'Croatia' };
  const { status } = await post('/www/users/register', { ...profile, x: 3, y: 4, result: '7' });
  expect(status).toBe(200);
  return link(email, 1);
}

/** Returns the link in the `count`th e-mail to an address. */
async function link(email: string, count: number): Promise<string> {
  const mail = await until(async () => (await mailsTo(platform, email))[count - 1], `e-mail ${count} to ${email}`);
  return String(mail.text?.match(/http\S+\/panel\/set-password#token=\S+/)?.[0]);
}

const tokenOf = (address: string) => String(new URLSearchParams(new URL(address).hash.slice(1)).get('token'));

const heading = (text: string) =>
  page.waitForFunction(wanted => document.querySelector('h1')?.textContent === wanted, {}, text);
const press = (name: string) => page.locator(`::-p-aria(${name})`).click();

let layouts = 0;
/** `npm test` checks a third of the pages, which the seed chooses, because axe takes most of the time. */
async function expectGoodLayout(): Promise<void> {
  if (isFullTest || layouts++ % 3 === testSeed % 3) expect(await layoutProblems(page)).toEqual([]);
}

async function submit(fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(value);
  await page.locator('button[type=submit]').click();
}

async function setPassword(address: string, password: string, outcome: string): Promise<void> {
  await page.goto(address);
  await heading('Set your password');
  await submit({ password });
  await heading(outcome);
}

async function signIn(username: string, password: string): Promise<void> {
  await heading('Sign in to the panel');
  await submit({ username, password });
  await page.waitForFunction(() => location.pathname === '/panel/developer/dashboard');
}

it('the link in the sign-up e-mail sets the password of the account, and works only once', async () => {
  const email = 'ada.password@example.com';
  const first = await signedUp(email);

  await page.goto(first);
  await heading('Set your password');
  await page.waitForFunction(() => location.search === '');
  await page.waitForFunction(
    name => document.querySelector<HTMLInputElement>('input[autocomplete=username]')?.value === name,
    {},
    email,
  );
  await expectGoodLayout();
  await page.reload();
  await heading('Set your password');
  await submit({ password: 'too short' });
  await page.locator('::-p-text(Use at least 10 characters; you entered 9.)').wait();
  await expectGoodLayout();
  await submit({ password: FIRST });
  await heading('You can sign in now');
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(tokenOf(first));
  await expectGoodLayout();
  await press('Sign in');
  await signIn(email, FIRST);
  const admin = await platform.as('admin');
  const { sandbox } = (await admin('GET', `/joint-api/workers/${platform.workerId}`)).body;
  // A new account may use only workers with the full sandbox.
  if (sandbox !== 'full') await page.locator('::-p-text(Your free worker is not ready yet)').wait();
  await page.locator(`::-p-text(${sandbox === 'full' ? '1 of 1' : '0 of 0'})`).wait();

  await page.goto(first);
  await heading('This link no longer works');
  await expectGoodLayout();
  await press('Request a new link');
  await heading('Forgot your password?');
});

it('resetting a forgotten password ends all other sessions of the account', async () => {
  const email = 'grace.password@example.com';
  const { status } = await post('/www/users/set-password', { token: tokenOf(await signedUp(email)), password: FIRST });
  expect(status).toBe(200);
  const elsewhere = page;
  await page.goto(`${platform.url}/panel/login`);
  await signIn(email, FIRST);

  page = await openPage(await chromium.browser.createBrowserContext());
  await page.goto(`${platform.url}/panel/login`);
  await press('Forgot your password?');
  await heading('Forgot your password?');
  await expectGoodLayout();
  await submit({ email });
  await heading('Check your mailbox');
  await expectGoodLayout();
  await setPassword(await link(email, 2), SECOND, 'You can sign in now');
  await press('Sign in');
  await signIn(email, SECOND);

  await elsewhere.goto(`${platform.url}/panel/developer/skripts`);
  await elsewhere.waitForFunction(() => location.pathname === '/panel/login');
  await elsewhere.browserContext().close();
});
