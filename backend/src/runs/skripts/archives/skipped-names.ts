const MAX_NAMES = 100;
const MAX_NAME_CHARS = 300;

/** Names for the answer of an upload: each once, and at most `MAX_NAMES`. */
export class SkippedNames {
  readonly #names = new Set<string>();

  add(name: string): void {
    if (this.#names.size < MAX_NAMES) this.#names.add(name.slice(0, MAX_NAME_CHARS));
  }

  /** Returns the names in order, without the folder that holds the skript. */
  list(top = ''): string[] {
    return [...this.#names].map(name => (name.startsWith(top) ? name.slice(top.length) : name)).sort();
  }
}
