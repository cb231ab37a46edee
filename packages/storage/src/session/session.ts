import type { SessionOptions } from './session-options.js';
import type { SiteSession } from './site-session.js';

export type { SessionOptions } from './session-options.js';
export type { BrowserPage, CheckOptions, FetchOptions, SiteSession } from './site-session.js';

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
