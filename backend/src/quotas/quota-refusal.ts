import type { QuotaName } from '@trawl/contracts';
import { ApiError } from '../common/errors.js';

/** What `quota_refusal` and `run_quota` answer when there is no room. */
export interface QuotaRefusal {
  quota: QuotaName;
  limit: number;
  used: number;
}

/** A run may end at any moment; sooner than this it is not worth a look. */
const RUN_MAY_END_SECONDS = 10;

const ASK = 'or ask the administrator for more';

const TEXTS: Record<QuotaName, (refusal: QuotaRefusal) => string> = {
  skripts: ({ limit }) => `Your account may have ${limit} skripts, and has them. Delete one, ${ASK}.`,
  file_bytes: ({ limit, used }) =>
    `The files of your skripts are ${used} bytes; together they may have ${limit}, which this would pass. Delete some, ${ASK}.`,
  inputs: ({ limit, used }) =>
    `Your account may have ${limit} inputs and input secrets, and has ${used}. Delete some, ${ASK}.`,
  runs_at_once: ({ limit }) =>
    `Your account may have ${limit} runs at once, those that wait for a worker too, and has them. Wait for one to end, stop one, ${ASK}.`,
  runs_per_day: ({ limit }) =>
    `Your account may start ${limit} runs a day, and has today. Start it again after midnight (UTC), ${ASK}.`,
  storage_bytes: ({ limit, used }) =>
    `Your databases hold ${used} bytes; together they may have ${limit}. Delete documents or collections, ${ASK}.`,
  databases: ({ limit }) =>
    `Your account may have ${limit} ${limit === 1 ? 'database, and has it' : 'databases, and has them'}. Drop one, ${ASK}.`,
  api_keys: ({ limit }) => `Your account may have ${limit} API keys, and has them. Revoke one, ${ASK}.`,
  schedules: ({ limit }) => `Your account may have ${limit} schedules, and has them. Delete one, ${ASK}.`,
};

/** What waiting can mend says for how long. */
function retryAfterSeconds(quota: QuotaName): number | undefined {
  if (quota === 'runs_at_once') return RUN_MAY_END_SECONDS;
  if (quota !== 'runs_per_day') return undefined;
  const now = new Date();
  return Math.ceil((new Date(now).setUTCHours(24, 0, 0, 0) - now.getTime()) / 1_000);
}

/** 413 for sizes, 429 for counts and rates. */
export const quotaExceeded = (refusal: QuotaRefusal): ApiError =>
  new ApiError(
    refusal.quota.endsWith('_bytes') ? 'payload_too_large' : 'quota_exceeded',
    TEXTS[refusal.quota](refusal),
    refusal,
    retryAfterSeconds(refusal.quota),
  );
