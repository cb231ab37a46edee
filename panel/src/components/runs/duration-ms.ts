import type { Execution } from '../../api/entities.js';

/**
 * Returns how long a run took on its worker, in milliseconds. Waiting for a worker does not count. A run that has not
 * ended is measured until `now`. Null if the run has not started, or has not ended and `now` is missing.
 */
export function durationMs(
  { started_at: from, ended_at: to }: Pick<Execution, 'started_at' | 'ended_at'>,
  now?: number,
): number | null {
  const end = to === null ? now : Date.parse(to);
  return from === null || end === undefined ? null : Math.max(0, end - Date.parse(from));
}
