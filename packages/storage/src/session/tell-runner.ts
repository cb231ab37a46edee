import { MAX_VALUE_BYTES, type SessionValue } from './session-value.js';

/** Name of the global function by which the runner learns the values that records of the run must not contain. */
const SESSION_VALUE = Symbol.for('trawl.sessionValue');

/** Tells the runner, which keeps the values of sessions out of records. */
export function tellRunner(value: string | undefined): void {
  if (value !== undefined) (globalThis as { [SESSION_VALUE]?: (value: string) => void })[SESSION_VALUE]?.(value);
}

/** Name of the global function by which the runner learns the values that echoes of the run must not contain. */
const REDACT_SESSION = Symbol.for('trawl.redactSession');

/**
 * Tells the runner values that the platform does not know yet. Echoes from now on do not contain them. Leaves out a value
 * that is larger than a session may be: the runner could not send it.
 */
export function redactInEchoes(value: Partial<SessionValue>): void {
  const redact = (globalThis as { [REDACT_SESSION]?: (value: string) => void })[REDACT_SESSION];
  if (!redact) return;
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= MAX_VALUE_BYTES) redact(text);
}
