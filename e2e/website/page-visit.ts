import { load } from 'cheerio/slim';
import type { Browser, Page } from 'puppeteer-core';
import { type AxeRules, axeProblems } from '../harness/browser/accessibility.js';
import { openPage } from '../harness/browser/chromium.js';

/** Each tab compiles the site's scripts anew. */
const TABS = isFullTest ? 4 : 1;

interface Look {
  width: number;
  scheme: 'light' | 'dark';
  rules: AxeRules;
}

const PHONE: Look = { width: 360, scheme: 'light', rules: 'all' };
const DESKTOP: Look = { width: 1440, scheme: 'light', rules: 'all' };
const DARK_DESKTOP: Look = { width: 1440, scheme: 'dark', rules: 'all' };

/** One page of each layout. On a desktop, all pages of a layout have the same navigation bar, sidebar and footer. */
const LAYOUTS = [
  '/',
  '/platform',
  '/services',
  '/services/web-scraping',
  '/industries/finance',
  '/pricing',
  '/faq',
  '/contact',
  '/sign-up',
  '/legal/privacy-policy',
  '/docs',
  '/docs/tech/workers',
  '/docs/joint-api/workers-routes',
];

const isInSample = (index: number, size: number): boolean => index % size === testSeed % size;

/** The layouts of which `npm test` visits a page: a third of them, which the seed chooses. */
const SAMPLE = LAYOUTS.filter((_, index) => isInSample(index, 3));

/** `npm test` visits a page of each layout in the sample and a fortieth of the others, `npm run test:full` all pages. */
export const visitedRoutes = (routes: string[]): string[] =>
  isFullTest
    ? routes
    : routes.filter((route, index) => (LAYOUTS.includes(route) ? SAMPLE.includes(route) : isInSample(index, 40)));

/**
 * Axe takes most of a visit's time, so only `npm run test:full` runs it on every page. `npm test` checks the layouts in
 * the sample: one on the phone in light, the next on the desktop in dark.
 */
function axeLooksOf(route: string): Look[] {
  if (isFullTest) return [PHONE, DESKTOP, { ...DARK_DESKTOP, rules: 'colours' }];
  if (!SAMPLE.includes(route)) return [];
  return [SAMPLE.indexOf(route) % 2 === 0 ? PHONE : DARK_DESKTOP];
}

/** Title, description and headings in the HTML of a page, before its scripts run. */
export interface PageFacts {
  route: string;
  status: number;
  title: string;
  description: string;
  canonical: string;
  h1: number;
}

export async function factsOf(origin: string, route: string): Promise<PageFacts> {
  const response = await fetch(origin + route);
  const $ = load(await response.text());
  return {
    route,
    status: response.status,
    title: $('head title').text(),
    description: $('meta[name="description"]').attr('content') ?? '',
    canonical: $('link[rel="canonical"]').attr('href') ?? '',
    h1: $('h1').length,
  };
}

export interface PageVisit {
  route: string;
  /** Errors in the console, uncaught errors of scripts, and failed requests. */
  errors: string[];
  /** Number of pixels by which the page is wider than a window of 360 px. */
  sidewaysPx: number;
  /** Problems that axe found, each with the width and colour scheme in which it found them. */
  axe: string[];
}

/** Opens routes in a real browser, a few at a time, and collects problems. */
export async function visitAll(browser: Browser, origin: string, routes: string[]): Promise<PageVisit[]> {
  const missing = (isFullTest ? LAYOUTS : SAMPLE).filter(route => !routes.includes(route));
  if (missing.length > 0) throw new Error(`LAYOUTS has routes that the site has not: ${missing.join(', ')}`);
  const waiting = [...routes];
  const visits: PageVisit[] = [];
  // Each tab is used again: a new one starts a process and compiles the site's scripts anew.
  const tab = async () => {
    const page = await openPage(browser);
    const errors: string[] = [];
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => message.type() === 'error' && errors.push(message.text()));
    page.on('requestfailed', request => {
      const error = request.failure()?.errorText;
      // Opening the next page aborts what this one loads in advance.
      if (error !== 'net::ERR_ABORTED') errors.push(`${request.url()}: ${error}`);
    });
    for (let route = waiting.shift(); route; route = waiting.shift())
      try {
        visits.push({ ...(await visit(page, origin, route)), errors: errors.splice(0) });
      } catch (error) {
        throw new Error(`The visit of ${route} failed.`, { cause: error });
      }
    await page.close();
  };
  await Promise.all(Array.from({ length: TABS }, tab));
  return visits;
}

async function visit(page: Page, origin: string, route: string): Promise<Omit<PageVisit, 'errors'>> {
  await show(page, PHONE);
  await page.goto(origin + route, { waitUntil: 'networkidle0' });
  const sidewaysPx = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const axe: string[] = [];
  for (const look of axeLooksOf(route)) {
    await show(page, look);
    for (const problem of await axeProblems(page, look.rules)) axe.push(`${look.scheme}, ${look.width} px: ${problem}`);
  }
  return { route, sidewaysPx, axe };
}

async function show(page: Page, { width, scheme }: Look): Promise<void> {
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  if (page.url() !== 'about:blank') {
    await page.waitForFunction(wanted => document.documentElement.dataset.theme === wanted, {}, scheme);
  }
}
