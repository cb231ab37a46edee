interface Window {
  count: number;
  endsAtMs: number;
}

/** Counts tries by key, each key within a window that its first try begins. Bounded: the oldest windows go first. */
export class TryCounter {
  readonly #windows = new Map<string, Window>();

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly maxKeys = 20_000,
  ) {}

  get size(): number {
    return this.#windows.size;
  }

  /** Counts a try. @returns for how many ms no more may be made; 0: this one may. */
  take(key: string): number {
    const now = Date.now();
    let window = this.#windows.get(key);
    if (!window || window.endsAtMs <= now) {
      this.#dropOver(now);
      window = { count: 0, endsAtMs: now + this.windowMs };
      this.#windows.set(key, window);
    }
    if (window.count >= this.limit) return window.endsAtMs - now;
    window.count += 1;
    return 0;
  }

  /** The try was none that counts. */
  giveBack(key: string): void {
    const window = this.#windows.get(key);
    if (window && window.count > 0) window.count -= 1;
  }

  forget(key: string): void {
    this.#windows.delete(key);
  }

  /** All windows are of one length: the first to begin is the first to end. */
  #dropOver(now: number): void {
    for (const [key, { endsAtMs }] of this.#windows) {
      if (endsAtMs > now && this.#windows.size < this.maxKeys) return;
      this.#windows.delete(key);
    }
  }
}
