/**
 * How much of each an account may have, unless the installation (`TRAWL_QUOTA_…`) or an administrator says otherwise.
 * 0 means without limit.
 */
export const QUOTAS = {
  /** Skripts of the account. */
  skripts: 200,
  /** Bytes of all files of all its skripts. */
  file_bytes: 100 * 1024 * 1024,
  /** Inputs and input secrets of all its skripts. */
  inputs: 2_000,
  /** Runs that go on, those that wait for a worker too: each keeps its values until it ends. */
  runs_at_once: 50,
  /** Starts in one day of UTC. */
  runs_per_day: 10_000,
  /** Bytes of documents and indexes in all its MongoDB databases. */
  storage_bytes: 1024 * 1024 * 1024,
  /** MongoDB databases. The FREE PACK has one. */
  databases: 1,
  /** API keys that were not revoked. */
  api_keys: 20,
  schedules: 50,
} as const;
export type QuotaName = keyof typeof QUOTAS;
export type QuotaLimits = Record<QuotaName, number>;
export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];
