import { DESKTOP, PHONE, schemeProblems } from '../harness/browser/accessibility.js';
import { panelPage } from '../harness/browser/panel-page.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
const panel = panelPage('skript-home');

const MAIN = `const { dataset, mongo, postgres } = require('@trawl/storage');

module.exports = async () => {
  await dataset.push([{ title: 'Emma' }, { title: 'Persuasion' }]);
  await mongo.collection('home_shelves').insertOne({ shelf: 'novels' });
  await postgres.query('CREATE TABLE IF NOT EXISTS home_prices (sku text)');
  await postgres.insertMany('home_prices', [{ sku: 'a-1' }]);
  throw new Error('no more shelves');
};
`;

let skriptId = '';
const open = (path: string) => panel.page.goto(`${platform.url}/panel/developer/${path}`);
const tab = (name: string) => panel.press(`::-p-aria(${name}[role="tab"])`);

beforeAll(async () => {
  skriptId = await platform.skript('Shelves', { 'main.js': MAIN });
  await panel.signIn(platform);
});

it('from a skript, one click shows the rows of its runs, wherever they wrote, and two open a new schedule', async () => {
  const { page } = panel;
  await platform.ended((await platform.startRun(skriptId)).body.id);
  await open(`skripts/${skriptId}`);
  // The run failed: its line in the code says why. It stored four rows before.
  await page.waitForSelector('.line-failed + .line-message ::-p-text(no more shelves)');
  await page.waitForSelector('.facts-line ::-p-aria(4[role="link"])');
  await tab('Data');
  await panel.shows('Persuasion');
  await panel.press('::-p-aria(home_prices[role="link"])');
  await panel.shows('a-1');
  await panel.press('::-p-aria(home_shelves[role="link"])');
  await panel.shows('novels');
  await tab('Schedules');
  await panel.button('New schedule');
  await page.waitForSelector('[role="dialog"] input[value="Shelves"]');
});

it('the code is as tall as the window, and the line between code and run can be dragged', async () => {
  const { page } = panel;
  await page.setViewport({ width: 1440, height: 900 });
  await open(`skripts/${skriptId}`);
  await panel.button('Run');
  await page.waitForSelector('.docked .result');
  const line = async () => (await page.waitForSelector('[role="separator"]'))?.boundingBox();
  const before = await line();
  await page.mouse.move(700, (before?.y ?? 0) + 3);
  await page.mouse.down();
  await page.mouse.move(700, (before?.y ?? 0) - 117);
  await page.mouse.up();
  const moved = (before?.y ?? 0) - ((await line())?.y ?? 0);
  expect(Math.abs(moved - 120)).toBeLessThan(5);
  // Nothing scrolls around the panes.
  const frames = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.page, .workbench, .bench-pane, .run-result')]
      .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
      .map(({ className }) => className || 'page'),
  );
  expect(frames).toEqual([]);
});

it('a long title leaves the facts of a skript and its Run button their room', async () => {
  const { page } = panel;
  const id = await platform.skript('Prices of all shops of a customer and of a country, '.repeat(2), {
    'main.js': MAIN,
  });
  await page.setViewport({ width: 1440, height: 900 });
  await open(`skripts/${id}`);
  await page.waitForSelector('.facts-line > div + div');
  const [facts, actions] = await page.$$eval('.facts-line > div:last-child, .page-actions', elements =>
    elements.map(element => element.getBoundingClientRect().toJSON()),
  );
  expect(facts.right).toBeLessThanOrEqual(actions.left);
  expect(facts.height).toBeLessThan(30);
});

/** Runs a skript twice, with another price of one of two items. */
async function runsWithKeys(title: string) {
  const code = `const { dataset } = require('@trawl/storage');

module.exports = price => dataset.push([{ sku: 'B01', title: 'Emma', price }, { sku: 'B02', price: 7 }], { key: 'sku' });
`;
  const id = await platform.skript(title, { 'main.js': code });
  const runWith = async (input: number) => (await platform.ended((await platform.startRun(id, input)).body.id)).id;
  return { id, first: await runWith(5), second: await runWith(6) };
}

