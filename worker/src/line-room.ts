interface Waiting {
  bytes: number;
  enter: () => void;
}

/**
 * Room for what may be on its way at once: all that is sent stands in one queue, and on a slow line a heartbeat behind
 * many megabytes comes too late. First come, first served.
 */
export class LineRoom {
  readonly #bytes: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Resolves when there is room for so many bytes, or nothing else is on its way; call what it gives when they have arrived. */
  async take(bytes: number): Promise<() => void> {
    await new Promise<void>(enter => {
      this.#waiting.push({ bytes, enter });
      this.#let();
    });
    return () => {
      this.#taken -= bytes;
      this.#let();
    };
  }

  #let(): void {
    for (let [next] = this.#waiting; next && this.#hasRoom(next.bytes); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.enter();
    }
  }

  #hasRoom(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#bytes;
  }
}
