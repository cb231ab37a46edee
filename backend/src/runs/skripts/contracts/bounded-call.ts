import { createContext, Script } from 'node:vm';

const context = createContext(Object.create(null));
const script = new Script('call()');

/**
 * Calls a function, which is interrupted after some time, also in the middle of a regular expression. Then its objects
 * may be inconsistent: do not use them again.
 *
 * @throws {Error} with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` if it took longer
 */
export function callWithin<T>(timeoutMs: number, call: () => T): T {
  context.call = call;
  try {
    return script.runInContext(context, { timeout: timeoutMs });
  } finally {
    context.call = undefined;
  }
}

export const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
