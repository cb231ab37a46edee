import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { startProduct } from '../harness/product.js';

jest.setTimeout(180_000);

const SECONDS_30 = { timeout: 30_000 };

/** Goes on only when the test says so: what happens meanwhile can be looked at for certain. */
const mainWaitingFor = (signalUrl: string) => `const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

module.exports = async () => {
  for (let line = 1; line <= 3; line++) echo.log('line ' + line);
  while ((await (await fetch('${signalUrl}')).text()) !== 'go on') await new Promise(resolve => setTimeout(resolve, 50));
  await mongo.collection('browser_story').insertMany([{ title: 'First row' }, { title: 'Second row' }]);
  return { rows: 2 };
};
`;

let signal = 'wait';
const signals = createServer((_request, response) => response.end(signal));
const signalUrl = () => `http://127.0.0.1:${(signals.address() as AddressInfo).port}/`;

beforeAll(async () => {
  signals.listen(0, '127.0.0.1');
  await once(signals, 'listening');
});
afterAll(() => {
  signals.close();
  signals.closeAllConnections();
});
const product = startProduct(() => [signalUrl()]);
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  page = await product.browser.newPage();
  page.on('pageerror', error => problems.push(String(error)));
  page.on('console', message => message.type() === 'error' && problems.push(message.text()));
});
afterEach(async () => {
  mkdirSync('e2e/artifacts', { recursive: true });
  await page.screenshot({ path: join('e2e/artifacts', 'first-skript-last-page.png') as `${string}.png` });
});

const shows = (text: string) => page.waitForSelector(`::-p-text(${text})`, SECONDS_30);
const press = (selector: string) => page.locator(selector).click();

it('a developer signs in, writes a skript, runs it, sees its echoes while it runs, its end and its rows', async () => {
  const { username, password } = product.platform.credential('developer');
  await page.goto(`${product.platform.url}/panel/login`);
  await page.locator('::-p-aria(Username or e-mail)').fill(username);
  await page.locator('::-p-aria(Password)').fill(password);
  await press('::-p-aria(Sign in[role="button"])');
  await page.waitForFunction(() => location.pathname === '/panel/developer/dashboard', SECONDS_30);
  const cookies = await page.browserContext().cookies();
  expect(cookies.map(({ name, sameSite, path }) => [name, sameSite, path]).sort()).toEqual([
    ['role', 'Strict', '/'],
    ['token', 'Strict', '/'],
    ['username', 'Strict', '/'],
  ]);

  await page.goto(`${product.platform.url}/panel/developer/skripts`);
  await press('::-p-aria(New skript[role="button"])');
  await page.locator('[role="dialog"] input[data-path="title"]').fill('Browser story');
  await press('::-p-aria(Create skript[role="button"])');
  const editor = await page.waitForSelector('.cm-content', SECONDS_30);
  await editor?.click();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  // As a paste: typing would let the editor close brackets by itself.
  await page.keyboard.sendCharacter(mainWaitingFor(signalUrl()));
  await press('::-p-aria(Run[role="button"])');

  const log = await page.waitForSelector('[role="log"]', SECONDS_30);
  await page.waitForFunction(element => element?.textContent?.includes('line 3'), SECONDS_30, log);
  const developer = await product.platform.as('developer');
  const { body: during } = await developer('GET', '/joint-api/skript-execution/list');
  expect(during.items).toMatchObject([{ action: 'start', skript: { name: 'Browser story' } }]);

  signal = 'go on';
  await shows('"rows"');
  await page.goto(`${product.platform.url}/panel/developer/skript-executions`);
  await page.waitForFunction(
    () => /Browser story.*end/s.test(document.querySelector('table tbody')?.textContent ?? ''),
    SECONDS_30,
  );

  const { body: databases } = await developer('GET', '/joint-api/mongo-databases/list');
  await page.goto(`${product.platform.url}/panel/developer/storage`);
  await shows(databases.items[0].name);
  await press(`::-p-text(${databases.items[0].name})`);
  await press('::-p-text(browser_story)');
  await shows('First row');
  await shows('Second row');
  // As the built backend answers them: an id is one value, whichever build of bson made it.
  expect(await product.platform.documents('browser_story')).toMatchObject([
    { _id: { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) } },
    { _id: { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) } },
  ]);
  expect(problems).toEqual([]);
});

it('keeps who is not signed in out, and says why', async () => {
  const stranger = await (await product.browser.createBrowserContext()).newPage();
  await stranger.goto(`${product.platform.url}/panel/developer/skripts`);
  await stranger.waitForSelector('::-p-text(This route is blocked because the user is not logged in)', SECONDS_30);
  expect(new URL(stranger.url()).pathname).toBe('/panel/login');
  await stranger.close();
});
