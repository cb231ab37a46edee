import { byteSize, countText, isByteQuota, type QuotaName } from '@trawl/contracts';
import { ApiError } from '../common/errors.js';

/** The reached quota of an account. The SQL functions `quota_refusal` and `run_room` return it. */
export interface QuotaRefusal {
  quota: QuotaName;
  limit: number;
  used: number;
}

/** `Retry-After` when the account has too many live or waiting runs. This may change at any time, when one of its runs ends. */
const RETRY_LIVE_RUNS_SECONDS = 10;

const ASK = 'or ask an administrator for more';

const TEXTS: Record<QuotaName, (refusal: QuotaRefusal) => string> = {
  skripts: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'skript')}; you have ${used}. Delete one, ${ASK}.`,
  file_bytes: ({ limit, used }) =>
    `This would exceed your quota of ${byteSize(limit)} for skript files; you use ${byteSize(used)}. Delete some files, ${ASK}.`,
  inputs: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'input, input secret or session', 'inputs, input secrets and sessions')}; you have ${used}. Delete some, ${ASK}.`,
  runs_at_once: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'live run')}, including waiting ones; you have ${used}. Wait for one to end, stop one, ${ASK}.`,
  waiting_runs: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'waiting run')}; you have ${used}. Wait for workers to take some, stop some, ${ASK}.`,
  runs_per_day: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'run')} per day; you started ${used} today. Try again after midnight UTC, ${ASK}.`,
  echo_bytes_per_day: ({ limit, used }) =>
    `You reached your quota of ${byteSize(limit)} of saved echoes and outputs per day; your runs saved ${byteSize(used)} today. Trawl saves echoes again after midnight UTC. Echo less, ${ASK}.`,
  storage_bytes: ({ limit, used }) =>
    `You reached your quota of ${byteSize(limit)} in databases; you use ${byteSize(used)}. Delete documents, collections or tables, ${ASK}.`,
  databases: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'database')}; you have ${used}. Delete one, ${ASK}.`,
  api_keys: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'API key')}; you have ${used}. Revoke one, ${ASK}.`,
  schedules: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'schedule')}; you have ${used}. Delete one, ${ASK}.`,
  webhooks: ({ limit, used }) =>
    `You reached your quota of ${countText(limit, 'webhook')}; you have ${used}. Delete one, ${ASK}.`,
  proxies: ({ limit, used }) =>
    `This would exceed your quota of ${countText(limit, 'proxy or pool of proxies', 'proxies and pools of proxies')}; you have ${used}. Delete some, ${ASK}.`,
};

/** Returns the seconds for `Retry-After` if the quota becomes free again by waiting, otherwise undefined. */
function retryAfterSeconds(quota: QuotaName): number | undefined {
  if (quota === 'runs_at_once' || quota === 'waiting_runs') return RETRY_LIVE_RUNS_SECONDS;
  if (quota !== 'runs_per_day') return undefined;
  const now = new Date();
  return Math.ceil((new Date(now).setUTCHours(24, 0, 0, 0) - now.getTime()) / 1_000);
}

/** Returns the text about a reached quota. */
export const quotaText = (refusal: QuotaRefusal): string => TEXTS[refusal.quota](refusal);

/**
 * Returns the error for a reached quota: 413 for quotas in bytes, 429 for all others.
 * See docs/decisions/0059-quotas.md.
 */
export const quotaExceeded = (refusal: QuotaRefusal): ApiError =>
  new ApiError(
    isByteQuota(refusal.quota) ? 'payload_too_large' : 'quota_exceeded',
    quotaText(refusal),
    refusal,
    retryAfterSeconds(refusal.quota),
  );
