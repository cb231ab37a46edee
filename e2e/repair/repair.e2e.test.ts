import { layoutProblems } from '../harness/browser/accessibility.js';
import { panelPage } from '../harness/browser/panel-page.js';
import { Child } from '../harness/child.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
const panel = panelPage('repair');
const START = '/joint-api/execute-skript/single-worker/start';

const MAIN = `const { load } = require('cheerio');
const { dataset } = require('@trawl/storage');

module.exports = async ({ base_url }) => {
  for (const page of [1, 2, 3]) {
    const $ = load(await (await fetch(base_url + '/catalogue?page=' + page)).text());
    const rows = $('[data-sku]').get().map(card => ({
      sku: $(card).attr('data-sku'),
      url: new URL($(card).find('a').attr('href'), base_url).href,
      price: $(card).find('ins.price').text(),
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

beforeAll(async () => {
  port = await platform.reservedPort();
  shop = `http://127.0.0.1:${port}`;
  await openShop('1');
  await panel.signIn(platform);
});
afterAll(() => site?.kill('SIGTERM'));

it('the shop changes its layout, and the panel leads from the broken verdict to a run that is right again', async () => {
  const { page } = panel;
  const developer = await platform.as('developer');
  const skriptId = await platform.skript('Prices of a catalogue', { 'main.js': MAIN });
  const run = async () => (await platform.startRun(skriptId, { base_url: shop })).body;
  for (let n = 0; n < 3; n++) expect(await run()).toMatchObject({ action: 'end', rows: 60 });
  const good = await run();
  expect(good.verdict.level).toBe('ok');
  const priceOf = async (id: string) => {
    const { items } = (await developer('GET', `/joint-api/skript-execution/${id}/rows?limit=1`)).body;
    return items[0].price;
  };
  const before = await priceOf(good.id);

  await openShop('2');
  const broken = (
    await developer('POST', `${START}?record=true`, {
      worker_id: platform.workerId,
      skript_id: skriptId,
      input: { base_url: shop },
    })
  ).body;
  expect(broken).toMatchObject({ action: 'end', rows: 60, verdict: { level: 'broken' } });

  await page.goto(`${platform.url}/panel/developer/skript-executions/${broken.id}`);
  await panel.shows('The rows are broken');
  await panel.shows('price was filled in');
  await panel.press('button::-p-text(Where did the value go?)');
  await panel.shows('on 3 of 3 pages');
  expect(await layoutProblems(page)).toEqual([]);
  await page.locator('::-p-aria(What it saw[role="tab"])').click();
  await panel.shows('/catalogue?page=3');
  const copy = await page.waitForSelector('[aria-label^="Copy ."]');
  const selector = await copy?.evaluate(element => element.getAttribute('aria-label')?.slice('Copy '.length));
  expect(selector).toBe('.amount');

  await page.goto(`${platform.url}/panel/developer/skripts/${skriptId}`);
  await panel.replaceCode(MAIN.replace('ins.price', selector ?? ''));
  await panel.button('Save');
  await page.waitForFunction(() => document.querySelector('.editor-state')?.textContent !== 'not saved');

  await site?.kill('SIGTERM');
  const replay = (await developer('POST', `/joint-api/skript-execution/${broken.id}/replay`, {})).body;
  expect(replay).toMatchObject({ action: 'end', rows: 60, replay_of: broken.id });
  expect(await priceOf(replay.id)).not.toBe('');

  await openShop('2');
  const fixed = await run();
  expect(fixed.verdict.level).toBe('ok');
  expect(await priceOf(fixed.id)).toBe(before);
});
