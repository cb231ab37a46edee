/**
 * A part of the searched text in which one of the texts occurs, or several that overlap. The character at `end` is not
 * part of it.
 */
export interface TextSpan {
  start: number;
  end: number;
}

const ROOT = 0;
const CODES = 0x1_0000;
/**
 * Factors of the hash function: large odd numbers that spread consecutive states and characters over the whole table.
 */
const [SPREAD_STATE, SPREAD_CODE] = [0x9e37_79b1, 0x85eb_ca6b];

/**
 * Finds many texts at once with the Aho-Corasick algorithm. The time of a search depends only on the length of the
 * searched text. This is important because users choose both the texts and the searched text. The texts may have half a
 * million characters, and the search blocks the worker. So the states are in flat arrays and a hash table, which need a
 * tenth of the time of a `Map`.
 */
export class TextFinder {
  /** Number of states. */
  #count = 1;
  /** For each state: its parent state. `#codes` contains the character that leads from the parent to the state. */
  readonly #parents: Int32Array;
  readonly #codes: Uint16Array;
  readonly #depths: Int32Array;
  /** For each state: the state of the longest suffix of its text that is a prefix of some text. */
  readonly #fallbacks: Int32Array;
  /** For each state: the length of the longest sought text that ends there; 0 if none does. */
  readonly #found: Int32Array;
  /** For each state: its first child state; 0 if it has none. Most states have only one child. */
  readonly #first: Int32Array;
  /** Hash table with the other child states, by parent state and character. It uses linear probing. */
  readonly #others: Int32Array;
  /** For each character: whether a sought text begins with it. With this, most of a searched text can be skipped. */
  readonly #begins = new Uint8Array(CODES);

  constructor(texts: Iterable<string>) {
    const all = [...texts];
    const max = all.reduce((sum, { length }) => sum + length, 1);
    this.#parents = new Int32Array(max);
    this.#codes = new Uint16Array(max);
    this.#depths = new Int32Array(max);
    this.#fallbacks = new Int32Array(max);
    this.#found = new Int32Array(max);
    this.#first = new Int32Array(max);
    this.#others = new Int32Array(2 ** Math.ceil(Math.log2(2 * max)));
    for (const text of all) this.#add(text);
    this.#link();
  }

  get isEmpty(): boolean {
    return this.#count === 1;
  }

  /** @returns `partialLength`: length of the longest suffix of the text that is a prefix of one of the sought texts */
  find(text: string): { spans: TextSpan[]; partialLength: number } {
    const spans: TextSpan[] = [];
    let state = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (state === ROOT && this.#begins[code] === 0) continue;
      state = this.#step(state, code);
      const length = this.#found[state] as number;
      if (length > 0) addSpan(spans, { start: at + 1 - length, end: at + 1 });
    }
    return { spans, partialLength: this.#depths[state] as number };
  }

  #add(text: string): void {
    this.#begins[text.charCodeAt(0)] = 1;
    let state = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      state = this.#child(state, code) || this.#newState(state, code);
    }
    this.#found[state] = text.length;
  }

  #newState(parent: number, code: number): number {
    const state = this.#count;
    this.#count += 1;
    this.#parents[state] = parent;
    this.#codes[state] = code;
    this.#depths[state] = (this.#depths[parent] as number) + 1;
    if (this.#first[parent] === 0) this.#first[parent] = state;
    else this.#others[this.#slotOf(parent, code)] = state;
    return state;
  }

  #link(): void {
    for (const state of this.#shortestFirst()) {
      if ((this.#depths[state] as number) < 2) continue;
      const before = this.#fallbacks[this.#parents[state] as number] as number;
      const fallback = this.#step(before, this.#codes[state] as number);
      this.#fallbacks[state] = fallback;
      if (this.#found[state] === 0) this.#found[state] = this.#found[fallback] as number;
    }
  }

  #shortestFirst(): Int32Array {
    const depths = this.#depths.subarray(0, this.#count);
    const ends = new Int32Array(depths.reduce((deepest, depth) => Math.max(deepest, depth), 0) + 2);
    for (const depth of depths) (ends[depth + 1] as number) += 1;
    for (let depth = 1; depth < ends.length; depth += 1) (ends[depth] as number) += ends[depth - 1] as number;
    const inOrder = new Int32Array(this.#count);
    depths.forEach((depth, state) => {
      inOrder[ends[depth] as number] = state;
      (ends[depth] as number) += 1;
    });
    return inOrder;
  }

  #step(from: number, code: number): number {
    for (let state = from; ; state = this.#fallbacks[state] as number) {
      const next = this.#child(state, code);
      if (next !== 0 || state === ROOT) return next;
    }
  }

  /** Returns the child of a state for a character; 0 if there is none. */
  #child(state: number, code: number): number {
    const first = this.#first[state] as number;
    if (first === 0 || this.#codes[first] === code) return first;
    return this.#others[this.#slotOf(state, code)] as number;
  }

  /** Returns the index of the child in `#others`, or of the free slot for it. */
  #slotOf(parent: number, code: number): number {
    const table = this.#others;
    const mask = table.length - 1;
    const hash = Math.imul(parent, SPREAD_STATE) ^ Math.imul(code, SPREAD_CODE);
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const state = table[slot] as number;
      if (state === 0 || (this.#parents[state] === parent && this.#codes[state] === code)) return slot;
    }
  }
}

function addSpan(spans: TextSpan[], span: TextSpan): void {
  let { start } = span;
  for (let last = spans.at(-1); last && last.end > start; last = spans.at(-1)) {
    start = Math.min(start, last.start);
    spans.pop();
  }
  spans.push({ start, end: span.end });
}

/** Puts spans in order, and makes one of those that overlap. */
export function mergeSpans(spans: TextSpan[]): TextSpan[] {
  const inOrder: TextSpan[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = inOrder.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else inOrder.push(span);
  }
  return inOrder;
}
