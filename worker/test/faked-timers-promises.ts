/**
 * Replaces `node:timers/promises` in tests with Jest's fake timers, because Jest replaces only the global functions.
 */
export const setTimeout = <T>(ms: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value as T);
    }, ms);
    function abort(): void {
      globalThis.clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });

export const setImmediate = (): Promise<void> => new Promise(resolve => globalThis.setImmediate(resolve));
