import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { startProduct } from '../harness/product.js';
import { until } from '../harness/until.js';

jest.setTimeout(180_000);

const SECONDS_30 = { timeout: 30_000 };
const NAME = 'nightly import';

const product = startProduct();
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  page = await product.browser.newPage();
  page.on('pageerror', error => problems.push(String(error)));
  page.on('console', message => message.type() === 'error' && problems.push(message.text()));
});
afterEach(async () => {
  mkdirSync('e2e/artifacts', { recursive: true });
  await page.screenshot({ path: join('e2e/artifacts', 'api-keys-last-page.png') as `${string}.png` });
});

const shows = (text: string) => page.waitForSelector(`::-p-text(${text})`, SECONDS_30);
const press = (selector: string) => page.locator(selector).click();

/** What stands against the screen for somebody who does not see it. */
async function accessibilityProblems(): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

it('a developer makes a key, a program reads with it and may not write, and revoked it is refused', async () => {
  const { url } = product.platform;
  const { username, password } = product.platform.credential('developer');
  await page.goto(`${url}/panel/login`);
  await page.locator('::-p-aria(Username or e-mail)').fill(username);
  await page.locator('::-p-aria(Password)').fill(password);
  await press('::-p-aria(Sign in[role="button"])');
  await page.waitForFunction(() => location.pathname === '/panel/developer/dashboard', SECONDS_30);

  await press('::-p-aria(Joint API[role="link"])');
  await shows('Make your first API key');
  await press('::-p-aria(New API key[role="button"])');
  await page.locator('[role="dialog"] input[data-path="name"]').fill(NAME);
  await press('::-p-aria(Generate key[role="button"])');
  await shows('it is not shown again');
  const field = await page.waitForSelector('::-p-aria(API key[role="textbox"])', SECONDS_30);
  const key = await field?.evaluate(element => (element as HTMLInputElement).value);
  expect(key).toMatch(/^trk_/);
  expect(await accessibilityProblems()).toEqual([]);

  const asProgram = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { Authorization: `Bearer ${key}`, 'content-type': 'application/json' } });
  expect((await asProgram('/joint-api/skripts/list')).status).toBe(200);
  const written = await asProgram('/joint-api/skripts/addnew', { method: 'POST', body: '{"title":"By a reader"}' });
  expect([written.status, (await written.json()).error_code]).toEqual([403, 'forbidden']);

  await press('::-p-aria(I have kept it[role="button"])');
  await page.waitForFunction(() => !document.querySelector('[role="dialog"]'), SECONDS_30);
  expect(await page.content()).not.toContain(key);
  const developer = await product.platform.as('developer');
  await until(
    async () => (await developer('GET', '/joint-api/keys/list')).body.items[0].last_used_at,
    'the use of the key to be written down',
    90_000,
  );
  await page.reload();
  await page.waitForFunction(
    name => new RegExp(`${name}.*in use`, 's').test(document.querySelector('table tbody')?.textContent ?? ''),
    SECONDS_30,
    NAME,
  );
  expect(await accessibilityProblems()).toEqual([]);

  await press(`::-p-aria(Revoke ${NAME}[role="button"])`);
  await press('::-p-aria(Revoke the key[role="button"])');
  await shows('revoked');
  await page.waitForFunction(() => document.querySelector('table tbody')?.textContent?.includes('revoked'), SECONDS_30);
  const refused = await asProgram('/joint-api/skripts/list');
  expect([refused.status, (await refused.json()).error_code]).toEqual([401, 'unauthorized']);
  expect(problems).toEqual([]);
});
