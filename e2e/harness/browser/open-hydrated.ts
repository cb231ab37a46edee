import type { HTTPResponse, Page } from 'puppeteer-core';

/**
 * Opens a page of the website and waits until React handles its events. Docusaurus then sets a mark on the root
 * element.
 */
export async function openHydrated(page: Page, address: string): Promise<HTTPResponse | null> {
  const response = await page.goto(address);
  await page.waitForSelector('html[data-has-hydrated="true"]');
  return response;
}
