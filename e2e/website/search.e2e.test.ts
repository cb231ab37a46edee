import type { HTTPRequest, Page } from 'puppeteer-core';
import { chromiumForFile, openPage } from '../harness/browser/chromium.js';
import { openHydrated } from '../harness/browser/open-hydrated.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { QUERIES } from './search-queries.js';

const BOX = 'dialog[open] input[role=combobox]';
const HIT = 'dialog[open] [role=option]';

const platform = sharedPlatform();
const chromium = chromiumForFile();
let page: Page;
let requested: string[];
let errors: string[];

// The tests share a tab, because a new one compiles the site's scripts anew.
beforeAll(async () => {
  page = await openPage(chromium.browser);
  // Skips the entrance animations, which take longer than the tests.
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  page.on('request', request => requested.push(new URL(request.url()).pathname));
  page.on('pageerror', error => errors.push(String(error)));
});
beforeEach(() => {
  requested = [];
  errors = [];
});

const open = (path: string) => openHydrated(page, platform.url + path);
const hits = () => page.$$eval(HIT, options => options.map(option => option.getAttribute('href')));
const focused = () => page.evaluate(() => document.activeElement?.textContent);

async function search(words: string) {
  await page.waitForSelector(BOX);
  await page.type(BOX, words);
}

/** Replaces the words in the box. Returns the addresses of the hits, none if the dialog shows that nothing matches. */
async function hitsOf(words: string) {
  await page.$eval(BOX, box => (box as HTMLInputElement).select());
  await page.keyboard.sendCharacter(words);
  await page.waitForFunction(
    (hit, empty) => document.querySelector(hit) ?? document.querySelector('dialog')?.textContent?.includes(empty),
    {},
    HIT,
    `No results for “${words}”`,
  );
  return hits();
}

async function pressShortcut() {
  await page.keyboard.down('Control');
  await page.keyboard.press('k');
  await page.keyboard.up('Control');
}

let handler: ((request: HTTPRequest) => void) | undefined;

/** From now until the end of the test, `handle` answers the requests of the page. */
async function intercept(handle: (request: HTTPRequest) => void) {
  handler = handle;
  page.on('request', handle);
  await page.setRequestInterception(true);
}

afterEach(async () => {
  if (!handler) return;
  page.off('request', handler);
  handler = undefined;
  await page.setRequestInterception(false);
});

/** From now on, requests for this path and for all paths below it fail, until the returned function is called. */
async function failRequests(path: string) {
  let isFailing = true;
  await intercept(request =>
    isFailing && new URL(request.url()).pathname.startsWith(path)
      ? request.abort('connectionfailed')
      : request.continue(),
  );
  return () => {
    isFailing = false;
  };
}

