/** Pseudorandom numbers that depend only on seed and name (mulberry32). */
export class Seeded {
  #state: number;

  /** @param name names one stream of decisions, which is independent of all other streams */
  constructor(seed: number, name: string) {
    this.#state = seed >>> 0;
    for (const character of name) this.#state = Math.imul(this.#state ^ character.charCodeAt(0), 0x9e3779b1) >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `low` to `high`, both inclusive. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }
}
