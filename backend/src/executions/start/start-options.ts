import type { StartedRun } from './prepared-start.js';
import type { StartOptions } from './start.dto.js';

/** Many HTTP clients and proxies give up on a call after a minute or a few. */
const MAX_DEFAULT_WAIT_MS = 60_000;

export const optionsOf = ({ force, timeout_ms, retries, retry_delay_ms }: StartOptions) => ({
  force,
  timeoutMs: timeout_ms,
  retries,
  retryDelayMs: retry_delay_ms,
});

/** Default of `wait_ms`: the skript's `worker_response_timeout`, at most a minute. */
export const defaultWaitMs = ({ workerResponseTimeoutMs }: Pick<StartedRun, 'workerResponseTimeoutMs'>): number =>
  Math.min(workerResponseTimeoutMs, MAX_DEFAULT_WAIT_MS);
