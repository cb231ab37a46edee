import type { Page } from 'puppeteer-core';
import { type Chromium, startChromium } from '../harness/chromium.js';
import { Platform } from '../harness/platform.js';

jest.setTimeout(180_000);

const PHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };
const DIALOG = 'dialog[open]';

let platform: Platform;
let chromium: Chromium;
let page: Page;

beforeAll(async () => {
  platform = await Platform.start();
  chromium = await startChromium();
});
beforeEach(async () => {
  page = await chromium.browser.newPage();
});
afterEach(() => page.close());
afterAll(async () => {
  await chromium?.close();
  await platform?.close();
});

const open = (path: string) => page.goto(platform.url + path, { waitUntil: 'networkidle0' });
const path = () => page.evaluate(() => location.pathname);
const focused = () => page.evaluate(() => document.activeElement?.textContent);
const closed = () => page.waitForFunction(selector => !document.querySelector(selector), {}, DIALOG);
const servicesInBar = '.navbar__items a[href="/services"]';

describe('the services menu', () => {
  it('opens from the bar by mouse, without leaving the page, and its links are real', async () => {
    await open('/docs');
    await page.click(servicesInBar);
    await page.waitForSelector(DIALOG);
    expect(await path()).toBe('/docs');
    const links = await page.$$eval(`${DIALOG} a[href^="/services/"]`, anchors =>
      anchors.map(anchor => anchor.getAttribute('href')),
    );
    expect(new Set(links).size).toBe(18);
    await page.click(`${DIALOG} a[href="/services/price-monitoring"]`);
    await page.waitForFunction(() => location.pathname === '/services/price-monitoring');
    await closed();
  });

  it('works by keyboard: focus goes in, stays in, and comes back after Escape', async () => {
    await open('/docs');
    await page.focus(servicesInBar);
    await page.keyboard.press('Enter');
    await page.waitForSelector(DIALOG);
    const stops = await page.$$eval(`${DIALOG} a, ${DIALOG} button`, elements => elements.length);
    const inside = () => page.evaluate(selector => Boolean(document.activeElement?.closest(selector)), DIALOG);
    for (let step = 0; step < stops + 2; step++) {
      expect(await inside()).toBe(true);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.down('Shift');
    for (let step = 0; step < stops + 2; step++) {
      await page.keyboard.press('Tab');
      expect(await inside()).toBe(true);
    }
    await page.keyboard.up('Shift');
    await page.keyboard.press('Escape');
    await closed();
    expect(await focused()).toBe('Services');
  });

  it('closes by its button and by a click beside it', async () => {
    await open('/docs');
    for (const close of [() => page.click(`${DIALOG} [aria-label="Close"]`), () => page.mouse.click(5, 5)]) {
      await page.click(servicesInBar);
      await page.waitForSelector(DIALOG);
      await close();
      await closed();
    }
  });

  it('works on a phone, and following a link closes the phone’s menu too', async () => {
    await page.setViewport(PHONE);
    await open('/docs');
    await page.tap('.navbar__toggle');
    await page.waitForSelector('.navbar-sidebar--show');
    await page.locator('.navbar-sidebar a[href="/services"]').click();
    await page.waitForSelector(DIALOG);
    await page.locator(`${DIALOG} a[href="/services/web-scraping"]`).click();
    await page.waitForFunction(() => location.pathname === '/services/web-scraping');
    await closed();
    expect(await page.$('.navbar-sidebar--show')).toBeNull();
  });

  it('leaves a click for a new tab alone, and /services stays a page', async () => {
    await open('/docs');
    await page.keyboard.down('Control');
    await page.click(servicesInBar);
    await page.keyboard.up('Control');
    expect(await page.$(DIALOG)).toBeNull();
    await open('/services');
    expect(
      await page.$$eval('main h2', headings => headings.slice(0, 6).map(heading => heading.firstChild?.textContent)),
    ).toEqual(['Data Scraping', 'Data Monitoring', 'AI', 'Coding', 'DaaS and APIs', 'Misc']);
  });
});

describe('the bar', () => {
  it('leads to every page of the first level, and to the panel', async () => {
    await open('/');
    const links = await page.$$eval('.navbar a', anchors => anchors.map(anchor => anchor.getAttribute('href')));
    expect(links).toEqual(
      expect.arrayContaining([
        '/',
        '/platform',
        '/services',
        '/pricing',
        '/faq',
        '/contact',
        '/sign-up',
        '/panel/login',
      ]),
    );
  });

  it('takes its scrolled style past 50 px, and gives it back', async () => {
    await open('/');
    const scrolledTo = async (top: number, isScrolled: boolean) => {
      await page.evaluate(y => window.scrollTo({ top: y, behavior: 'instant' }), top);
      await page.waitForFunction(
        wanted => document.documentElement.hasAttribute('data-scrolled') === wanted,
        {},
        isScrolled,
      );
    };
    const borderIs = (colour: string, same: boolean) =>
      page.waitForFunction(
        (seen, wanted) => {
          const now = getComputedStyle(document.querySelector('.navbar') as Element).borderBottomColor;
          return (now === seen) === wanted;
        },
        {},
        colour,
        same,
      );
    const atTop = await page.$eval('.navbar', bar => getComputedStyle(bar).borderBottomColor);
    await scrolledTo(51, true);
    await borderIs(atTop, false);
    await scrolledTo(50, false);
    await borderIs(atTop, true);
  });
});

test('the footer leads to prices, docs, every service, sign-up, the panel and the legal pages', async () => {
  await open('/');
  const links = await page.$$eval('footer a', anchors => anchors.map(anchor => anchor.getAttribute('href')));
  expect(links.filter(href => href?.startsWith('/services/'))).toHaveLength(18);
  expect(links).toEqual(
    expect.arrayContaining([
      '/pricing',
      '/docs',
      '/sign-up',
      '/panel/login',
      '/legal/privacy-policy',
      '/legal/terms-of-service',
    ]),
  );
});

test('an unknown path answers 404 with the page that says so and leads home', async () => {
  const response = await open('/no/such/page');
  expect(response?.status()).toBe(404);
  const text = await page.$eval('main', main => main.innerText.replace(/\s+/g, ' '));
  expect(text).toContain(
    "Oops! The page you're looking for isn't here. It looks like nothing was found at this location. Check the URL for mistakes and try again.",
  );
  await page.locator('main ::-p-text(Go Home)').click();
  await page.waitForFunction(() => location.pathname === '/');
});
