import type { KeyInput } from 'puppeteer-core';
import { layoutProblems } from '../harness/browser/accessibility.js';
import { panelPage } from '../harness/browser/panel-page.js';
import { Child } from '../harness/child.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
const panel = panelPage('repair');
const START = '/joint-api/execute-skript/single-worker/start';

/** Stores the goods of three pages of a catalogue. */
const scraper = ({ row, price }: { row: string; price: string }): string => `const { load } = require('cheerio');
const { dataset } = require('@trawl/storage');

module.exports = async ({ base_url }) => {
  for (const page of [1, 2, 3]) {
    const $ = load(await (await fetch(base_url + '/catalogue?page=' + page)).text());
    const rows = $('${row}').get().map(card => ({
      sku: $(card).attr('data-sku'),
      url: new URL($(card).find('a').attr('href'), base_url).href,
      price: $(card).find('${price}').text(),
    }));
    await dataset.push(rows);
  }
};
`;

let port: number;
let shop: string;
let site: Child | undefined;

/** Starts the practice shop; the redesign takes the place of the first layout at the same address. */
async function openShop(layout: '1' | '2'): Promise<void> {
  await site?.kill('SIGTERM');
  site = new Child('examples/dist/practice-site/main.js', { PORT: String(port), LAYOUT: layout });
  await site.start(async () => (await fetch(shop)).ok);
}

async function pressCtrl(key: KeyInput, command?: string): Promise<void> {
  const { keyboard } = panel.page;
  await keyboard.down('Control');
  // Only the editing command makes a headless Chromium paste.
  await keyboard.press(key, command ? { commands: [command] } : {});
  await keyboard.up('Control');
}

beforeAll(async () => {
  port = await platform.reservedPort();
  shop = `http://127.0.0.1:${port}`;
  await panel.signIn(platform);
  const { page } = panel;
  await page.browserContext().overridePermissions(platform.url, ['clipboard-read', 'clipboard-sanitized-write']);
});
afterAll(() => site?.kill('SIGTERM'));

const tab = (name: string) => panel.press(`::-p-aria(${name}[role="tab"])`);
const link = (name: string) => panel.press(`::-p-aria(${name}[role="link"])`);

/** Runs a new skript until its rows have a baseline, and once more, recorded in the panel, after the redesign. */
async function breakInPanel(name: string, code: string): Promise<string> {
  const { page } = panel;
  await openShop('1');
  const developer = await platform.as('developer');
  const skriptId = await platform.skript(name, { 'main.js': code });
  const { body: input } = await developer('POST', '/joint-api/inputs/addnew', {
    skript_id: skriptId,
    name: 'input.json',
    val: { base_url: shop },
  });
  const ids = new URLSearchParams({ worker_id: platform.workerId, skript_id: skriptId, input_id: input.id });
  for (let n = 0; n < 4; n++)
    expect((await developer('GET', `${START}?${ids}`)).body).toMatchObject({ action: 'end', rows: 60 });
  await openShop('2');

  await panel.press('nav ::-p-aria(Skripts[role="link"])');
  await panel.press(`.drop-zone ::-p-aria(${name}[role="link"])`);
  // The editor takes the focus when it has loaded, which closes a menu.
  await page.waitForSelector('.cm-content');
  await panel.button(`More for ${name}`);
  await panel.press('::-p-aria(Run with other input…[role="menuitem"])');
  await panel.press('::-p-aria(Record its HTTP exchanges, for a replay)');
  await panel.button('Run');
  await link('Details');
  await panel.shows('The rows are broken');
  return skriptId;
}

async function copy(button: string, selector: string): Promise<void> {
  await panel.button(button);
  await panel.page.waitForFunction(async text => (await navigator.clipboard.readText()) === text, {}, selector);
}

/** Replaces a selector in the editor by the copied one. */
async function pasteFor(old: string, expected: string): Promise<void> {
  const { page } = panel;
  await (await page.waitForSelector('.cm-content'))?.click();
  await pressCtrl('f');
  await page.locator('.cm-find [aria-label="Find"]').fill(old);
  await (await page.waitForSelector('.cm-find [aria-label="Replace with"]'))?.click();
  await pressCtrl('a', 'SelectAll');
  await pressCtrl('v', 'Paste');
  await panel.button('Replace all matches');
  await page.waitForFunction(text => document.querySelector('.cm-content')?.textContent?.includes(text), {}, expected);
}

/** Replays the newest run with the code of now. The replay has no need of the shop. */
async function replay(): Promise<void> {
  await site?.kill('SIGTERM');
  await panel.button('Replay');
  await panel.press('::-p-text(the newest)');
  await link('Details');
}

async function runsAsUsual(skriptId: string): Promise<void> {
  await openShop('2');
  await link('Open the skript');
  await panel.button('Run');
  await link('Details');
  await panel.press('[role="tab"] .tab-count');
  await panel.shows('These rows are as usual.');
  const developer = await platform.as('developer');
  const { items } = (await developer('GET', `/joint-api/skript-execution/list?skript_id=${skriptId}&limit=1`)).body;
  expect(items[0]).toMatchObject({ action: 'end', rows: 60, replay_of: null, verdict: { level: 'ok' } });
}

it('the shop changes its layout, and the panel leads from the broken verdict to a run that is right again', async () => {
  const { page } = panel;
  const name = 'Prices of a catalogue';
  const skriptId = await breakInPanel(name, scraper({ row: '[data-sku]', price: 'ins.price' }));
  await panel.shows('price was filled in');
  await tab('What it saw');
  await panel.press('.exchange-row ::-p-text(/catalogue?page=3)');
  await page.waitForSelector('.exchange-source ::-p-text(amount)');
  await panel.press('button::-p-text(Where did the value go?)');
  await panel.shows('on 3 of 3 pages');
  expect(await layoutProblems(page)).toEqual([]);
  await copy('Copy .amount', '.amount');

  await link('Open the skript');
  await pasteFor('ins.price', "find('.amount')");
  await replay();
  await page.waitForSelector('::-p-aria(60 changed[role="button"])');
  await page.waitForSelector('.changed-fields ins ::-p-text(14.95)');
  expect(await layoutProblems(page)).toEqual([]);
  await runsAsUsual(skriptId);
});

it('the new layout leaves no rows, and the panel suggests where they are until a run finds all', async () => {
  const { page } = panel;
  const name = 'Goods of a catalogue';
  const skriptId = await breakInPanel(name, scraper({ row: '.product', price: 'ins.price, .amount' }));
  await panel.shows('usually gets 60 rows and got 0');
  await panel.press('button::-p-text(Where did the rows go?)');
  await panel.shows('60 on 3 of 3 pages');
  expect(await layoutProblems(page)).toEqual([]);
  await copy('Copy [data-sku]', '[data-sku]');

  await link('Open the skript');
  await pasteFor('.product', "$('[data-sku]')");
  await replay();
  await page.waitForSelector('::-p-aria(60 added[role="button"])');
  expect(await layoutProblems(page)).toEqual([]);
  await runsAsUsual(skriptId);
});
