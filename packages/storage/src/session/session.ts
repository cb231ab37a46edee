import type { SiteSession } from './site-session.js';

export type { BrowserPage, CheckOptions, FetchOptions, SiteSession } from './site-session.js';

export interface SessionOptions {
  /**
   * Origins whose cookies, `localStorage` and `sessionStorage` the session keeps, besides those that `fetch` calls and that
   * pages show: `['https://login.shop.example']`.
   */
  origins?: string[];
  /** The user agent to which the session belongs. Default: that of the first page, or none. */
  userAgent?: string;
  /** Time in ms after which `check` logs in again. Default: when all cookies have expired. */
  maxAgeMs?: number;
}

/**
 * Returns a session of the account: a login to a site that lasts longer than a run, and that all runs of all skripts with
 * this name share.
 *
 * @throws TypeError if the name or an option is not valid
 */
export function session(name: string, options: SessionOptions = {}): SiteSession {
  // Loading the library for cookies takes longer than loading the rest of the package, and most runs have no session.
  const { SiteSession } = require('./site-session.js') as typeof import('./site-session.js');
  return new SiteSession(name, options);
}
