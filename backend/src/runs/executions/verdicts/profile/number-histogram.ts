const SLOTS = 32;
const MAX_BINS = 24;
/** A bin is at first 5 % wide. */
const FIRST_WIDTH = Math.log(1.05);
/** More than the largest power of any number, so that bins of positive numbers have positive keys. */
const OFFSET = 1 << 16;

/**
 * Counts numbers in bins of the same relative width. If there are too many bins, they become twice as wide, so that its
 * memory has a bound. Its quantiles are right to half a bin.
 */
export class NumberHistogram {
  #keys = new Int32Array(SLOTS);
  #counts = new Uint32Array(SLOTS);
  #bins = 0;
  #total = 0;
  #width = FIRST_WIDTH;

  add(value: number): void {
    this.#total++;
    this.#count(this.#keyOf(value), 1);
  }

  get total(): number {
    return this.#total;
  }

  /** @param shares in ascending order */
  quantiles(shares: number[]): number[] {
    const bins = [...this.#keys.keys()]
      .filter(slot => this.#counts[slot])
      .map(slot => [this.#keys[slot] as number, this.#counts[slot] as number] as const)
      .sort(([a], [b]) => a - b);
    return shares.map(share => {
      let below = 0;
      for (const [key, count] of bins) {
        below += count;
        if (below >= share * this.#total) return this.#valueOf(key);
      }
      return 0;
    });
  }

  #keyOf(value: number): number {
    if (value === 0) return 0;
    const power = Math.round(Math.log(Math.abs(value)) / this.#width) + OFFSET;
    return value > 0 ? power : -power;
  }

  #valueOf(key: number): number {
    if (key === 0) return 0;
    return Math.sign(key) * Math.exp((Math.abs(key) - OFFSET) * this.#width);
  }

  #count(key: number, times: number): void {
    let slot = (key * 7) & (SLOTS - 1);
    while (this.#counts[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & (SLOTS - 1);
    if (this.#counts[slot] === 0) {
      this.#keys[slot] = key;
      this.#bins++;
    }
    this.#counts[slot] = (this.#counts[slot] as number) + times;
    if (this.#bins > MAX_BINS) this.#widen();
  }

  #widen(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    this.#keys = new Int32Array(SLOTS);
    this.#counts = new Uint32Array(SLOTS);
    this.#bins = 0;
    this.#width *= 2;
    for (const [slot, key] of keys.entries()) {
      const count = counts[slot] as number;
      if (count === 0) continue;
      const power = Math.round((Math.abs(key) - OFFSET) / 2) + OFFSET;
      this.#count(key === 0 ? 0 : Math.sign(key) * power, count);
    }
  }
}
