/**
 * Default quotas of an account. Settings (`TRAWL_QUOTA_…`) can change each quota for all accounts, and an administrator
 * can change it for one account; 0 means unlimited.
 */
export const QUOTAS = {
  skripts: 200,
  /** Total size of the files of all skripts. */
  file_bytes: 100 * 1024 * 1024,
  /** Number of inputs and input secrets of all skripts, and of sessions, together. */
  inputs: 2_000,
  /**
   * Number of live runs. Runs that wait for a worker count, too, because the platform keeps their inputs until they
   * end.
   */
  runs_at_once: 50,
  /**
   * Number of runs that wait for a worker or for their next attempt. The two accounts of the first start have this limit,
   * too, because waiting runs of one account cost all accounts time.
   */
  waiting_runs: 1_000,
  /** Starts per UTC day. */
  runs_per_day: 10_000,
  /** Saved echoes, compressed, and outputs of runs per UTC day. Above it, runs continue but their echoes are not saved. */
  echo_bytes_per_day: 256 * 1024 * 1024,
  /** Size of the documents, tables and indexes in all databases of the account, of MongoDB and PostgreSQL. */
  storage_bytes: 1024 * 1024 * 1024,
  /** MongoDB databases. The FREE PACK includes one. */
  databases: 1,
  /** Number of API keys, without the revoked ones. */
  api_keys: 20,
  schedules: 50,
  webhooks: 10,
  /** Proxies of all pools, and the pools. */
  proxies: 10_000,
} as const;
export type QuotaName = keyof typeof QUOTAS;
export type QuotaLimits = Record<QuotaName, number>;
export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

/** Returns whether a quota counts bytes. */
export const isByteQuota = (name: QuotaName): boolean => name.includes('_bytes');
