import type { Binary } from 'bson';
import { decodeAt } from './protocol/bson-documents.js';
import type { Document, Sort } from './protocol/document.js';
import { call } from './storage-port.js';

interface Page {
  docs: Binary;
  cursor: string | null;
}

interface Namespace {
  db: string | undefined;
  collection: string;
}

const NO_DOCUMENTS = new Uint8Array();

/** Iterates over the documents of a `find` or an `aggregate`, and fetches them page by page. */
export class Cursor {
  readonly #namespace: Namespace;
  readonly #method: 'find' | 'aggregate';
  readonly #args: Document;
  /** The documents of the current page as BSON, and where in it the next document begins. */
  #page: Uint8Array = NO_DOCUMENTS;
  #offset = 0;
  /** Id of the cursor on the server; undefined before the first page was fetched, null after the last page. */
  #cursorId: string | null | undefined;
  /** The page behind the current one, which was requested ahead. */
  #ahead: Promise<Page> | undefined;

  constructor(namespace: Namespace, method: 'find' | 'aggregate', args: Document) {
    this.#namespace = namespace;
    this.#method = method;
    this.#args = args;
  }

  /** Returns the next document, or null after the last one. */
  async next(): Promise<Document | null> {
    return (await this.#fetch()) ? this.#take() : null;
  }

  /** Returns all remaining documents. */
  async toArray(): Promise<Document[]> {
    const documents: Document[] = [];
    while (await this.#fetch()) {
      while (this.#offset < this.#page.length) documents.push(this.#take());
    }
    return documents;
  }

  /** Calls `visit` with each remaining document in turn, until `visit` returns `false`. */
  async forEach(visit: (document: Document) => unknown): Promise<void> {
    for await (const document of this) {
      if ((await visit(document)) === false) return;
    }
  }

  /** Closes the cursor on the server. This is not necessary if the last document was read. */
  async close(): Promise<void> {
    const open = this.#cursorId;
    this.#page = NO_DOCUMENTS;
    this.#offset = 0;
    this.#cursorId = null;
    this.#ahead = undefined;
    // The server cancels a page that was requested ahead. It ignores a cursor that has ended.
    if (open) await call(this.#namespace, 'close', { cursor: open });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Document, void, void> {
    try {
      for (;;) {
        const document = await this.next();
        if (document === null) return;
        yield document;
      }
    } finally {
      await this.close();
    }
  }

  /** Fetches a page if the current one was read to its end. Returns whether there is another document. */
  async #fetch(): Promise<boolean> {
    while (this.#offset >= this.#page.length) {
      if (this.#cursorId === null) return false;
      const isFirst = this.#cursorId === undefined;
      const page = isFirst ? call<Page>(this.#namespace, this.#method, this.#args) : (this.#ahead ?? this.#request());
      this.#ahead = undefined;
      const { docs, cursor } = await page;
      this.#page = docs.buffer;
      this.#offset = 0;
      this.#cursorId = cursor;
      // The second page shows that the skript reads on, so the next page can arrive while it works on this one.
      if (!isFirst && cursor !== null) this.#requestAhead();
    }
    return true;
  }

  #request(): Promise<Page> {
    return call<Page>(this.#namespace, 'next', { cursor: this.#cursorId });
  }

  #requestAhead(): void {
    this.#ahead = this.#request();
    // `#fetch` and `close` handle an error. Until then, it must not count as an unhandled rejection.
    this.#ahead.catch(() => {});
  }

  #take(): Document {
    const [document, next] = decodeAt(this.#page, this.#offset);
    this.#offset = next;
    return document;
  }

  /** @throws Error if a page was already fetched, because the query cannot change after that */
  protected set(option: string, value: unknown): this {
    if (this.#cursorId !== undefined) {
      throw new Error(
        `${this.#namespace.collection}.${this.#method}: ${option} must be set before documents are read.`,
      );
    }
    this.#args[option] = value;
    return this;
  }
}

/** A cursor of `find`. Call `sort`, `skip`, `limit` and `project` before you read the first document. */
export class FindCursor extends Cursor {
  /** Sorts the documents: `sort({ price: -1 })` or `sort('price', -1)`. */
  sort(by: Sort | string, direction: 1 | -1 = 1): this {
    return this.set('sort', typeof by === 'string' ? { [by]: direction } : by);
  }

  skip(count: number): this {
    return this.set('skip', count);
  }

  limit(count: number): this {
    return this.set('limit', count);
  }

  /** Chooses which fields the documents have: `project({ title: 1, _id: 0 })`. */
  project(fields: Document): this {
    return this.set('projection', fields);
  }
}
