interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Items that travel together: those that arrive while a call is in progress share the next one. So many handlers at the
 * same time send few calls, and a single one does not wait.
 */
export class SharedCalls<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = [];
  #sending: Promise<void> | undefined;

  /**
   * @param send sends one call, and returns a result for each item
   * @param fitting returns how many of the first items fit into one call, at least one
   */
  constructor(
    private readonly send: (items: Item[]) => Promise<Result[]>,
    private readonly fitting: (items: Item[]) => number,
  ) {}

  add(item: Item): Promise<Result> {
    const sent = new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
    });
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return sent;
  }

  /** Resolves when all items so far are sent or have failed. */
  flush(): Promise<void> | undefined {
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    // Let items of the same moment share the first call.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.fitting(this.#waiting.map(({ item }) => item)));
      try {
        const results = await this.send(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}
