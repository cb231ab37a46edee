const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Chromium 153 was released on this day. Before, a version came every four weeks, since then every two. A worker knows
 * only the version of its Chromium. Security updates of one version come for weeks after its first day, so a Chromium is
 * at most as old as computed here.
 */
const VERSION_153_AT = Date.UTC(2026, 8, 8);

/** A Chromium that is older has known holes, some of which skripts' pages can use. */
export const MAX_CHROMIUM_AGE_DAYS = 60;

/**
 * Returns the day on which a version of Chromium was planned to be released, such as `143.0.7499.40`; null if the text
 * does not begin with a version.
 */
export function chromiumReleasedAt(version: string): Date | null {
  const major = /^\d+/.exec(version);
  if (!major) return null;
  const versions = Number(major[0]) - 153;
  return new Date(VERSION_153_AT + versions * (versions < 0 ? 28 : 14) * DAY_MS);
}

/** Returns whether a Chromium is older than `MAX_CHROMIUM_AGE_DAYS`. */
export function isChromiumOld(version: string, now = Date.now()): boolean {
  const at = chromiumReleasedAt(version);
  return at !== null && now - at.getTime() > MAX_CHROMIUM_AGE_DAYS * DAY_MS;
}
