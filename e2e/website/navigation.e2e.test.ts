import type { Page } from 'puppeteer-core';
import { chromiumForFile, openPage } from '../harness/browser/chromium.js';
import { openHydrated } from '../harness/browser/open-hydrated.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const PHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };
const DESKTOP = { width: 1440, height: 900 };
const DIALOG = 'dialog[open]';

const platform = sharedPlatform();
const chromium = chromiumForFile();
let page: Page;

// The tests share a tab, because a new one compiles the site's scripts anew.
beforeAll(async () => {
  page = await openPage(chromium.browser);
});
// Skips the entrance animations, which take longer than most tests.
beforeEach(() => page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]));
afterEach(async () => {
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.setJavaScriptEnabled(true);
  await page.setViewport(DESKTOP);
});

/** Opens a page, unless the previous test has left it open. */
async function open(path: string) {
  if (page.url() !== platform.url + path) return openHydrated(page, platform.url + path);
  await page.waitForSelector('html[data-has-hydrated="true"]');
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  return null;
}
const path = () => page.evaluate(() => location.pathname);
const focused = () => page.evaluate(() => document.activeElement?.textContent);
const closed = () => page.waitForFunction(selector => !document.querySelector(selector), {}, DIALOG);
const servicesInBar = '.navbar__items a[href="/services"]';

describe('the website’s services menu', () => {
  it('opens from the navigation bar on a click without leaving the page, and its links work', async () => {
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

  it('moves the keyboard focus in, keeps it in, and returns it after Escape', async () => {
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

  it('closes with its button and with a click outside', async () => {
    await open('/docs');
    for (const close of [() => page.click(`${DIALOG} [aria-label="Close"]`), () => page.mouse.click(5, 5)]) {
      await page.click(servicesInBar);
      await page.waitForSelector(DIALOG);
      await close();
      await closed();
    }
  });

  it('opens on a phone, where following a link also closes the mobile menu', async () => {
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

  it('does not open or close on Ctrl-clicks, and /services is a page of its own', async () => {
    await open('/docs');
    await page.keyboard.down('Control');
    await page.click(servicesInBar);
    await page.keyboard.up('Control');
    expect(await page.$(DIALOG)).toBeNull();
    await page.click(servicesInBar);
    await page.waitForSelector(DIALOG);
    await page.keyboard.down('Control');
    await page.click(`${DIALOG} a[href="/services/price-monitoring"]`);
    await page.keyboard.up('Control');
    expect(await path()).toBe('/docs');
    expect(await page.$(DIALOG)).not.toBeNull();
    await open('/services');
    expect(
      await page.$$eval('main h2', headings => headings.slice(0, 6).map(heading => heading.firstChild?.textContent)),
    ).toEqual(['Data Scraping', 'Data Monitoring', 'AI', 'Coding', 'DaaS and APIs', 'Misc']);
  });
});

describe('a dialog of the website', () => {
  it('prevents a second dialog from opening, and the page behind it from scrolling', async () => {
    await open('/');
    await page.click(servicesInBar);
    await page.waitForSelector(DIALOG);
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.mouse.move(5, 400);
    await page.mouse.wheel({ deltaY: 700 });
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe('hidden');
    await page.keyboard.press('Escape');
    // No dialog may be open now. Escape closes only one dialog, so if the search had opened as well, one would still be
    // open.
    await closed();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    await page.mouse.wheel({ deltaY: 100 });
    await page.waitForFunction(() => window.scrollY === 100);
  });
});

test('a link to a heading scrolls the heading to just below the website’s navigation bar', async () => {
  await open('/docs/tech/skript-execution#when-a-start-is-refused');
  await page.waitForFunction(() => window.scrollY > 0);
  const gap = await page.evaluate(() => {
    const bar = document.querySelector('.navbar') as Element;
    const heading = document.getElementById('when-a-start-is-refused') as Element;
    return heading.getBoundingClientRect().top - bar.getBoundingClientRect().bottom;
  });
  expect(gap).toBeGreaterThan(0);
  expect(gap).toBeLessThan(40);
});

test('without JavaScript, the website hides its search, and each form says what to do instead', async () => {
  await page.setJavaScriptEnabled(false);
  await page.goto(`${platform.url}/sign-up`);
  const isShown = (selector: string) => page.$eval(selector, element => element.getClientRects().length > 0);
  expect(await isShown('button[aria-keyshortcuts]')).toBe(false);
  const note = () => page.$eval('form noscript', element => element.textContent);
  expect(await note()).toContain('An e-mail opens no account');
  await page.goto(`${platform.url}/contact`);
  expect(await note()).toContain('You can also send an e-mail');
});

describe('the website’s navigation bar', () => {
  beforeEach(() => page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'no-preference' }]));

  it('links to every top-level page and the panel', async () => {
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

  // Scrolls just past the threshold. If the new style of the bar moved the page, the page would be above the threshold
  // again.
  const places = ['/', '/pricing', '/docs/tech/workers'].flatMap(at => [1440, 360].map(width => [at, width] as const));
  it.each(isFullTest ? places : places.slice(testSeed % places.length).slice(0, 1))(
    'changes style once past 50 px without moving the page: %s, %i px wide',
    async (at, width) => {
      await page.setViewport({ width, height: 800 });
      await open(at);
      for (const top of [51, 56, 62]) {
        const seen = await page.evaluate(async y => {
          const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
          const root = document.documentElement;
          const bar = document.querySelector('.navbar') as Element;
          const heading = document.querySelector('h1') as Element;
          const settled = async (watch: () => void) => {
            do {
              await frame();
              watch();
            } while (bar.getAnimations().length > 0);
          };
          window.scrollTo({ top: 0, behavior: 'instant' });
          while (root.hasAttribute('data-scrolled')) await frame();
          await settled(() => {});
          let changes = 0;
          const changed = new MutationObserver(records => {
            changes += records.length;
          });
          changed.observe(root, { attributeFilter: ['data-scrolled'] });
          const headingTop = () => Math.round(heading.getBoundingClientRect().top + window.scrollY);
          const tops = new Set<number>();
          const headingTops = new Set([headingTop()]);
          window.scrollTo({ top: y, behavior: 'instant' });
          while (!root.hasAttribute('data-scrolled')) await frame();
          await settled(() => {
            tops.add(window.scrollY);
            headingTops.add(headingTop());
          });
          changed.disconnect();
          return { changes, tops: [...tops], headingPositions: headingTops.size };
        }, top);
        expect(seen).toEqual({ changes: 1, tops: [top], headingPositions: 1 });
      }
    },
  );

  it('has another border once the page is scrolled past 50 px', async () => {
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

test('the website’s footer links to prices, docs, every service, sign-up, the panel and the legal pages', async () => {
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

test('the website answers an unknown path with status 404 and a page that links to the home page', async () => {
  const response = await open('/no/such/page');
  expect(response?.status()).toBe(404);
  const text = await page.$eval('main', main => main.innerText.replace(/\s+/g, ' '));
  expect(text).toContain(
    "Oops! The page you're looking for isn't here. It looks like nothing was found at this location. Check the URL for mistakes and try again.",
  );
  await page.locator('main ::-p-text(Go Home)').click();
  await page.waitForFunction(() => location.pathname === '/');
});

test('the 404 page of the website suggests pages with a similar address', async () => {
  await open('/docs/tech/wokers');
  const first = await page.waitForSelector('main .tiles a');
  expect(await first?.evaluate(link => link.getAttribute('href'))).toBe('/docs/tech/workers');
});
