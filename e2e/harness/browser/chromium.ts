import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, launch, type Page } from 'puppeteer-core';
import { needed } from '../needed.js';
import { waitSparingly } from './sparing-waits.js';

/** Puppeteer itself waits 30 s for a page, which is too short on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000;

export interface Chromium {
  browser: Browser;
  close: () => Promise<void>;
}

/** Starts a real Chromium. It has a profile of its own and sends no requests in the background. */
export async function startChromium(): Promise<Chromium> {
  const userDataDir = mkdtempSync(join(tmpdir(), 'trawl-chromium-'));
  const browser = await launch({
    executablePath: needed('TRAWL_TEST_CHROMIUM'),
    headless: 'shell',
    userDataDir,
    // Chromium ends when this process does, even if that was killed.
    pipe: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-quic',
    ],
    defaultViewport: { width: 1440, height: 900 },
  });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Opens a page that waits long enough for what a test expects. */
export async function openPage(browser: Browser | BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  waitSparingly(page);
  return page;
}

/** Starts a Chromium before the tests of the calling file, and closes it after them. */
export function chromiumForFile(): { readonly browser: Browser } {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium?.close());
  return {
    get browser() {
      return chromium.browser;
    },
  };
}
