import type { Page } from 'puppeteer-core';
import { until } from '../until.js';

const POLL_MS = 100;

/**
 * Lets a page wait with little processor time. Puppeteer looks for an accessible name as often as it can, which takes a
 * quarter of a core, and calls a function in each frame.
 */
export function waitSparingly(page: Page): void {
  const waitForSelector = page.waitForSelector.bind(page) as Page['waitForSelector'];
  // Locators call this method, too.
  page.waitForSelector = ((selector, options) =>
    selector.includes('::-p-aria')
      ? until(() => found(page, selector, options?.signal), selector, page.getDefaultTimeout())
      : waitForSelector(selector, options)) as Page['waitForSelector'];
  const waitForFunction = page.waitForFunction.bind(page) as Page['waitForFunction'];
  page.waitForFunction = ((code, options, ...args) =>
    waitForFunction(code, { polling: POLL_MS, ...options }, ...args)) as Page['waitForFunction'];
}

async function found(page: Page, selector: string, signal: AbortSignal | undefined) {
  signal?.throwIfAborted();
  // The page may be on its way to another document.
  return page.$(selector).catch(() => null);
}
