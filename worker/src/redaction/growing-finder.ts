import { mergeSpans, TextFinder, type TextSpan } from './text-finder.js';

/** New texts are in a finder of their own until they have so many characters together. */
const MAX_NEW_CHARS = 16 * 1024;

/**
 * Finds texts of which new ones come while a run is live. To build a finder of all texts takes long, so it is not built
 * for each new one, and never before the next search.
 */
export class GrowingFinder {
  /** Returns all texts. */
  readonly #texts: () => Iterable<string>;
  #all: TextFinder | null = null;
  readonly #new = new Set<string>();
  #newChars = 0;
  #newFinder: TextFinder | null = null;

  constructor(texts: () => Iterable<string>) {
    this.#texts = texts;
  }

  /** Call it for each new text. It may still find texts that are none any more. */
  add(text: string): void {
    this.#newFinder = null;
    if (this.#newChars > MAX_NEW_CHARS) return;
    this.#new.add(text);
    this.#newChars += text.length;
  }

  find(text: string): { spans: TextSpan[]; partialLength: number } {
    if (this.#newChars > MAX_NEW_CHARS) {
      this.#all = new TextFinder(this.#texts());
      this.#new.clear();
      this.#newChars = 0;
    }
    if (this.#new.size > 0) this.#newFinder ??= new TextFinder(this.#new);
    const found = [this.#all, this.#newFinder].flatMap(finder => finder?.find(text) ?? []);
    return {
      spans: mergeSpans(found.flatMap(({ spans }) => spans)),
      partialLength: Math.max(0, ...found.map(({ partialLength }) => partialLength)),
    };
  }
}
