import { isThere } from './libraries.js';

const PLACES: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    `${process.env.PROGRAMFILES}\\Google\\Chrome\\Application\\chrome.exe`,
    `${process.env.LOCALAPPDATA}\\Google\\Chrome\\Application\\chrome.exe`,
  ],
};

/** Returns the path of a Chromium: that of CHROME_PATH, or an installed one; null if there is none. */
export async function findChrome(): Promise<string | null> {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH) return (await isThere(CHROME_PATH)) ? CHROME_PATH : null;
  for (const path of PLACES[process.platform] ?? []) if (await isThere(path)) return path;
  return null;
}
