const SLOTS = 8;

/** Finds the most frequent of many hashes with eight counters (Misra and Gries). A share of more than a ninth is found. */
export class FrequentValue {
  readonly #hashes = new Int32Array(SLOTS);
  readonly #counts = new Uint32Array(SLOTS);

  add(hash: number): void {
    let free = -1;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (this.#counts[slot] === 0) free = slot;
      else if (this.#hashes[slot] === hash) {
        (this.#counts[slot] as number)++;
        return;
      }
    }
    if (free >= 0) {
      this.#hashes[free] = hash;
      this.#counts[free] = 1;
      return;
    }
    for (let slot = 0; slot < SLOTS; slot++) (this.#counts[slot] as number)--;
  }

  get top(): { hash: number; count: number } {
    let best = 0;
    for (let slot = 1; slot < SLOTS; slot++) {
      if ((this.#counts[slot] as number) > (this.#counts[best] as number)) best = slot;
    }
    return { hash: this.#hashes[best] as number, count: this.#counts[best] as number };
  }
}
