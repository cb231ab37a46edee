import type { Page } from 'puppeteer-core';
import { startProduct } from '../harness/product.js';

jest.setTimeout(180_000);

const BOX = 'dialog[open] input[role=combobox]';
const HIT = 'dialog[open] [role=option]';

const product = startProduct();
let page: Page;
let requested: string[];
let errors: string[];

beforeEach(async () => {
  page = await product.browser.newPage();
  requested = [];
  errors = [];
  page.on('request', request => requested.push(new URL(request.url()).pathname));
  page.on('pageerror', error => errors.push(String(error)));
});
afterEach(() => page.close());

const open = (path: string) => page.goto(product.platform.url + path, { waitUntil: 'networkidle0' });
const hits = () => page.$$eval(HIT, options => options.map(option => option.getAttribute('href')));
const focused = () => page.evaluate(() => document.activeElement?.textContent);

async function search(words: string) {
  await page.waitForSelector(BOX);
  await page.type(BOX, words);
}

async function pressShortcut() {
  await page.keyboard.down('Control');
  await page.keyboard.press('k');
  await page.keyboard.up('Control');
}

/** Lets requests for a path, or for all below it, fail until the page is told otherwise. */
async function cutOff(path: string) {
  let isCut = true;
  await page.setRequestInterception(true);
  page.on('request', request =>
    isCut && new URL(request.url()).pathname.startsWith(path) ? request.abort('connectionfailed') : request.continue(),
  );
  return () => {
    isCut = false;
  };
}

describe('search', () => {
  it('loads nothing before it is asked for, finds a heading by keyboard, and goes there', async () => {
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

  it('finds every page by the name that menus and lists give it', async () => {
    await open('/services');
    const named = await page.$$eval('.navbar__items a, main li > a', links =>
      links.map(link => [link.textContent ?? '', link.getAttribute('href') ?? '']),
    );
    named.push(['DaaS', '/services/daas-data-as-a-service'], ['e-mail contact', '/contact']);
    const sought = named.filter(([, to = '']) => to.length > 1 && !to.startsWith('/panel'));
    expect(sought.length).toBeGreaterThan(18 + 10 + 6);
    await pressShortcut();
    await page.waitForSelector(BOX);
    const missed: string[] = [];
    for (const [name = '', to = ''] of sought) {
      await page.$eval(BOX, box => (box as HTMLInputElement).select());
      await page.keyboard.sendCharacter(name);
      await page.waitForSelector(HIT);
      const first = (await hits()).slice(0, 3);
      if (!first.includes(to)) missed.push(`${name}: ${first.join(' ')}`);
    }
    expect(missed).toEqual([]);
  });

  it('finds pages outside the docs, says when there is nothing, and gives the focus back', async () => {
    await open('/docs');
    await page.click('button[aria-keyshortcuts]');
    await search('privacy policy');
    await page.waitForSelector(`${HIT}[href^="/legal/privacy-policy"]`);
    await page.$eval(BOX, box => (box as HTMLInputElement).select());
    await page.keyboard.type('xylophone');
    await page.waitForFunction(() =>
      document.querySelector('dialog')?.textContent?.includes('Nothing has “xylophone”'),
    );
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('dialog[open]'));
    expect(await focused()).toContain('Search');
  });

  it('says that it could not be loaded, and tries again when told to', async () => {
    const mend = await cutOff('/search-index.json');
    await open('/docs');
    await pressShortcut();
    await search('worker');
    await page.waitForFunction(() => document.querySelector('dialog')?.textContent?.includes('could not be loaded'));
    mend();
    await page.click('dialog [role=status] button');
    await page.waitForSelector(HIT);
  });
});

describe('search whose index is none', () => {
  it('says so instead of loading for ever', async () => {
    await page.setRequestInterception(true);
    page.on('request', request =>
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

describe('search that cannot be fetched', () => {
  it('leaves the page as it is, says so, and comes when it is tried again', async () => {
    await open('/docs');
    const mend = await cutOff('/assets/js/');
    await pressShortcut();
    await page.waitForFunction(() =>
      document.querySelector('dialog[open]')?.textContent?.includes('Search could not be loaded.'),
    );
    expect(await page.$eval('h1', heading => heading.checkVisibility())).toBe(true);
    mend();
    await page.click('dialog[open] button');
    await search('worker');
    await page.waitForSelector(HIT);
  });
});

describe('openapi.yaml on the Joint API page', () => {
  const button = '.theme-doc-markdown button.action';
  const shown = () => page.waitForFunction(() => document.body.textContent?.includes('openapi: 3.0.')).then(() => true);

  it('is fetched when it is asked for, and shown in place', async () => {
    await open('/docs/joint-api');
    expect(requested).not.toContain('/openapi.yaml');
    await page.click(button);
    expect(await shown()).toBe(true);
  });

  it('says why it could not be loaded, and tries again when told to', async () => {
    const mend = await cutOff('/openapi.yaml');
    await open('/docs/joint-api');
    await page.click(button);
    await page.waitForFunction(() =>
      document.body.textContent?.includes('openapi.yaml could not be loaded: Network error'),
    );
    mend();
    await page.click(button);
    expect(await shown()).toBe(true);
  });
});
