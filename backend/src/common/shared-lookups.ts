/** Looks things up for several who ask for the same. */
export interface Lookups {
  once<T>(what: string, look: () => Promise<T>): Promise<T>;
}

/** Of calls that are one piece of work: what several of them ask for is looked up once. */
export class LookupsOnce implements Lookups {
  readonly #found = new Map<string, Promise<unknown>>();

  once<T>(what: string, look: () => Promise<T>): Promise<T> {
    const found = (this.#found.get(what) as Promise<T> | undefined) ?? look();
    this.#found.set(what, found);
    return found;
  }
}

/**
 * Of calls that have nothing to do with each other: those that ask while the same is being looked up share the next look,
 * so that nobody is answered with what was read before it asked.
 */
export class LookupsInTurn implements Lookups {
  readonly #looks = new Map<string, { now: Promise<unknown>; next: Promise<unknown> | undefined }>();

  once<T>(what: string, look: () => Promise<T>): Promise<T> {
    const current = this.#looks.get(what);
    if (!current) return this.#begin(what, look);
    const begin = () => this.#begin(what, look);
    current.next ??= current.now.then(begin, begin);
    return current.next as Promise<T>;
  }

  async #begin<T>(what: string, look: () => Promise<T>): Promise<T> {
    const current: { now: Promise<T>; next: Promise<unknown> | undefined } = { now: look(), next: undefined };
    this.#looks.set(what, current);
    try {
      return await current.now;
    } finally {
      if (!current.next) this.#looks.delete(what);
    }
  }
}
