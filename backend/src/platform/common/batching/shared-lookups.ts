import pLimit from 'p-limit';

/** Runs lookups for callers. Several callers may need the same key. */
export interface Lookups {
  once<T>(key: string, look: () => Promise<T>): Promise<T>;
}

/** Keeps each result as long as this object exists. Create one object for each piece of work, such as a batch. */
export class MemoizedLookups implements Lookups {
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #limit: ReturnType<typeof pLimit>;

  /** @param concurrency how many lookups run at the same time. */
  constructor(concurrency = Number.POSITIVE_INFINITY) {
    this.#limit = pLimit(concurrency);
  }

  once<T>(key: string, look: () => Promise<T>): Promise<T> {
    const result = (this.#results.get(key) as Promise<T> | undefined) ?? this.#limit(look);
    this.#results.set(key, result);
    return result;
  }
}

/**
 * Shares lookups between unrelated callers, but never returns data that was read before the call: callers who arrive
 * during a lookup share the next lookup. (This is our own code, because libraries let such callers join the lookup in
 * progress.)
 */
export class CoalescedLookups implements Lookups {
  readonly #lookups = new Map<string, { current: Promise<unknown>; next: Promise<unknown> | undefined }>();

  once<T>(key: string, look: () => Promise<T>): Promise<T> {
    const running = this.#lookups.get(key);
    if (!running) return this.#start(key, look);
    const start = () => this.#start(key, look);
    running.next ??= running.current.then(start, start);
    return running.next as Promise<T>;
  }

  async #start<T>(key: string, look: () => Promise<T>): Promise<T> {
    const lookup: { current: Promise<T>; next: Promise<unknown> | undefined } = { current: look(), next: undefined };
    this.#lookups.set(key, lookup);
    try {
      return await lookup.current;
    } finally {
      if (!lookup.next) this.#lookups.delete(key);
    }
  }
}
