// @ts-check
// A browser in which a developer is signed in to the panel, for its benchmarks.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { launch } from 'puppeteer-core';
import { apiOf } from './platform.mjs';

/**
 * @param {string} url of a running Trawl
 * @param {string} dataDir
 */
export async function openPanel(url, dataDir) {
  const { call, token } = await apiOf(url, dataDir, 'developer');
  const userDataDir = mkdtempSync(join(tmpdir(), 'trawl-bench-'));
  const path = process.env.CHROME_PATH;
  const browser = await launch({
    executablePath: path && existsSync(path) ? path : await chromium.executablePath(),
    headless: 'shell',
    userDataDir,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
    defaultViewport: { width: 1440, height: 900 },
  });
  const page = await browser.newPage();
  await browser.setCookie(
    ...Object.entries({ username: 'developer', role: 'developer', token }).map(([name, value]) => ({
      name,
      value,
      domain: new URL(url).hostname,
      path: '/',
    })),
  );
  return {
    call,
    page,
    /** @param {string} section with its query */
    open: section => page.goto(`${url}/panel/developer/${section}`),
    close: async () => {
      await browser.close();
      rmSync(userDataDir, { recursive: true, force: true });
    },
  };
}
