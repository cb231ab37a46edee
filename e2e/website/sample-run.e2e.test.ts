import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { chromiumForFile, openPage } from '../harness/browser/chromium.js';
import { openHydrated } from '../harness/browser/open-hydrated.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

interface Recorded {
  echoes: { at_ms: number; msg: string }[];
  rows: { title: string }[];
}

const recorded: Recorded = JSON.parse(readFileSync(join(process.cwd(), 'website/content/sample-run.json'), 'utf8'));
const STAGE = '[data-state]';
const RESULTS = `${STAGE} ol`;
/** The results are below the first screen of a phone, and on that of a desktop. */
const PHONE = { width: 360, height: 780 };
const DESKTOP = { width: 1440, height: 900 };
const TIMES_SLOWER = 4;

const platform = sharedPlatform();
const chromium = chromiumForFile();
let page: Page;

// The tests share a tab, because a new one compiles the site's scripts anew.
beforeAll(async () => {
  page = await openPage(chromium.browser);
});
afterEach(async () => {
  await page.emulateMediaFeatures([]);
  await page.setJavaScriptEnabled(true);
  await page.setViewport(DESKTOP);
});

const home = () => openHydrated(page, `${platform.url}/`);
const stateIs = (state: string) =>
  page.waitForFunction(
    (stage, wanted) => document.querySelector<HTMLElement>(stage)?.dataset.state === wanted,
    {},
    STAGE,
    state,
  );
/** Returns the opacity of each echo, from 0 to 1. */
const opacities = () =>
  page.$$eval(`${STAGE} li`, echoes => echoes.map(echo => Number(getComputedStyle(echo).opacity)));
const allShown = () =>
  page.waitForFunction(
    stage => [...document.querySelectorAll(`${stage} li`)].every(echo => getComputedStyle(echo).opacity === '1'),
    {},
    STAGE,
  );
const allVisible = recorded.echoes.map(() => 1);
const allHidden = recorded.echoes.map(() => 0);

test('the recorded run on the home page plays once it is in view, in its recorded order, and replays on request', async () => {
  await page.setViewport(PHONE);
  await home();
  await stateIs('waiting');
  expect(await opacities()).toEqual(allHidden);
  // Screen readers find the texts that are not shown yet.
  const tree = JSON.stringify(await page.accessibility.snapshot());
  for (const { msg } of recorded.echoes) expect(tree).toContain(msg);
  for (const { title } of recorded.rows) expect(tree).toContain(title);

  await page.$eval(RESULTS, results => results.scrollIntoView({ block: 'center' }));
  await stateIs('playing');
  const delaysMs = await page.$$eval(`${STAGE} li`, echoes =>
    echoes.map(echo => Number(echo.getAnimations()[0]?.effect?.getTiming().delay)),
  );
  expect(delaysMs).toEqual(recorded.echoes.map(({ at_ms }) => at_ms * TIMES_SLOWER));
  await allShown();

  await page.locator(`${STAGE} button ::-p-text(Replay)`).click();
  await stateIs('playing');
  await allShown();
});

test('on a desktop, the recorded run is on the first screen and plays at once', async () => {
  await home();
  expect(await page.$eval(RESULTS, results => results.getBoundingClientRect().top)).toBeLessThan(DESKTOP.height);
  await stateIs('playing');
  await allShown();
});

test('with reduced motion, the home page shows the recorded run complete, without animation', async () => {
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await home();
  expect(await opacities()).toEqual(allVisible);
});

test('without JavaScript, the recorded run on the home page plays and is complete', async () => {
  await page.setJavaScriptEnabled(false);
  await page.goto(`${platform.url}/`);
  // Not by `waitForFunction`, which needs timers of the page.
  await until(async () => (await opacities()).every(opacity => opacity === 1), 'the whole run to be visible');
});

test('the home page has a command that installs Trawl from this installation', async () => {
  await home();
  const command = await page.$eval('main pre', block => block.textContent);
  expect(command).toContain('/source.tar.gz | tar -xz');
  expect(command).toContain('cd trawl && npm start');
});

test('the home page is short on a phone', async () => {
  await page.setViewport(PHONE);
  await home();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(9000);
});

if (isFullTest)
  test('while the recorded run on the home page plays, none of its parts changes position', async () => {
    await page.setViewport(PHONE);
    await home();
    await stateIs('waiting');
    await page.$eval(RESULTS, results => results.scrollIntoView({ block: 'center' }));
    // Measures positions relative to the stage, because the page may scroll. Measures only the containers, because their
    // content moves while it appears.
    const positions = () =>
      page.$eval(STAGE, stage => {
        const { top } = stage.getBoundingClientRect();
        return [stage, ...stage.querySelectorAll('section, ol, table')].map(container => {
          const rectangle = container.getBoundingClientRect();
          return [rectangle.top - top, rectangle.height].map(Math.round);
        });
      });
    // Wait for all fonts, because a font that loads late would also change positions.
    await page.evaluate(async () => void (await document.fonts.ready));
    const before = await positions();
    await stateIs('playing');
    expect(await positions()).toEqual(before);
    await allShown();
    expect(await positions()).toEqual(before);
  });
