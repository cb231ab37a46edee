/** Name of the global function by which the runner learns the values that records of the run must not contain. */
const SESSION_VALUE = Symbol.for('trawl.sessionValue');

/** Tells the runner, which keeps the values of sessions out of records. */
export function tellRunner(value: string | undefined): void {
  if (value !== undefined) (globalThis as { [SESSION_VALUE]?: (value: string) => void })[SESSION_VALUE]?.(value);
}
