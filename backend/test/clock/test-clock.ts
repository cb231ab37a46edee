/** Only the date is faked. */
const NOT_FAKED = [
  'hrtime',
  'performance',
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** Runs `work` while the clock of the backend, but not that of its databases, is this far ahead. */
export async function withClock<T>(aheadMs: number, work: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ now: Date.now() + aheadMs, doNotFake: [...NOT_FAKED] });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
  }
}
