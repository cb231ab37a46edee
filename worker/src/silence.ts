import { SILENCE_MS } from '@trawl/contracts';

/** Notices that the platform was not heard of for `SILENCE_MS`, also when this process stood still at that time. */
export class Silence {
  readonly #begins: () => void;
  #until = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(begins: () => void) {
    this.#begins = begins;
  }

  get isOn(): boolean {
    return performance.now() >= this.#until;
  }

  /** The platform has answered what was said at this time, by `performance.now()`. */
  heard(at: number): void {
    // What comes after a standstill is read before timers run, and the watchdog has not waited for either.
    if (this.isOn) this.#begins();
    this.#until = at + SILENCE_MS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#begins, Math.max(0, this.#until - performance.now())).unref();
  }
}
