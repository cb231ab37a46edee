import type { Browser } from 'puppeteer-core';
import { type Chromium, startChromium } from './chromium.js';
import { Platform } from './platform.js';

/** The product and a browser, for the tests of one file; both are there when its first hook of its own begins. */
export function startProduct(): { readonly platform: Platform; readonly browser: Browser } {
  let platform: Platform;
  let chromium: Chromium;
  beforeAll(async () => {
    platform = await Platform.start();
    chromium = await startChromium();
  });
  afterAll(async () => {
    await chromium?.close();
    await platform?.close();
  });
  return {
    get platform() {
      return platform;
    },
    get browser() {
      return chromium.browser;
    },
  };
}
