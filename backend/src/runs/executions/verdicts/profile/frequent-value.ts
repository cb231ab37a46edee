import type { Part } from './figure-memory.js';

const SLOTS = 8;
/** A hash and a counter for each slot. */
export const FREQUENT_WORDS = 2 * SLOTS;

/** Finds the most frequent of many hashes with eight counters (Misra and Gries). A share of more than a ninth is found. */
export class FrequentValue {
  readonly #words: Int32Array;
  readonly #hashes: number;
  readonly #counts: number;

  /** @param part of `FREQUENT_WORDS` */
  constructor({ words, at }: Part) {
    this.#words = words;
    this.#hashes = at;
    this.#counts = at + SLOTS;
  }

  add(hash: number): void {
    const words = this.#words;
    let free = -1;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (words[this.#counts + slot] === 0) free = slot;
      else if (words[this.#hashes + slot] === hash) {
        (words[this.#counts + slot] as number)++;
        return;
      }
    }
    if (free >= 0) {
      words[this.#hashes + free] = hash;
      words[this.#counts + free] = 1;
      return;
    }
    for (let slot = 0; slot < SLOTS; slot++) (words[this.#counts + slot] as number)--;
  }

  /** How often the most frequent hash came, at least. */
  get count(): number {
    return Math.max(...this.#words.subarray(this.#counts, this.#counts + SLOTS));
  }
}
