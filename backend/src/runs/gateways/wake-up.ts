/** Lets one reader wait until somebody rings. A ring that comes before the reader waits is kept. */
export class WakeUp {
  #hasRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  /** Resolves after a ring, or after `timeoutMs`. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#hasRung = false;
    this.#wake = undefined;
  }
}
