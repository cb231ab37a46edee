import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { startProduct } from '../harness/product.js';

jest.setTimeout(180_000);

interface Recorded {
  echoes: { at_ms: number; msg: string }[];
  rows: { title: string }[];
}

const recorded: Recorded = JSON.parse(readFileSync(join(process.cwd(), 'website/content/sample-run.json'), 'utf8'));
const STAGE = '[data-state]';

const product = startProduct();
let page: Page;

beforeEach(async () => {
  page = await product.browser.newPage();
});
afterEach(() => page.close());

const home = () => page.goto(`${product.platform.url}/`, { waitUntil: 'networkidle0' });
const stateIs = (state: string) =>
  page.waitForFunction(
    (stage, wanted) => document.querySelector<HTMLElement>(stage)?.dataset.state === wanted,
    {},
    STAGE,
    state,
  );
/** How visible each echo is, from 0 to 1. */
const opacities = () =>
  page.$$eval(`${STAGE} li`, echoes => echoes.map(echo => Number(getComputedStyle(echo).opacity)));
const allShown = () =>
  page.waitForFunction(
    stage => [...document.querySelectorAll(`${stage} li`)].every(echo => getComputedStyle(echo).opacity === '1'),
    {},
    STAGE,
  );
const shown = recorded.echoes.map(() => 1);
const unseen = recorded.echoes.map(() => 0);

test('the run waits until it is looked at, plays at its own pace, and plays again on request', async () => {
  await home();
  await stateIs('waiting');
  expect(await opacities()).toEqual(unseen);

  await page.$eval(STAGE, stage => stage.scrollIntoView({ block: 'center' }));
  await stateIs('playing');
  const delaysMs = await page.$$eval(`${STAGE} li`, echoes =>
    echoes.map(echo => Number(echo.getAnimations()[0]?.effect?.getTiming().delay)),
  );
  expect(delaysMs).toEqual(recorded.echoes.map(({ at_ms }) => at_ms));
  await allShown();

  await page.locator(`${STAGE} button ::-p-text(Replay)`).click();
  await stateIs('playing');
  await allShown();
});

test('words that are still to come are there for who reads by ear', async () => {
  await home();
  await stateIs('waiting');
  const tree = JSON.stringify(await page.accessibility.snapshot());
  for (const { msg } of recorded.echoes) expect(tree).toContain(msg);
  for (const { title } of recorded.rows) expect(tree).toContain(title);
});

test('where motion is not welcome the run stands there whole', async () => {
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await home();
  await stateIs('still');
  expect(await opacities()).toEqual(shown);
});

test('without JavaScript the run stands there whole', async () => {
  await page.setJavaScriptEnabled(false);
  await home();
  expect(await opacities()).toEqual(shown);
});

test('nothing moves out of its place while the run is played', async () => {
  await home();
  await stateIs('waiting');
  await page.$eval(STAGE, stage => stage.scrollIntoView({ block: 'center' }));
  // From the stage's own top, because the page is scrolled meanwhile; of what holds the pieces, because each piece itself
  // glides a little as it comes.
  const places = () =>
    page.$eval(STAGE, stage => {
      const { top } = stage.getBoundingClientRect();
      return [stage, ...stage.querySelectorAll('section, ol, table')].map(holder => {
        const rectangle = holder.getBoundingClientRect();
        return [rectangle.top - top, rectangle.height].map(Math.round);
      });
    });
  // A font that comes late is no doing of the run.
  await page.evaluate(async () => void (await document.fonts.ready));
  const before = await places();
  await stateIs('playing');
  expect(await places()).toEqual(before);
  await allShown();
  expect(await places()).toEqual(before);
});
