import { LIMITS } from '@trawl/contracts';
import type { StartOptions } from './executions.dto.js';
import type { StartedRun } from './starts.service.js';

/** A run that reaches its time limit is ended just after it; the call that waits for it should say so. */
const ENDING_MS = 5_000;

export const optionsOf = ({ force, timeout_ms, retries, retry_delay_ms }: StartOptions) => ({
  force,
  timeoutMs: timeout_ms,
  retries,
  retryDelayMs: retry_delay_ms,
});

/** How long a call waits that does not say: all tries and what lies between them, but never longer than it could say. */
export const longestMs = ({ timeoutMs, retries, retryDelayMs }: StartedRun): number =>
  Math.min(
    (timeoutMs + ENDING_MS) * (retries + 1) + retryDelayMs * retries,
    LIMITS.workerResponseTimeoutMs.max + ENDING_MS,
  );
