/** How much of the platform one account can use at a time. These numbers are per backend. */
export const SHARES = {
  /**
   * Calls with a token that a backend works on: half of its connections to PostgreSQL, so that others find one. The
   * setting `TRAWL_CALLS_AT_ONCE` changes it.
   */
  callsAtOnce: 10,
  /** While several accounts use a busy backend: Node.js works on one call at a time, so others wait for all of these. */
  callsWhileCompeting: 2,
  callsQueued: 200,
  buildsAtOnce: 1,
  buildsQueued: 50,
  /**
   * Calls of the API to MongoDB. Together with those of runs, fewer than the eight on which the embedded MongoDB works at
   * a time, so that other accounts find a place beside one whose calls compute for seconds.
   */
  mongoCallsAtOnce: 3,
  mongoCallsQueued: 64,
  /** Calls of runs, of each kind: MongoDB, queues, sessions, polite requests. */
  runStorageCallsAtOnce: 3,
  runStorageCallsQueued: 256,
  /** Calls of the API and of runs to PostgreSQL, with transactions and cursors. */
  postgresCallsAtOnce: 3,
  postgresCallsQueued: 64,
  chunkReadsAtOnce: 1,
  /** Trials of the JSON Schemas of contracts, and calls whose rows are checked with one. */
  schemaChecksAtOnce: 1,
  liveLogs: 20,
  liveConnections: 50,
  /** Messages of an account's live connections that begin or end the sending of a run's echoes. */
  watchesPerSecond: 50,
  watchesQueued: 200,
  /** Connections of one address, because their account is not known yet. */
  connectionsSigningIn: 32,
  /** Exports and imports that have not ended. */
  openJobs: 20,
  exporters: 50,
  idempotencyKeys: 10_000,
  failedLoginsFromOneAddress: 10,
  failedLogins: 100,
} as const;
export type ShareName = keyof typeof SHARES;

/** Defaults of the settings that limit accounts, besides those of quotas. */
export const LIMIT_SETTINGS = {
  TRAWL_CALLS_AT_ONCE: SHARES.callsAtOnce,
  TRAWL_ACCOUNT_SLOTS_PERCENT: 75,
  TRAWL_HISTORY_DAYS: 90,
  TRAWL_AUDIT_DAYS: 365,
  TRAWL_JOB_DAYS: 7,
  TRAWL_EXPORT_MB: 10_000,
  TRAWL_IMPORT_MB: 256,
  TRAWL_MAX_PAUSE_MS: 3_600_000,
} as const;
export type LimitSetting = keyof typeof LIMIT_SETTINGS;
