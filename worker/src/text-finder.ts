/** Where one or more of the texts stand, with what overlaps as one place. `end` is the first character after it. */
export interface FoundPlace {
  start: number;
  end: number;
}

const ROOT = 0;
const CODES = 0x1_0000;

/**
 * Finds many texts at once in time that grows only with the text that is searched, whatever the texts are (the method
 * of Aho and Corasick): who chooses them also chooses what is searched, and must not be able to make it slow.
 */
export class TextFinder {
  /** From a state and a character to the next state, as `state * CODES + character`. */
  readonly #next = new Map<number, number>();
  readonly #parents = [ROOT];
  readonly #codes = [0];
  readonly #depths = [0];
  /** The state that stands for the longest end of this state's text that some text begins with. */
  readonly #fallbacks = [ROOT];
  /** Length of the longest text that ends in this state. */
  readonly #found = [0];
  /** Whether a text begins with the character: most of what is searched is passed over by this alone. */
  readonly #begins = new Uint8Array(CODES);

  constructor(texts: Iterable<string>) {
    for (const text of texts) this.#add(text);
    this.#link();
  }

  get isEmpty(): boolean {
    return this.#next.size === 0;
  }

  /** `begun`: length of the longest end of the text with which one of those that are sought begins. */
  find(text: string): { places: FoundPlace[]; begun: number } {
    const places: FoundPlace[] = [];
    let state = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (state === ROOT && this.#begins[code] === 0) continue;
      state = this.#step(state, code);
      const length = this.#found[state] as number;
      if (length > 0) addPlace(places, { start: at + 1 - length, end: at + 1 });
    }
    return { places, begun: this.#depths[state] as number };
  }

  #add(text: string): void {
    this.#begins[text.charCodeAt(0)] = 1;
    let state = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const next = this.#next.get(state * CODES + code);
      state = next ?? this.#newState(state, code);
    }
    this.#found[state] = text.length;
  }

  #newState(parent: number, code: number): number {
    const state = this.#parents.push(parent) - 1;
    this.#codes.push(code);
    this.#depths.push((this.#depths[parent] as number) + 1);
    this.#fallbacks.push(ROOT);
    this.#found.push(0);
    this.#next.set(parent * CODES + code, state);
    return state;
  }

  #link(): void {
    const depths = this.#depths;
    const shortestFirst = [...depths.keys()].sort((a, b) => (depths[a] as number) - (depths[b] as number));
    for (const state of shortestFirst) {
      if ((depths[state] as number) < 2) continue;
      const before = this.#fallbacks[this.#parents[state] as number] as number;
      const fallback = this.#step(before, this.#codes[state] as number);
      this.#fallbacks[state] = fallback;
      if (this.#found[state] === 0) this.#found[state] = this.#found[fallback] as number;
    }
  }

  #step(from: number, code: number): number {
    for (let state = from; ; state = this.#fallbacks[state] as number) {
      const next = this.#next.get(state * CODES + code);
      if (next !== undefined) return next;
      if (state === ROOT) return ROOT;
    }
  }
}

function addPlace(places: FoundPlace[], place: FoundPlace): void {
  let { start } = place;
  for (let last = places.at(-1); last && last.end > start; last = places.at(-1)) {
    start = Math.min(start, last.start);
    places.pop();
  }
  places.push({ start, end: place.end });
}
