const DELAYS_MS = [100, 500, 2_000, 5_000, 10_000];
/** What ran this long had recovered: its next death is a first one again. */
const RECOVERED_AFTER_MS = 60_000;

/** How long to wait before something that died is started again: the longer, the more often it died in a row. */
export class RestartDelays {
  #deaths = 0;

  /** @param ranMs how long it had been ready before it died; 0 if it never was */
  nextMs(ranMs: number): number {
    if (ranMs > RECOVERED_AFTER_MS) this.#deaths = 0;
    const delayMs = DELAYS_MS[Math.min(this.#deaths, DELAYS_MS.length - 1)] as number;
    this.#deaths += 1;
    return delayMs;
  }
}
