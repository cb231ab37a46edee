/** Limits of pools of proxies. */
export const PROXY_LIMITS = {
  /** Proxies that a run gets of a pool. */
  takenAtOnce: 1_000,
  /** Proxies of one report of a run. */
  reportedAtOnce: 1_000,
  /** Length of the address of a proxy, with its user name and password. */
  urlChars: 2_000,
  /** Lines that one call adds. */
  addedAtOnce: 2_000,
  tiers: { min: 1, max: 9 },
  /** A proxy rests after so many failures in a row. */
  failuresBeforeRest: 3,
  /** The first rest. It doubles with each failure after a rest, up to the maximum. */
  firstRestMs: 30_000,
  maxRestMs: 3_600_000,
} as const;

/** A name of a pool of proxies. */
export const PROXY_POOL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const PROXY_POOL_NAME_EXPECTED =
  '1 to 100 letters, digits, dots, hyphens and underscores, of which the first is a letter or digit';

/** The country of a proxy, as in ISO 3166-1. */
export const PROXY_COUNTRY = /^[a-z]{2}$/;
