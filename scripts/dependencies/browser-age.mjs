// @ts-check
import { readFileSync } from 'node:fs';
import { fromRoot } from '../common/paths.mjs';

export const PACKAGE = '@sparticuz/chromium';

/** Returns the version of Chromium from npm that workers fall back to. Its first number is that of the browser. */
export function pinnedVersion() {
  /** @type {{ dependencies: Record<string, string> }} */
  const { dependencies } = JSON.parse(readFileSync(fromRoot('worker/package.json'), 'utf8'));
  return String(dependencies[PACKAGE]);
}

/**
 * Returns a sentence about a Chromium from npm that is old; null if it is not. Import it after `@trawl/contracts` has
 * been built.
 * @param {string} version
 * @param {number} [now]
 */
export async function oldBrowser(version, now = Date.now()) {
  const { chromiumReleasedAt, isChromiumOld, MAX_CHROMIUM_AGE_DAYS } = await import(
    '../../packages/contracts/dist/chromium-age.js'
  );
  if (!isChromiumOld(version, now)) return null;
  const day = chromiumReleasedAt(version)?.toISOString().slice(0, 10);
  return `${PACKAGE} ${version} has a Chromium of ${day}, which is older than ${MAX_CHROMIUM_AGE_DAYS} days.`;
}
