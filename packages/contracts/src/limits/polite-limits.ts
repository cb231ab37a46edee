/** Limits of polite runs, which share a budget for each domain. */
export const POLITE_LIMITS = {
  /** Budget of a domain for which the account has set none. */
  requestsPerSecond: 5,
  burst: 5,
  /** Length of a host with its port. */
  domainChars: 262,
  /** Domains of one reservation. */
  domainsAtOnce: 100,
  /** Domains of an account that are busy or closed at the same time. */
  domains: 20_000,
  /** A domain that answers 429 or 503 closes for this time. It doubles for each answer in a row, up to the maximum. */
  firstClosingMs: 5_000,
  maxClosingMs: 3_600_000,
} as const;
