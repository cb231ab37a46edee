interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 200;

/**
 * Batches database writes, or reads, without delaying them. If no write is in progress, an item is written at once. All items that
 * arrive during a write are written together afterwards. (This is our own code, because batching libraries wait for a
 * timer or a tick.)
 *
 * `write` must return one result per item, in order. If `write` fails, `add` fails with its error for all items of that
 * write. `rest` runs after each write and delays the next one; give it only if callers do not wait for results. It is
 * skipped while a full batch waits. `maxBatch` is the number of items that are written together at most.
 * See docs/decisions/0012-one-statement-per-start.md.
 */
export class WriteBatcher<Item, Result> {
  readonly #write: (items: Item[]) => Promise<Result[]>;
  readonly #rest: (() => Promise<unknown>) | undefined;
  readonly #maxBatch: number;
  #waiting: Waiting<Item, Result>[] = [];
  #writing = false;

  constructor(write: (items: Item[]) => Promise<Result[]>, rest?: () => Promise<unknown>, maxBatch = MAX_BATCH) {
    this.#write = write;
    this.#rest = rest;
    this.#maxBatch = maxBatch;
  }

  add(item: Item): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => this.#waiting.push({ item, resolve, reject }));
    if (!this.#writing) void this.#writeWaiting();
    return result;
  }

  /**
   * True if no write is in progress. Without a `rest`, this is already true when `add` resolves for the items of the
   * last write.
   */
  get isIdle(): boolean {
    return !this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatch);
      try {
        const results = await this.#write(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => {
          resolve(results[index] as Result);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      // Without a rest, do not await: the callers of this write must see that the batcher is idle.
      if (this.#rest && this.#waiting.length < this.#maxBatch) await this.#rest();
    }
    this.#writing = false;
  }
}
