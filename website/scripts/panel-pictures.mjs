// Takes screenshots of the panel in both themes for the website.
import { writeFile } from 'node:fs/promises';
import chromium from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';
import { TRAWL_URL } from './trawl-client.mjs';

// Keep the window sizes in step with src/components/docs/panel-picture.tsx.
const WINDOW = { width: 1280, height: 800, deviceScaleFactor: 1.25 };
const PICTURES = [
  { ending: '', window: WINDOW },
  { ending: '-phone', window: { width: 390, height: 620, deviceScaleFactor: 2 } },
];
/** The first quality that makes a picture small enough is used. */
const QUALITIES = [80, 70, 60, 50, 40, 30];
const MAX_BYTES = 60_000;

async function smallPicture(tab) {
  let picture;
  for (const quality of QUALITIES) {
    picture = await tab.screenshot({ type: 'webp', quality });
    if (picture.length <= MAX_BYTES) break;
  }
  return picture;
}

/**
 * @param {{ username: string, password: string }} account
 * @param {Record<string, string>} pages paths below `/panel/developer/` by name of the screenshot
 */
export async function photograph({ username, password }, pages) {
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROME_PATH ?? (await chromium.executablePath()),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run', '--lang=en-GB'],
    headless: 'shell',
  });
  try {
    for (const theme of ['light', 'dark']) {
      const session = await browser.createBrowserContext();
      const tab = await session.newPage();
      await tab.setViewport(WINDOW);
      await tab.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: theme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
      await tab.goto(`${TRAWL_URL}/panel/login`, { waitUntil: 'networkidle0' });
      await tab.type('input[name=username]', username);
      await tab.type('input[name=password]', password);
      await tab.keyboard.press('Enter');
      await tab.waitForFunction(() => location.pathname.endsWith('/dashboard'));
      for (const [name, path] of Object.entries(pages)) {
        for (const { ending, window } of PICTURES) {
          await tab.setViewport(window);
          await tab.goto(`${TRAWL_URL}/panel/developer/${path}`, { waitUntil: 'networkidle0' });
          const picture = await smallPicture(tab);
          await writeFile(new URL(`../static/img/panel-${name}-${theme}${ending}.webp`, import.meta.url), picture);
        }
      }
      await session.close();
    }
  } finally {
    await browser.close();
  }
}
