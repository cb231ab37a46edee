interface Waiting {
  bytes: number;
  enter: () => void;
}

/**
 * Limits how many bytes are sent at the same time; the others wait in the order of their arrival. All frames share the
 * socket's queue: on a slow connection, a heartbeat that waits behind many megabytes would arrive too late.
 */
export class ByteSemaphore {
  readonly #capacity: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Resolves when there is room for this many bytes. If they are more than the capacity, there is room when nothing
   * else is being sent.
   *
   * @returns function that releases the bytes when they have been sent
   */
  async take(bytes: number): Promise<() => void> {
    await new Promise<void>(enter => {
      this.#waiting.push({ bytes, enter });
      this.#admit();
    });
    return () => {
      this.#taken -= bytes;
      this.#admit();
    };
  }

  #admit(): void {
    for (let [next] = this.#waiting; next && this.#fits(next.bytes); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.enter();
    }
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#capacity;
  }
}
