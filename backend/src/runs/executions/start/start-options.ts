import { ApiError } from '../../../platform/common/errors.js';
import type { StartedRun, StartRequest } from './prepared-start.js';
import type { StartOptions, StartValues } from './start.dto.js';

/** Many HTTP clients and proxies give up on a call after a minute or a few. */
const MAX_DEFAULT_WAIT_MS = 60_000;

export const optionsOf = ({ force, timeout_ms, retries, retry_delay_ms, record }: StartOptions) => ({
  force,
  record,
  timeoutMs: timeout_ms,
  retries,
  retryDelayMs: retry_delay_ms,
});

/** Default of `wait_ms`: the skript's `worker_response_timeout`, at most a minute. */
export const defaultWaitMs = ({ workerResponseTimeoutMs }: Pick<StartedRun, 'workerResponseTimeoutMs'>): number =>
  Math.min(workerResponseTimeoutMs, MAX_DEFAULT_WAIT_MS);

/**
 * Returns the value of a body, or the id of a saved one.
 * @throws {ApiError} 400 if the body has both.
 */
export function valueOrId(
  body: StartValues,
  field: 'input' | 'inputSecret',
  idField: 'input_id' | 'inputSecret_id',
): StartRequest['input'] {
  const { [field]: value, [idField]: id } = body;
  if (id === undefined) return value === undefined ? null : { value };
  if (value === undefined) return { id };
  const message = `send either ${field} or ${idField}, not both`;
  throw new ApiError('validation_failed', `${idField}: ${message}.`, [{ field: idField, message }]);
}
