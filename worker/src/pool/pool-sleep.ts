const SLEEP_MS = 5 * 60_000;

/** Notices when no run has begun for long, so that the pool can give the memory of its parked processes back. */
export class PoolSleep {
  readonly #timer: NodeJS.Timeout;
  isAsleep = false;

  /** @param fallAsleep called after `SLEEP_MS` without a run */
  constructor(fallAsleep: () => void) {
    this.#timer = setTimeout(() => {
      this.isAsleep = true;
      fallAsleep();
    }, SLEEP_MS).unref();
  }

  /** Call it for each run that begins. */
  wake(): void {
    this.isAsleep = false;
    this.#timer.refresh();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
