import type { Part } from './figure-memory.js';

const SLOTS = 8;
/** A hash and a counter for each slot. */
export const FREQUENT_WORDS = 2 * SLOTS;

/** Finds the most frequent of many hashes with eight counters (Misra and Gries). A share of more than a ninth is found. */
export class FrequentValue {
  readonly #words: Int32Array;
  readonly #hashes: number;
  readonly #counts: number;
  /** Number to subtract from each counter. A counter that is not above this number is free. */
  #taken = 0;

  /** @param part of `FREQUENT_WORDS` */
  constructor({ words, at }: Part) {
    this.#words = words;
    this.#hashes = at;
    this.#counts = at + SLOTS;
  }

  add(hash: number): void {
    const words = this.#words;
    const hashes = this.#hashes;
    const counts = this.#counts;
    const taken = this.#taken;
    let free = -1;
    for (let slot = 0; slot < SLOTS; slot++) {
      if ((words[counts + slot] as number) <= taken) free = slot;
      else if (words[hashes + slot] === hash) {
        (words[counts + slot] as number)++;
        return;
      }
    }
    if (free < 0) {
      this.#taken++;
      return;
    }
    words[hashes + free] = hash;
    words[counts + free] = taken + 1;
  }

  /** How often the most frequent hash came, at least. */
  get count(): number {
    return Math.max(...this.#words.subarray(this.#counts, this.#counts + SLOTS)) - this.#taken;
  }
}
