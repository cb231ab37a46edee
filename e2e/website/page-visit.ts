import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';

const AXE = readFileSync(createRequire(join(process.cwd(), 'e2e/package.json')).resolve('axe-core/axe.min.js'), 'utf8');
const TABS = 3;

const LOOKS = [
  { look: 'light, 360 px', width: 360, scheme: 'light' },
  { look: 'light, 1440 px', width: 1440, scheme: 'light' },
  { look: 'dark, 1440 px', width: 1440, scheme: 'dark' },
] as const;

export interface PageVisit {
  route: string;
  status: number | undefined;
  title: string;
  description: string;
  canonical: string;
  h1: number;
  /** Errors of the console, of scripts and of requests. */
  errors: string[];
  /** Pixels that the page is wider than a window of 360 px. */
  sidewaysPx: number;
  /** What axe found, each with the look in which it did. */
  axe: string[];
}

/** Opens every route in a real browser, a few at a time, and says what was found there. */
export async function visitAll(browser: Browser, origin: string, routes: string[]): Promise<PageVisit[]> {
  const waiting = [...routes];
  const visits: PageVisit[] = [];
  const tab = async () => {
    for (let route = waiting.shift(); route; route = waiting.shift()) visits.push(await visit(browser, origin, route));
  };
  await Promise.all(Array.from({ length: TABS }, tab));
  return visits;
}

async function visit(browser: Browser, origin: string, route: string): Promise<PageVisit> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => message.type() === 'error' && errors.push(message.text()));
  page.on('requestfailed', request => errors.push(`${request.url()}: ${request.failure()?.errorText}`));
  try {
    await show(page, LOOKS[0]);
    const response = await page.goto(origin + route, { waitUntil: 'networkidle0' });
    const facts = await page.evaluate(() => ({
      title: document.title,
      description: document.querySelector<HTMLMetaElement>('meta[name="description"]')?.content ?? '',
      canonical: document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href ?? '',
      h1: document.querySelectorAll('h1').length,
      sidewaysPx: document.documentElement.scrollWidth - window.innerWidth,
    }));
    const axe: string[] = [];
    await page.evaluate(AXE);
    for (const look of LOOKS) {
      await show(page, look);
      for (const found of await runAxe(page)) axe.push(`${look.look}: ${found}`);
    }
    return { route, status: response?.status(), ...facts, errors, axe };
  } finally {
    await page.close();
  }
}

async function show(page: Page, { width, scheme }: (typeof LOOKS)[number]): Promise<void> {
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  if (page.url() !== 'about:blank') {
    await page.waitForFunction(wanted => document.documentElement.dataset.theme === wanted, {}, scheme);
  }
}

async function runAxe(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}
