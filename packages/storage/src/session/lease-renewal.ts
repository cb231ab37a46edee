/** While a run logs in, it renews its lease, which lasts five minutes. */
const RENEW_MS = 100_000;

/** Renews the lease of a login until it is stopped. */
export class LeaseRenewal {
  readonly #timer: ReturnType<typeof setInterval>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(renew: () => Promise<unknown>) {
    this.#timer = setInterval(() => {
      this.#last = renew().catch(() => {});
    }, RENEW_MS);
  }

  /** Waits for the last renewal: after the end of the lease, it would take it again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
  }
}
