/** One attempt of a call: its timeout, and the place at a host that its current request takes. */
export class Attempt {
  readonly #limit = new AbortController();
  #leftMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leave: (() => void) | undefined;

  constructor(timeoutMs: number) {
    this.#leftMs = timeoutMs;
    this.#start();
  }

  /** Aborts at the timeout. */
  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** Waits for `wait`. This time does not count towards the timeout. */
  async pauseFor<T>(wait: Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAt;
    try {
      return await wait;
    } finally {
      this.#start();
    }
  }

  /** Makes the attempt call `leave` before its next request, or at its end. */
  onLeave(leave: () => void): void {
    this.#leave = leave;
  }

  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.leave();
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#limit.abort(), Math.max(this.#leftMs, 1));
  }
}
