import { panelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
const panel = panelPage('panel-runs');
const TITLE = 'Prices of a shop';

/** Fails for one page, otherwise sends as many echoes as the input says, with one error among them. */
const MAIN = `const { echo } = require('@trawl/echo');

module.exports = async ({ pages }) => {
  if (pages === 1) throw new Error('a single page has no prices');
  for (let row = 1; row <= pages; row++) (row === 777 ? echo.error : echo.log)('row ' + row);
  return { pages };
};
`;
const INPUT_SCHEMA = {
  type: 'object',
  required: ['pages'],
  properties: { pages: { type: 'integer', title: 'Number of pages', minimum: 1, default: 1 } },
};

let skriptId = '';
const open = (path: string) => panel.page.goto(`${platform.url}/panel/developer/${path}`);
const button = (name: string) => panel.press(`::-p-aria(${name}[role="button"])`);
const link = (name: string) => panel.press(`::-p-aria(${name}[role="link"])`);
const runs = async (): Promise<any[]> =>
  (await (await platform.as('developer'))('GET', '/joint-api/skript-execution/list')).body.items;

beforeAll(async () => {
  skriptId = await platform.skript(TITLE, { 'main.js': MAIN }, { input_schema: INPUT_SCHEMA });
  await panel.signIn(platform);
});

it('runs a skript from its form, leads from the error to its line, and runs it again with the same input', async () => {
  const { page } = panel;
  await open(`execute-skript?skript_id=${skriptId}`);
  await page.waitForSelector('::-p-aria(Number of pages)');
  await button('Run');
  await panel.shows('a single page has no prices');
  await link('Details');
  await link('Open main.js:4');
  await page.waitForFunction(() => document.querySelector('.cm-activeLine')?.textContent?.includes('throw new Error'));

  const [failed] = await runs();
  await open(`skript-executions/${failed.id}`);
  await link('Execute again');
  await button('Run');
  await page.waitForFunction(() => new URLSearchParams(location.search).has('execution_id'));
  const again = await platform.ended(new URL(page.url()).searchParams.get('execution_id') ?? '');
  expect([again.input_value, again.worker]).toEqual([{ pages: 1 }, failed.worker]);
});

it('suggests methods of a library, marks one that does not exist, and formats the code', async () => {
  const { page } = panel;
  const content = 'const { echo } = require("@trawl/echo")\necho.lgo(1)\n';
  await open(`skripts/${await platform.skript('Typed by hand', { 'main.js': content })}`);
  await page.locator('.cm-line:nth-child(3)').click();
  await page.waitForSelector('.cm-lintRange-warning ::-p-text(lgo)');
  await page.keyboard.type('echo.wa');
  await page.waitForSelector('.cm-tooltip-autocomplete [aria-selected] ::-p-text(warn)');
  await page.waitForSelector('.cm-completionInfo ::-p-text(warn)');
  await page.keyboard.press('Enter');
  await button('Format');
  await page.waitForFunction(
    formatted => document.querySelector('.cm-content')?.textContent === formatted,
    {},
    "const { echo } = require('@trawl/echo');echo.lgo(1);echo.warn;",
  );
  await button('Save');
  await page.waitForFunction(() => document.querySelector('.editor-state')?.textContent !== 'not saved');
});

it('leads from the first of many echoes to the last, and to the error among them, in one click each', async () => {
  const { page } = panel;
  const { body: run } = await platform.startRun(skriptId, { pages: 3000 });
  await open(`skript-executions/${run.id}`);
  await panel.shows('1–200 of 3,000 echoes');
  await button('Last');
  await panel.shows('row 3000');
  await button('First error');
  await page.waitForFunction(() => document.querySelector('[data-shown]')?.textContent?.includes('row 777'));

  const failed = (await runs()).find(({ action }) => action === 'error');
  await open(`skript-executions/compare?one=${run.id}&other=${failed.id}`);
  await page.waitForFunction(() =>
    /Action.*differs.*end.*error/s.test(document.querySelector('tr[data-differs]')?.textContent ?? ''),
  );
});

it('shows a schedule in words before it is saved, fires it at once, and keeps the outcome', async () => {
  const { page } = panel;
  await open(`scheduler?new=1&start_skript_id=${skriptId}`);
  await page.locator('[role="dialog"] input[data-path="name"]').fill('Prices, weekdays');
  await button('Weekdays');
  await panel.shows('At 06:30, Monday through Friday');
  await page.waitForSelector('[role="dialog"] .span-preview li:nth-child(5)');
  await button('Create schedule');
  await page.waitForSelector('.lane[aria-label*="to come"], .lane[aria-label*="no fires"]');
  await button('Run Prices, weekdays now');
  await page.waitForFunction(() => /skript-executions\/[0-9a-f-]{36}$/.test(location.pathname));
  await open('scheduler');
  await link('Prices, weekdays');
  await panel.shows('run by hand');
  expect((await runs())[0].schedule.name).toBe('Prices, weekdays');
});

it('finds a skript by a part of its title from the keyboard, and shows its runs as bars', async () => {
  const { page } = panel;
  await open('dashboard');
  await panel.shows('Runs by the hour');
  await page.keyboard.down('Control');
  await page.keyboard.press('k');
  await page.keyboard.up('Control');
  await page.locator('::-p-aria(Search skripts, screens and runs)').fill('of a sh');
  await page.waitForSelector(`.mantine-Spotlight-action[data-selected] ::-p-text(${TITLE})`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(path => location.pathname.endsWith(path), {}, `/skripts/${skriptId}`);
  await open('skripts');
  await page.waitForSelector('.strip[aria-label^="Last 4 runs"]');
  expect(panel.problems).toEqual([]);
});
