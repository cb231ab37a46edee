/** The delays that a flow is waiting for at the moment. */
export class Delays {
  readonly #current = new Map<NodeJS.Timeout, () => void>();

  /** Resolves after `ms` milliseconds, or when `endAll` is called. */
  delay(ms: number): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer);
        this.#current.delete(timer);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#current.set(timer, end);
    });
  }

  endAll(): void {
    for (const end of this.#current.values()) end();
  }
}
