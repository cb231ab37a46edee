import { toParameter } from './parameters.js';
import { call } from './postgres-port.js';
import { type Row, type TextRows, toRows } from './results.js';

type Page = TextRows & { cursor: string | null };

/** Iterates over the rows of a statement, and fetches them page by page. The statement is read-only. */
export class RowCursor<R extends Row = Row> {
  readonly #text: string;
  readonly #params: unknown[];
  readonly #batchSize: number;
  #page: R[] = [];
  #at = 0;
  /** Id of the cursor on the server; undefined before the first page was fetched, null after the last page. */
  #cursor: string | null | undefined;
  /** The page behind the current one, which was requested ahead. */
  #ahead: Promise<Page> | undefined;

  constructor(text: string, params: unknown[], batchSize: number) {
    this.#text = text;
    this.#params = params;
    this.#batchSize = batchSize;
  }

  /** Returns the next row, or null after the last one. */
  async next(): Promise<R | null> {
    while (this.#at >= this.#page.length) {
      if (this.#cursor === null) return null;
      const isFirst = this.#cursor === undefined;
      const request = isFirst ? this.#open() : (this.#ahead ?? this.#request());
      this.#ahead = undefined;
      const page = await request;
      this.#cursor = page.cursor;
      // The second page shows that the skript reads on, so the next page can arrive while it works on this one.
      if (!isFirst && page.cursor !== null) this.#requestAhead();
      this.#page = toRows<R>(page);
      this.#at = 0;
    }
    const row = this.#page[this.#at] ?? null;
    this.#at += 1;
    return row;
  }

  /** Closes the cursor on the server. This is not necessary if the last row was read. */
  async close(): Promise<void> {
    const open = this.#cursor;
    this.#page = [];
    this.#at = 0;
    this.#cursor = null;
    this.#ahead = undefined;
    // The server cancels a page that was requested ahead. It ignores a cursor that has ended.
    if (open) await call('cursor', { method: 'close', cursor: open });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<R, void, void> {
    try {
      for (;;) {
        const row = await this.next();
        if (row === null) return;
        yield row;
      }
    } finally {
      await this.close();
    }
  }

  #request(): Promise<Page> {
    return call('cursor', { method: 'next', cursor: this.#cursor as string });
  }

  #requestAhead(): void {
    this.#ahead = this.#request();
    // `next` and `close` handle an error. Until then, it must not count as an unhandled rejection.
    this.#ahead.catch(() => {});
  }

  #open(): Promise<Page> {
    const params = this.#params.map(toParameter);
    return call('cursor', { method: 'open', text: this.#text, params, batch_size: this.#batchSize });
  }
}
