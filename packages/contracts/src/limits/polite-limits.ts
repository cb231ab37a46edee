/** Limits of polite runs, which share a budget for each domain. */
export const POLITE_LIMITS = {
  /** Budget of a domain for which the account has set none. */
  requestsPerSecond: 5,
  burst: 5,
  /** Bounds of the budget that an account sets. */
  minRequestsPerSecond: 0.001,
  maxRequestsPerSecond: 1_000,
  maxBurst: 1_000,
  maxConcurrency: 1_000,
  /** Domains of an account that have settings. */
  domainsWithSettings: 1_000,
  /** Length of a host with its port. */
  domainChars: 262,
  /** Domains of one reservation. */
  domainsAtOnce: 100,
  /** Domains of an account that are busy or closed at the same time. */
  domains: 20_000,
  /** A domain that answers 429 or 503 closes for this time. It doubles for each answer in a row, up to the maximum. */
  firstClosingMs: 5_000,
  maxClosingMs: 3_600_000,
  /** The longest time between requests to which a robots.txt slows runs. */
  maxCrawlDelayMs: 60_000,
} as const;

/** The ways in which polite runs treat robots.txt. The first is the default. */
export const ROBOTS_MODES = ['obey', 'warn', 'ignore'] as const;
export type RobotsMode = (typeof ROBOTS_MODES)[number];

/** The name under which an account sets the budget of all domains that have no settings of their own. */
export const ALL_DOMAINS = '*';

/**
 * Returns the name under which polite runs count requests to a host: in lower case, with its port unless it is that of HTTP
 * or HTTPS. Null if it is no host.
 */
export function politeDomain(host: string): string | null {
  if (host === ALL_DOMAINS) return host;
  if (host.length > POLITE_LIMITS.domainChars || /[\s\p{Cc}/\\?#@]/u.test(host)) return null;
  try {
    return new URL(`http://${new URL(`https://${host}`).host}`).host;
  } catch {
    return null;
  }
}
