import { axeProblems } from '../harness/browser/accessibility.js';
import { panelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

const NAME = 'nightly import';

const platform = sharedPlatform();
const panel = panelPage('api-keys');

it('a read-only API key reads, cannot write, and stops working when it is revoked', async () => {
  const { url } = platform;
  const { page } = panel;
  await panel.signIn(platform);

  await panel.press('::-p-aria(Joint API[role="link"])');
  await panel.shows('Create your first API key');
  await panel.press('::-p-aria(New API key[role="button"])');
  await page.locator('[role="dialog"] input[data-path="name"]').fill(NAME);
  await panel.press('::-p-aria(Generate key[role="button"])');
  await panel.shows('does not show it again');
  const field = await page.waitForSelector('::-p-aria(API key[role="textbox"])');
  const key = await field?.evaluate(element => (element as HTMLInputElement).value);
  expect(key).toMatch(/^trk_/);
  expect(await axeProblems(page)).toEqual([]);

  const asProgram = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { Authorization: `Bearer ${key}`, 'content-type': 'application/json' } });
  expect((await asProgram('/joint-api/skripts/list')).status).toBe(200);
  const written = await asProgram('/joint-api/skripts/addnew', { method: 'POST', body: '{"title":"By a reader"}' });
  expect([written.status, (await written.json()).error_code]).toEqual([403, 'forbidden']);

  await panel.press('::-p-aria(I have saved it[role="button"])');
  await page.waitForFunction(() => !document.querySelector('[role="dialog"]'));
  expect(await page.content()).not.toContain(key);
  const developer = await platform.as('developer');
  await until(
    async () => (await developer('GET', '/joint-api/keys/list')).body.items[0].last_used_at,
    'the key to have its last use',
    90_000,
  );
  await page.reload();
  await page.waitForFunction(
    name => new RegExp(`${name}.*in use`, 's').test(document.querySelector('table tbody')?.textContent ?? ''),
    {},
    NAME,
  );
  if (isFullTest) expect(await axeProblems(page)).toEqual([]);

  await panel.press(`::-p-aria(Revoke ${NAME}[role="button"])`);
  await panel.press('::-p-aria(Revoke key[role="button"])');
  await panel.shows('revoked');
  await page.waitForFunction(() => document.querySelector('table tbody')?.textContent?.includes('revoked'));
  const refused = await asProgram('/joint-api/skripts/list');
  expect([refused.status, (await refused.json()).error_code]).toEqual([401, 'unauthorized']);
  expect(panel.problems).toEqual([]);
});
