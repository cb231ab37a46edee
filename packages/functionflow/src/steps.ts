/** The fields that a flow adds to `lib` while `serialEach` or `serialRepeat` runs. */
export interface LoopLib {
  /** The current item of `serialEach`. */
  serialEachElement?: unknown;
  /** The index of that item, from 0. */
  serialEachKey?: number;
  /** The current iteration of `serialRepeat`, from 1. */
  serialRepeatIteration?: number;
}

/** A function of a flow. Its result becomes the next `x`. */
export type FlowFunction<X, L, R = X> = (x: X, lib: L & LoopLib) => R | Promise<R>;

/** A function with its own retries, timeout and error policy. */
export interface FlowStep<X, L, R = X> {
  run: FlowFunction<X, L, R>;
  /** Number of retries after a failed first attempt. Default: 0. */
  retries?: number;
  /** Delay before each retry, in ms. Default: 0. */
  retryDelayMs?: number;
  /** Timeout of one attempt, in ms. A function that takes longer keeps running, but its result is ignored. */
  timeoutMs?: number;
  /**
   * Called if the function failed and no retry is left. Its result is used instead of the function's result. Without
   * `onError`, the error is thrown.
   */
  onError?: (error: unknown, x: X, lib: L & LoopLib) => R | Promise<R>;
}

export type FlowEntry<X, L, R = X> = FlowFunction<X, L, R> | FlowStep<X, L, R>;

/** Thrown by a function that took longer than its `timeoutMs`. */
export class FlowTimeoutError extends Error {
  override readonly name = 'FlowTimeoutError';
}

const STEP_FIELDS = ['run', 'retries', 'retryDelayMs', 'timeoutMs', 'onError'] satisfies (keyof FlowStep<
  unknown,
  object
>)[];
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Checks the functions that a caller passes to a method, before any of them runs.
 *
 * @throws TypeError if an entry is neither a function nor an object with the function `run`, or has an unknown field
 * @throws RangeError if a number of a step is out of range
 */
export function checkedEntries(method: string, entries: unknown): readonly AnyEntry[] {
  if (!Array.isArray(entries)) throw new TypeError(`\`${method}\` expects an array of functions; it got ${entries}.`);
  for (const [index, entry] of entries.entries()) {
    if (typeof entry === 'function') continue;
    if (typeof entry?.run !== 'function') {
      throw new TypeError(`\`${method}\` expects functions or objects with \`run\`; entry ${index} is ${entry}.`);
    }
    const unknown = Object.keys(entry).find(name => !(STEP_FIELDS as string[]).includes(name));
    if (unknown !== undefined) {
      throw new TypeError(
        `\`${method}\` does not know the field \`${unknown}\` of entry ${index}. A step can have ${STEP_FIELDS.map(name => `\`${name}\``).join(', ')}.`,
      );
    }
    const { retries, retryDelayMs, timeoutMs, onError }: FlowStep<unknown, object> = entry;
    if (retries !== undefined) checkInteger('retries', retries, 0);
    if (retryDelayMs !== undefined) checkInteger('retryDelayMs', retryDelayMs, 0, MAX_TIMER_MS);
    if (timeoutMs !== undefined) checkInteger('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
    if (onError !== undefined && typeof onError !== 'function')
      throw new TypeError(`\`onError\` must be a function; you sent ${String(onError)}.`);
  }
  return entries;
}

/** @throws RangeError if `value` is not an integer from `min` to `max` */
export function checkInteger(name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  const expected = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `between ${min} and ${max}`;
  throw new RangeError(`\`${name}\` must be an integer ${expected}; you sent ${value}.`);
}

/** A count that stands for `Infinity`. A snapshot is saved as JSON, which has no infinity. */
export const ENDLESS = Number.MAX_SAFE_INTEGER - 1;

/**
 * Returns a number of repetitions. Older skripts pass it as text, with decimals, or as `Infinity`, which is `ENDLESS`.
 *
 * @throws RangeError if `n` is not a number at least 0
 */
export function checkedCount(n: unknown): number {
  const isText = typeof n === 'string' && n.trim() !== '';
  const count = typeof n === 'number' || isText ? Math.floor(Number(n)) : Number.NaN;
  if (count >= 0) return Math.min(count, ENDLESS);
  const sent = typeof n === 'string' ? JSON.stringify(n) : String(n);
  throw new RangeError(`\`n\` must be a number at least 0, or Infinity; you sent ${sent}.`);
}

/** A function or step without the types of `x` and `lib`: the compiler has checked those where the caller passed it. */
export type AnyEntry = FlowEntry<unknown, object>;

/** Name of the entry's function, for events and messages. */
export const nameOf = (entry: AnyEntry): string =>
  (typeof entry === 'function' ? entry : entry.run).name || 'anonymous';

/**
 * Waits for a promise for a limited time.
 *
 * @throws FlowTimeoutError after `timeoutMs`
 */
export async function withTimeout<T>(promise: Promise<T>, timeoutMs: number, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new FlowTimeoutError(`Function \`${name}\` took longer than ${timeoutMs} ms.`));
    timer = setTimeout(fail, timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