describe('the website’s search', () => {
  it('loads its index on first use, and goes to a heading that you choose by keyboard', async () => {
    await open('/');
    expect(requested).not.toContain('/search-index.json');
    await pressShortcut();
    await search('already_running');
    await page.waitForSelector(HIT);
    expect(await hits()).toContain('/docs/tech/skript-execution#when-a-start-is-refused');
    await page.keyboard.press('ArrowDown');
    const chosen = await page.$eval(`${HIT}[aria-selected=true]`, option => option.getAttribute('href'));
    expect(chosen).toBe((await hits())[1]);
    await page.keyboard.press('Enter');
    await page.waitForFunction(to => location.pathname + location.hash === to, {}, chosen);
    expect(await page.$('dialog[open]')).toBeNull();
    expect(errors).toEqual([]);
  });

  it('finds pages by the names that menus and lists give them', async () => {
    await open('/services');
    const named = await page.$$eval('.navbar__items a, main li > a', links =>
      links.map(link => [link.textContent ?? '', link.getAttribute('href') ?? '']),
    );
    named.push(['DaaS', '/services/daas-data-as-a-service'], ['e-mail contact', '/contact']);
    const sought = named.filter(([, to = '']) => to.length > 1 && !to.startsWith('/panel'));
    expect(sought.length).toBeGreaterThan(18 + 10 + 6);
    await pressShortcut();
    await page.waitForSelector(BOX);
    const notFound: string[] = [];
    const sample = isFullTest ? sought : sought.filter((_, index) => index % 4 === testSeed % 4);
    for (const [name = '', to = ''] of sample) {
      const first = (await hitsOf(name)).slice(0, 3);
      if (!first.includes(to)) notFound.push(`“${name}”: expected ${to}, found ${first.join(', ') || 'nothing'}`);
    }
    expect(notFound).toEqual([]);
  });

  it('leads to the expected page first for what people type', async () => {
    await open('/docs');
    await pressShortcut();
    await page.waitForSelector(BOX);
    const wrong: string[] = [];
    for (const [query, expected] of Object.entries(QUERIES)) {
      const [first] = await hitsOf(query);
      if (first?.split('#')[0] !== expected)
        wrong.push(`“${query}”: expected ${expected}, found ${first ?? 'nothing'}`);
    }
    expect(wrong).toEqual([]);
  });

  it('finds pages outside the docs, says when nothing matches, and returns the focus on closing', async () => {
    await open('/docs');
    await page.click('button[aria-keyshortcuts]');
    await search('privacy policy');
    await page.waitForSelector(`${HIT}[href^="/legal/privacy-policy"]`);
    await page.$eval(BOX, box => (box as HTMLInputElement).select());
    await page.keyboard.type('xylophone');
    await page.waitForFunction(() =>
      document.querySelector('dialog')?.textContent?.includes('No results for “xylophone”'),
    );
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('dialog[open]'));
    expect(await focused()).toContain('Search');
  });

  it('reports an index that failed to load, and retries on request', async () => {
    const restore = await failRequests('/search-index.json');
    await open('/docs');
    await pressShortcut();
    await search('worker');
    await page.waitForFunction(() => document.querySelector('dialog')?.textContent?.includes('could not be loaded'));
    restore();
    await page.click('dialog [role=status] button');
    await page.waitForSelector(HIT);
  });
});

if (isFullTest)
  describe('the website’s search with an invalid index', () => {
    it('reports the failure instead of loading for ever', async () => {
      await intercept(request =>
        new URL(request.url()).pathname === '/search-index.json'
          ? request.respond({ status: 200, contentType: 'text/html', body: '<p>A page</p>' })
          : request.continue(),
      );
      await open('/docs');
      await pressShortcut();
      await search('worker');
      await page.waitForFunction(() => document.querySelector('dialog')?.textContent?.includes('could not be loaded'));
    });
  });

if (isFullTest)
  describe('the website’s search whose script fails to load', () => {
    let tab: Page;
    // In the shared tab, the browser would take the script from its memory.
    beforeEach(async () => {
      tab = page;
      page = await openPage(chromium.browser);
    });
    afterEach(async () => {
      await page.close();
      page = tab;
    });

    it('does not break the page, reports the failure, and opens on retry', async () => {
      await open('/docs');
      const restore = await failRequests('/assets/js/');
      await pressShortcut();
      await page.waitForFunction(() =>
        document.querySelector('dialog[open]')?.textContent?.includes('Search could not be loaded.'),
      );
      expect(await page.$eval('h1', heading => heading.checkVisibility())).toBe(true);
      restore();
      await page.click('dialog[open] button');
      await search('worker');
      await page.waitForSelector(HIT);
    });
  });

describe('openapi.yaml on the Joint API page', () => {
  const button = '.theme-doc-markdown button.action';
  const shown = () => page.waitForFunction(() => document.body.textContent?.includes('openapi: 3.0.')).then(() => true);

  it('is fetched on request and shown in place', async () => {
    await open('/docs/joint-api');
    expect(requested).not.toContain('/openapi.yaml');
    await page.click(button);
    expect(await shown()).toBe(true);
  });

  if (isFullTest)
    it('reports why it failed to load, and retries on request', async () => {
      const restore = await failRequests('/openapi.yaml');
      await open('/docs/joint-api');
      await page.click(button);
      await page.waitForFunction(() =>
        document.body.textContent?.includes('openapi.yaml could not be loaded: Network error'),
      );
      restore();
      await page.click(button);
      expect(await shown()).toBe(true);
    });
});
