import { toParameter } from './parameters.js';
import { call } from './postgres-port.js';
import { type Row, type TextRows, toRows } from './results.js';

/** Iterates over the rows of a statement, and fetches them page by page. The statement is read-only. */
export class RowCursor<R extends Row = Row> {
  readonly #text: string;
  readonly #params: unknown[];
  readonly #batchSize: number;
  #page: R[] = [];
  #at = 0;
  /** Id of the cursor on the server; undefined before the first page was fetched, null after the last page. */
  #cursor: string | null | undefined;

  constructor(text: string, params: unknown[], batchSize: number) {
    this.#text = text;
    this.#params = params;
    this.#batchSize = batchSize;
  }

  /** Returns the next row, or null after the last one. */
  async next(): Promise<R | null> {
    while (this.#at >= this.#page.length) {
      if (this.#cursor === null) return null;
      const page = await this.#fetch();
      this.#page = toRows<R>(page);
      this.#cursor = page.cursor;
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

  #fetch(): Promise<TextRows & { cursor: string | null }> {
    if (this.#cursor) return call('cursor', { method: 'next', cursor: this.#cursor });
    const params = this.#params.map(toParameter);
    return call('cursor', { method: 'open', text: this.#text, params, batch_size: this.#batchSize });
  }
}