it('a run whose rows have a key lists what changed, and its items have a history; axe finds no problem there', async () => {
  const { page } = panel;
  const { id, first, second } = await runsWithKeys('Shelf prices');
  const problems: string[] = [];
  const check = async () => problems.push(...(await schemeProblems(page)));

  // The run only has changes when Trawl has merged both runs. The page follows it.
  await open(`skript-executions/${second}`);
  await tab('Changes');
  await page.waitForSelector('::-p-aria(1 changed[role="button"])');
  await panel.shows('B01');
  await page.waitForSelector('ins ::-p-text(6)');
  await check();
  await open(`skript-executions/${second}?tab=changes&with=${first}`);
  await panel.shows('1 equal row. Rows are matched by their key.');
  await check();

  await open(`skripts/${id}`);
  await tab('Data');
  await panel.press('::-p-aria(Items[role="link"])');
  await page.waitForSelector('[aria-label="Median of all items"] svg');
  await check();
  await panel.press('::-p-aria(B01[role="link"])');
  await page.waitForSelector('svg[aria-label^="Over time, price: 5 at first, now 6"]');
  await check();
  expect(problems).toEqual([]);
});

it('on a phone, the keyboard alone is enough for the changes of a run, a comparison and the items', async () => {
  const { page } = panel;
  const { keyboard } = page;
  const { id, first, second } = await runsWithKeys('Prices by keyboard');
  await page.setViewport(PHONE);
  /** Presses Tab until an element has the focus, which is then in sight. */
  const tabTo = async (selector: string) => {
    const wanted = await page.waitForSelector(selector);
    const isReached = () =>
      page.evaluate(element => {
        if (!element || document.activeElement !== element) return null;
        const { top, bottom } = element.getBoundingClientRect();
        return { isInSight: bottom > 0 && top < innerHeight };
      }, wanted);
    for (let presses = 0; presses < 150; presses++) {
      const reached = await isReached();
      if (reached) return expect(reached.isInSight).toBe(true);
      await keyboard.press('Tab');
    }
    throw new Error(`The focus did not reach ${selector}.`);
  };
  /** The combobox marks an option in a timer; a key that comes before it is for no option. */
  const timers = () => page.evaluate(() => new Promise(resolve => setTimeout(resolve)));
  const chooseFirst = async (selector: string) => {
    await tabTo(selector);
    await timers();
    await keyboard.press('ArrowDown');
    await page.waitForSelector('[role="option"][data-combobox-selected]');
    await timers();
    await keyboard.press('Enter');
  };
  const press = async (selector: string) => {
    await tabTo(selector);
    await keyboard.press('Enter');
  };

  await open(`skript-executions/${second}?tab=changes`);
  await press('::-p-aria(1 changed[role="button"])');
  await page.waitForSelector('::-p-aria(1 changed[role="button"])[aria-pressed="true"]');
  await chooseFirst('::-p-aria(Compare with another run[role="combobox"])');
  await panel.shows('1 equal row. Rows are matched by their key.');
  await press('::-p-aria(Show changes of this run[role="button"])');
  await page.waitForSelector('::-p-aria(1 changed[role="button"])');

  await open(`skript-executions/compare?one=${first}`);
  await chooseFirst('::-p-aria(Other run[role="combobox"])');
  await panel.shows('1 equal row. Rows are matched by their key.');
  await press('::-p-aria(Filters[role="button"])');
  await chooseFirst('::-p-aria(Field[role="combobox"])');
  await page.waitForFunction(() => location.search.includes('field=price'));

  await open(`skripts/${id}?tab=items`);
  await tabTo('::-p-aria(Number[role="combobox"])');
  await tabTo('::-p-aria(Search keys)');
  await keyboard.type('b01');
  await page.waitForFunction(() => !document.querySelector('main')?.textContent?.includes('B02'));
  await press('::-p-aria(B01[role="link"])');
  await page.waitForSelector('svg[aria-label^="Over time, price: 5 at first, now 6"]');
  await press('::-p-aria(All items[role="link"])');
  await page.waitForSelector('[aria-label="Median of all items"] svg');
  await page.setViewport(DESKTOP);
});
