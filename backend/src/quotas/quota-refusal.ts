import type { QuotaName } from '@trawl/contracts';
import { ApiError } from '../common/errors.js';

/** What `quota_refusal` and `run_room` answer when there is no room. */
export interface QuotaRefusal {
  quota: QuotaName;
  limit: number;
  used: number;
}

/** A run may end at any moment; sooner than this it is not worth a look. */
const RUN_MAY_END_SECONDS = 10;

const ASK = 'or ask the administrator for more';

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

const TEXTS: Record<QuotaName, (refusal: QuotaRefusal) => string> = {
  skripts: ({ limit, used }) =>
    `Your account may have ${counted(limit, 'skript')} and has ${used}. Delete one, ${ASK}.`,
  file_bytes: ({ limit, used }) =>
    `The files of your skripts have ${counted(used, 'byte')}; together they may have ${limit}, which this would pass. Delete some, ${ASK}.`,
  inputs: ({ limit, used }) =>
    `Your account may have ${counted(limit, 'input or input secret', 'inputs and input secrets')} and has ${used}. Delete some, ${ASK}.`,
  runs_at_once: ({ limit, used }) =>
    `Your account may have ${counted(limit, 'run')} at once, those that wait for a worker too, and has ${used}. Wait for one to end, stop one, ${ASK}.`,
  runs_per_day: ({ limit, used }) =>
    `Your account may start ${counted(limit, 'run')} a day and has started ${used} today. Start it again after midnight (UTC), ${ASK}.`,
  storage_bytes: ({ limit, used }) =>
    `Your databases hold ${counted(used, 'byte')}; together they may have ${limit}. Delete documents or collections, ${ASK}.`,
  databases: ({ limit, used }) =>
    `Your account may have ${counted(limit, 'database')} and has ${used}. Drop one, ${ASK}.`,
  api_keys: ({ limit, used }) =>
    `Your account may have ${counted(limit, 'API key')} and has ${used}. Revoke one, ${ASK}.`,
  schedules: ({ limit, used }) =>
    `Your account may have ${counted(limit, 'schedule')} and has ${used}. Delete one, ${ASK}.`,
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
