import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openPage } from '../harness/browser/chromium.js';
import { panelPage } from '../harness/browser/panel-page.js';
import { countTransferredBytes } from '../harness/browser/transferred-bytes.js';
import { sharedPlatform } from '../harness/shared-platform.js';

/**
 * Code of a skript that waits in the middle until the test signals it, so that the test can look at the run while it is
 * live.
 */
const mainWaitingFor = (signalUrl: string) => `const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

module.exports = async () => {
  for (let line = 1; line <= 3; line++) echo.log('line ' + line);
  while ((await (await fetch('${signalUrl}')).text()) !== 'continue') await new Promise(resolve => setTimeout(resolve, 50));
  const wide = Object.fromEntries(Array.from({ length: 15 }, (_, n) => ['field_' + n, 'a value of some length ' + n]));
  await mongo.collection('browser_story').insertMany([{ title: 'First row', ...wide }, { title: 'Second row' }]);
  return { rows: 2 };
};
`;

const platform = sharedPlatform();
const panel = panelPage('first-skript');

let signal = 'wait';
const signals = createServer((_request, response) => response.end(signal));
const signalUrl = () => `http://127.0.0.1:${(signals.address() as AddressInfo).port}/`;

beforeAll(async () => {
  signals.listen(await platform.reservedPort(), '127.0.0.1');
  await once(signals, 'listening');
});
afterAll(() => {
  signals.close();
  signals.closeAllConnections();
});

it('a developer signs in, writes a skript, runs it, and sees its live echoes, its end and its rows', async () => {
  const { page } = panel;
  const transferred = countTransferredBytes(page);
  await panel.signIn(platform);
  await page.waitForFunction(
    () => document.querySelector('.figures') && !document.querySelector('[aria-busy="true"], .mantine-Skeleton-root'),
  );
  // Signing in and the dashboard stay light: `npm run bench -- panel-bytes` lists the files.
  expect(transferred.script).toBeGreaterThan(100_000);
  expect(transferred.script).toBeLessThanOrEqual(200_000);
  expect(transferred.stylesheet).toBeLessThanOrEqual(40_000);
  const cookies = await page.browserContext().cookies();
  expect(cookies.map(({ name, sameSite, path }) => [name, sameSite, path]).sort()).toEqual([
    ['role', 'Strict', '/'],
    ['token', 'Strict', '/'],
    ['username', 'Strict', '/'],
  ]);

  await page.goto(`${platform.url}/panel/developer/skripts`);
  await panel.press('::-p-aria(New skript[role="button"])');
  await page.locator('[role="dialog"] input[data-path="title"]').fill('Browser story');
  await panel.press('::-p-aria(Create skript[role="button"])');
  const editor = await page.waitForSelector('.cm-content');
  await editor?.click();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  // The code is inserted at once, like a paste. If it were typed, the editor would add closing brackets.
  await page.keyboard.sendCharacter(mainWaitingFor(signalUrl()));
  await panel.press('::-p-aria(Run[role="button"])');

  const log = await page.waitForSelector('[role="log"]');
  await page.waitForFunction(element => element?.textContent?.includes('line 3'), {}, log);
  const developer = await platform.as('developer');
  const { body: during } = await developer('GET', '/joint-api/skript-execution/list');
  expect(during.items).toMatchObject([{ action: 'start', skript: { name: 'Browser story' } }]);

  signal = 'continue';
  await panel.shows('"rows"');
  await page.goto(`${platform.url}/panel/developer/skript-executions`);
  await page.waitForFunction(() =>
    /Browser story.*completed/s.test(document.querySelector('table tbody')?.textContent ?? ''),
  );

  const { body: databases } = await developer('GET', '/joint-api/mongo-databases/list');
  await page.goto(`${platform.url}/panel/developer/storage`);
  await panel.shows(databases.items[0].name);
  await panel.press(`::-p-text(${databases.items[0].name})`);
  await panel.press('::-p-text(browser_story)');
  await panel.shows('First row');
  await panel.shows('Second row');
  // All 17 columns are there. Their table scrolls in its own frame, not the page.
  const headings = () =>
    [...document.querySelectorAll('th')].map(heading => (heading.querySelector('button') ?? heading).textContent);
  expect(await page.evaluate(headings)).toEqual(
    expect.arrayContaining(['_id', 'title', 'field_0', 'field_14', 'JSON']),
  );
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  // The backend must return an id as one value. This could fail in the built backend if the id came from another copy
  // of the bson package.
  expect(await platform.documents('browser_story')).toMatchObject([
    { _id: { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) } },
    { _id: { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) } },
  ]);
  expect(panel.problems).toEqual([]);
});

it('the backend serves the JavaScript and the styles of the panel compressed', async () => {
  const html = await (await fetch(`${platform.url}/panel/login`)).text();
  const files = [...html.matchAll(/(?:src|href)="(\/panel\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path);
  expect(files.some(path => path?.endsWith('.js')) && files.some(path => path?.endsWith('.css'))).toBe(true);
  for (const path of files) {
    const encodingFor = async (accepted: string) =>
      (await fetch(platform.url + path, { headers: { 'accept-encoding': accepted } })).headers.get('content-encoding');
    expect([path, await encodingFor('br'), await encodingFor('gzip')]).toEqual([path, 'br', 'gzip']);
  }
});

it('the panel sends visitors who are not signed in to the login page, with the reason', async () => {
  const stranger = await openPage(await panel.page.browser().createBrowserContext());
  await stranger.goto(`${platform.url}/panel/developer/skripts`);
  await stranger.waitForSelector('::-p-text(This route is blocked because the user is not logged in)');
  expect(new URL(stranger.url()).pathname).toBe('/panel/login');
  await stranger.close();
});
