export const WORD_BYTES = 4;
const SLAB_WORDS = 1024;

/** Memory that several sketches share. */
interface Slab {
  words: Int32Array;
  shorts: Int16Array;
  bytes: Uint8Array;
}

/** The memory of one sketch, which is zero at first. `at` counts words. */
export interface Part extends Slab {
  at: number;
}

/**
 * Gives sketches their memory, up to a limit for a run. It is a part of a few large arrays, because each array costs more
 * than a sketch needs.
 */
export class FigureMemory {
  #slab: Slab | undefined;
  #used = 0;
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes / WORD_BYTES;
  }

  /** Returns null if the run may take no more. */
  take(words: number): Part | null {
    if (this.#left < words) return null;
    this.#left -= words;
    if (!this.#slab || this.#used + words > SLAB_WORDS) {
      const memory = new ArrayBuffer(SLAB_WORDS * WORD_BYTES);
      this.#slab = { words: new Int32Array(memory), shorts: new Int16Array(memory), bytes: new Uint8Array(memory) };
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += words;
    return { ...this.#slab, at };
  }
}
