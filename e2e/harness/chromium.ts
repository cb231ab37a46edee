import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromiumFromNpm from '@sparticuz/chromium';
import { type Browser, launch } from 'puppeteer-core';

const SYSTEM_CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'];

/** Flags for small cloud functions: one process for all makes a page's crash the browser's. */
const NOT_WANTED = /^--(headless|single-process|no-zygote)/;

/** A real Chromium: `CHROME_PATH`, the system's, or the one that comes from npm. */
export async function startChromium(): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const installed = [process.env.CHROME_PATH, ...SYSTEM_CHROMIUM].find(path => path && existsSync(path));
  const userDataDir = mkdtempSync(join(tmpdir(), 'trawl-chromium-'));
  const browser = await launch({
    executablePath: installed ?? (await chromiumFromNpm.executablePath()),
    headless: installed ? true : 'shell',
    userDataDir,
    args: [
      ...(installed ? [] : chromiumFromNpm.args.filter(flag => !NOT_WANTED.test(flag))),
      '--no-sandbox',
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
