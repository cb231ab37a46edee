import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, launch } from 'puppeteer-core';
import { needed } from './needed.js';

export interface Chromium {
  browser: Browser;
  close: () => Promise<void>;
}

/** A real Chromium with a profile of its own; quiet, since there is no network to ask. */
export async function startChromium(): Promise<Chromium> {
  const userDataDir = mkdtempSync(join(tmpdir(), 'trawl-chromium-'));
  const browser = await launch({
    executablePath: needed('TRAWL_TEST_CHROMIUM'),
    headless: 'shell',
    userDataDir,
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
