import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';

const context = createContext(Object.create(null));
const script = new Script('call()');

/** Processor time that is a little less than the limit counts as all of it: the clock of the interruption is not exact. */
const NEARLY = 0.9;
/** Longest time of an attempt, on a machine whose processors are busy with other work. */
const MAX_WAIT_MS = 8_000;

/**
 * Calls a function, which is interrupted when it has taken so much processor time, also in the middle of a regular
 * expression. Then its objects may be inconsistent: do not use them again.
 *
 * It can only be interrupted after a time, and on a busy machine that may be little processor time. Then it is called again, with
 * more time: it must begin anew.
 *
 * @throws {Error} with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` if it took longer
 */
export function callWithin<T>(limitMs: number, call: () => T, timeOf = processorMs): T {
  for (let waitMs = limitMs; ; waitMs *= 2) {
    const begin = timeOf();
    try {
      return interrupted(waitMs, call);
    } catch (error) {
      const hadItsTime = timeOf() - begin >= NEARLY * limitMs;
      if (!isTimeout(error) || hadItsTime || waitMs >= MAX_WAIT_MS) throw error;
    }
  }
}

function interrupted<T>(waitMs: number, call: () => T): T {
  context.call = call;
  try {
    return script.runInContext(context, { timeout: Math.ceil(waitMs) });
  } finally {
    context.call = undefined;
  }
}

/** Returns the processor time of this thread; on systems that do not tell it, the time that has passed. */
export function processorMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1_000_000;
  } catch {
    return performance.now();
  }
}

export const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
