import type { Part } from './figure-memory.js';

const SLOTS = 32;
const MAX_BINS = 24;
/** A bin is at first 5 % wide. */
const FIRST_WIDTH = Math.log(1.05);
/** More than the largest power of any number, so that bins of positive numbers have positive keys. */
const OFFSET = 1 << 14;

/** A key of two bytes and a counter of four for each slot. */
export const HISTOGRAM_WORDS = SLOTS / 2 + SLOTS;

/**
 * Counts numbers in bins of the same relative width. If there are too many bins, they become twice as wide, so that its
 * memory has a bound. Its quantiles are right to about half a bin.
 */
export class NumberHistogram {
  readonly #shorts: Int16Array;
  readonly #words: Int32Array;
  /** Where its keys and its counters begin. */
  readonly #keys: number;
  readonly #counts: number;
  #bins = 0;
  #total = 0;
  #width = FIRST_WIDTH;

  /** @param part of `HISTOGRAM_WORDS` */
  constructor({ shorts, words, at }: Part) {
    this.#shorts = shorts;
    this.#words = words;
    this.#keys = 2 * at;
    this.#counts = at + SLOTS / 2;
  }

  add(value: number): void {
    this.#total++;
    this.#count(this.#keyOf(value), 1);
  }

  /** @param shares in ascending order */
  quantiles(shares: number[]): number[] {
    const bins = this.#all().sort(([a], [b]) => a - b);
    return shares.map(share => {
      const rank = share * this.#total;
      let below = 0;
      for (const [key, count] of bins) {
        if (below + count >= rank) return this.#valueAt(key, (rank - below) / count);
        below += count;
      }
      return 0;
    });
  }

  #keyOf(value: number): number {
    if (value === 0) return 0;
    const power = Math.floor(Math.log(Math.abs(value)) / this.#width) + OFFSET;
    return value > 0 ? power : -power;
  }

  /** The value below which this part of a bin is. A wide bin would make quantiles jump otherwise. */
  #valueAt(key: number, part: number): number {
    if (key === 0) return 0;
    const within = key > 0 ? part : 1 - part;
    return Math.sign(key) * Math.exp((Math.abs(key) - OFFSET + within) * this.#width);
  }

  /** The keys that have a counter, and the counters. */
  #all(): [number, number][] {
    const keys = this.#shorts.subarray(this.#keys, this.#keys + SLOTS);
    const counts = this.#words.subarray(this.#counts, this.#counts + SLOTS);
    return Array.from(keys, (key, slot) => [key, counts[slot] as number] as [number, number]).filter(
      ([, count]) => count > 0,
    );
  }

  #count(key: number, times: number): void {
    let slot = (key * 7) & (SLOTS - 1);
    for (;;) {
      const count = this.#words[this.#counts + slot] as number;
      if (count === 0) break;
      if (this.#shorts[this.#keys + slot] === key) {
        this.#words[this.#counts + slot] = count + times;
        return;
      }
      slot = (slot + 1) & (SLOTS - 1);
    }
    this.#shorts[this.#keys + slot] = key;
    this.#words[this.#counts + slot] = times;
    if (++this.#bins > MAX_BINS) this.#widen();
  }

  #widen(): void {
    const bins = this.#all();
    this.#words.fill(0, this.#counts, this.#counts + SLOTS);
    this.#bins = 0;
    this.#width *= 2;
    for (const [key, count] of bins) {
      const power = Math.floor((Math.abs(key) - OFFSET) / 2) + OFFSET;
      this.#count(key === 0 ? 0 : Math.sign(key) * power, count);
    }
  }
}
