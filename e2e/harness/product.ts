import type { Browser } from 'puppeteer-core';
import { type Chromium, startChromium } from './chromium.js';
import { Platform } from './platform.js';

/**
 * The product and a browser, for the tests of one file; both are there when the hooks that come after begin.
 *
 * @param mayReach addresses of servers on this machine that runs may reach, once the hooks before are done
 */
export function startProduct(mayReach: () => string[] = () => []): {
  readonly platform: Platform;
  readonly browser: Browser;
} {
  let platform: Platform;
  let chromium: Chromium;
  beforeAll(async () => {
    platform = await Platform.start({}, mayReach());
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
