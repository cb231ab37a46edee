const DELAYS_MS = [100, 500, 2_000, 5_000, 10_000];
/** If an engine ran longer than this, the next crash counts as its first one. */
const RECOVERED_AFTER_MS = 60_000;

/** Computes the delay before a restart. It grows with each crash in a row. */
export class RestartDelays {
  #crashes = 0;

  /** @param ranMs how long the engine was ready before it crashed; 0 if it never was */
  nextMs(ranMs: number): number {
    if (ranMs > RECOVERED_AFTER_MS) this.#crashes = 0;
    const delayMs = DELAYS_MS[Math.min(this.#crashes, DELAYS_MS.length - 1)] as number;
    this.#crashes += 1;
    return delayMs;
  }
}
