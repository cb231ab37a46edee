import { LRUCache } from 'lru-cache';

interface Window {
  tries: number;
  endsAtMs: number;
}

/**
 * Limits tries per key within a fixed window, which starts with the key's first try. The number of keys in memory is
 * limited: when there is no room, the key that was not used for the longest time is removed. (The library
 * `rate-limiter-flexible` limits neither the number of its keys nor of its timers.)
 */
export class LoginRateWindow {
  readonly #windows: LRUCache<string, Window>;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    maxKeys = 20_000,
  ) {
    this.#windows = new LRUCache({ max: maxKeys });
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Counts a try. Returns 0 if the try is allowed, otherwise the number of ms until the next try is allowed. */
  take(key: string): number {
    const now = Date.now();
    let window = this.#windows.get(key);
    if (!window || window.endsAtMs <= now) {
      window = { tries: 0, endsAtMs: now + this.windowMs };
      this.#windows.set(key, window);
    }
    if (window.tries >= this.limit) return window.endsAtMs - now;
    window.tries += 1;
    return 0;
  }

  /** Takes one try back. */
  refund(key: string): void {
    const window = this.#windows.get(key);
    if (window && window.tries > 0) window.tries -= 1;
  }

  reset(key: string): void {
    this.#windows.delete(key);
  }
}
