/** Number of bytes of a digest. Two ids have the same one with a probability that can be neglected. */
export const DIGEST_BYTES = 16;
const WORDS = DIGEST_BYTES / 4;

/** A set of digests in one piece of memory, outside the heap of JavaScript. */
export class DigestTable {
  readonly #words: Uint32Array;
  readonly #mask: number;

  /** @param size the largest number of digests. */
  constructor(size: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, size * 2)));
    this.#words = new Uint32Array(slots * WORDS);
    this.#mask = slots - 1;
  }

  add(digest: Uint8Array): void {
    const words = wordsOf(digest);
    this.#words.set(words, this.#find(words));
  }

  has(digest: Uint8Array): boolean {
    return this.#words[this.#find(wordsOf(digest)) + 1] !== 0;
  }

  /** Returns where the digest is, or where it belongs. */
  #find(words: Uint32Array): number {
    const all = this.#words;
    for (let slot = (words[2] as number) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * WORDS;
      if (all[at + 1] === 0) return at;
      if (words.every((word, index) => all[at + index] === word)) return at;
    }
  }
}

/** Its second word is never zero, which marks a free slot. */
function wordsOf(digest: Uint8Array): Uint32Array {
  const words = new Uint32Array(new Uint8Array(digest.subarray(0, DIGEST_BYTES)).buffer);
  words[1] ||= 1;
  return words;
}
