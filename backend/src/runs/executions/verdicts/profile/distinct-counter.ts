/**
 * Estimates how many different hashes it has seen (HyperLogLog): exact for few, and within about 1.04 / √registers for
 * many. The kept libraries for it need objects of their own for each value, or more memory than a whole profile may have.
 */
export class DistinctCounter {
  readonly #bytes: Uint8Array;
  readonly #from: number;
  readonly #bits: number;

  /** @param bits the counter has 2^bits registers of a byte, from `from` on */
  constructor(bits: number, bytes: Uint8Array = new Uint8Array(1 << bits), from = 0) {
    this.#bits = bits;
    this.#bytes = bytes;
    this.#from = from;
  }

  /** @param hash 32 well mixed bits */
  add(hash: number): void {
    const at = this.#from + (hash >>> (32 - this.#bits));
    const rank = Math.clz32(hash << this.#bits) + 1;
    const highest = 33 - this.#bits;
    const bounded = rank > highest ? highest : rank;
    if (bounded > (this.#bytes[at] as number)) this.#bytes[at] = bounded;
  }

  get count(): number {
    const size = 1 << this.#bits;
    let sum = 0;
    let empty = 0;
    for (const register of this.#bytes.subarray(this.#from, this.#from + size)) {
      sum += 2 ** -register;
      if (register === 0) empty++;
    }
    const estimate = (0.7213 / (1 + 1.079 / size)) * ((size * size) / sum);
    return Math.round(empty > 0 && estimate <= 2.5 * size ? size * Math.log(size / empty) : estimate);
  }
}
