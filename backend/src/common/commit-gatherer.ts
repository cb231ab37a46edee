interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const MOST_AT_ONCE = 200;

/**
 * Writes items to the database in as few commits as the load asks for, without making anyone wait for company: an item
 * is written at once when no write is under way; those that arrive meanwhile share the next one. (A timer that gathers
 * would only add its delay.)
 *
 * `write` answers one result per item, in their order. When it fails, all of its items fail with that error. `rest` is for
 * where nobody waits for the results: it comes after each write, unless more wait than the next one takes.
 */
export class CommitGatherer<Item, Result> {
  readonly #write: (items: Item[]) => Promise<Result[]>;
  readonly #rest: (() => Promise<unknown>) | undefined;
  #waiting: Waiting<Item, Result>[] = [];
  #writing = false;

  constructor(write: (items: Item[]) => Promise<Result[]>, rest?: () => Promise<unknown>) {
    this.#write = write;
    this.#rest = rest;
  }

  add(item: Item): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => this.#waiting.push({ item, resolve, reject }));
    if (!this.#writing) void this.#writeWaiting();
    return result;
  }

  /** Whether nothing is under way. It is, at the latest, when the last result is heard of. */
  get isIdle(): boolean {
    return !this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_AT_ONCE);
      try {
        const results = await this.#write(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => {
          resolve(results[index] as Result);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (this.#waiting.length < MOST_AT_ONCE) await this.#rest?.();
    }
    this.#writing = false;
  }
}
