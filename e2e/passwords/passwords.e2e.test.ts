import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import PostalMime, { type Email } from 'postal-mime';
import type { Page } from 'puppeteer-core';
import { startProduct } from '../harness/product.js';
import { until } from '../harness/until.js';

jest.setTimeout(120_000);

const FIRST = 'nets and knots';
const SECOND = 'depth and buoys';

const product = startProduct();
let page: Page;
const troubles: string[] = [];

beforeEach(async () => {
  page = await (await product.browser.createBrowserContext()).newPage();
  page.on('pageerror', error => troubles.push(String(error)));
});
afterEach(async () => {
  await page.browserContext().close();
  expect(troubles.splice(0)).toEqual([]);
});

const post = (path: string, body: object) =>
  fetch(product.platform.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Signs up and answers the link of the e-mail. */
async function signedUp(email: string): Promise<string> {
  const profile = { first_name: 'Ada', last_name: 'Lovelace', email, city: 'Zagreb', country: 'Croatia' };
  const { status } = await post('/www/users/register', { ...profile, x: 3, y: 4, result: '7' });
  expect(status).toBe(200);
  return link(email, 1);
}

async function mailsTo(email: string): Promise<Email[]> {
  const folder = join(product.platform.dataDir, 'mail');
  const mails = await Promise.all(
    readdirSync(folder)
      .sort()
      .map(name => PostalMime.parse(readFileSync(join(folder, name)))),
  );
  return mails.filter(({ to }) => to?.[0]?.address === email);
}

/** The link in the `count`th e-mail to an address. */
async function link(email: string, count: number): Promise<string> {
  // There is no folder before the first e-mail.
  const mail = await until(
    async () => (await mailsTo(email).catch(() => []))[count - 1],
    `e-mail ${count} to ${email}`,
  );
  return String(mail.text?.match(/http\S+\/panel\/set-password\?token=\S+/)?.[0]);
}

const tokenOf = (address: string) => String(new URL(address).searchParams.get('token'));

const heading = (text: string) =>
  page.waitForFunction(wanted => document.querySelector('h1')?.textContent === wanted, {}, text);
const press = (name: string) => page.locator(`::-p-aria(${name})`).click();

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

/** What axe finds on the page as it stands, in light and dark, and how far it can be moved sideways on a phone. */
async function faults(): Promise<string[]> {
  const found: string[] = [];
  await page.setViewport({ width: 360, height: 740 });
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
    found.push(...violations.map(({ id, nodes }: any) => `${scheme}: ${id} ${nodes[0].html}`));
  }
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.setViewport({ width: 1440, height: 900 });
  return sideways > 0 ? [...found, `sideways by ${sideways} px`] : found;
}

it('an account is opened by the link of its e-mail, and the link is then worth nothing', async () => {
  const email = 'ada@example.com';
  const first = await signedUp(email);

  await page.goto(first);
  await heading('Set your password');
  await page.waitForFunction(() => location.search === '');
  await page.waitForFunction(
    name => document.querySelector<HTMLInputElement>('input[autocomplete=username]')?.value === name,
    {},
    email,
  );
  expect(await faults()).toEqual([]);
  await page.reload();
  await heading('Set your password');
  await submit({ password: 'too short' });
  await page.locator('::-p-text(Use at least 10 characters; these are 9.)').wait();
  expect(await faults()).toEqual([]);
  await submit({ password: FIRST });
  await heading('You can sign in now');
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(tokenOf(first));
  expect(await faults()).toEqual([]);
  await press('Sign in');
  await signIn(email, FIRST);
  const admin = await product.platform.as('admin');
  const { sandbox } = (await admin('GET', `/joint-api/workers/${product.platform.workerId}`)).body;
  // Below the full sandbox a worker is none for a new account.
  if (sandbox !== 'full') await page.locator('::-p-text(Your free worker is still to come)').wait();
  await page.locator(`::-p-text(of ${sandbox === 'full' ? 1 : 0} for you)`).wait();

  await page.goto(first);
  await heading('This link does not work any more');
  expect(await faults()).toEqual([]);
  await press('Ask for a new link');
  await heading('Forgot your password?');
});

it('a forgotten password is set anew, and a session that was open elsewhere is over', async () => {
  const email = 'grace@example.com';
  const { status } = await post('/www/users/set-password', { token: tokenOf(await signedUp(email)), password: FIRST });
  expect(status).toBe(200);
  const elsewhere = page;
  await page.goto(`${product.platform.url}/panel/login`);
  await signIn(email, FIRST);

  page = await (await product.browser.createBrowserContext()).newPage();
  await page.goto(`${product.platform.url}/panel/login`);
  await press('Forgot your password?');
  await heading('Forgot your password?');
  expect(await faults()).toEqual([]);
  await submit({ email });
  await heading('Look into your mailbox');
  expect(await faults()).toEqual([]);
  await setPassword(await link(email, 2), SECOND, 'You can sign in now');
  await press('Sign in');
  await signIn(email, SECOND);

  await elsewhere.goto(`${product.platform.url}/panel/developer/skripts`);
  await elsewhere.waitForFunction(() => location.pathname === '/panel/login');
  await elsewhere.browserContext().close();
});
