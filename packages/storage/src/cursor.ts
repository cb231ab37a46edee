import { call } from './storage-port.js';

export type Document = Record<string, unknown>;
export type Sort = Record<string, 1 | -1>;

interface Page {
  docs: Document[];
  cursor: string | null;
}

interface Place {
  db: string | undefined;
  collection: string;
}

/** Documents of a `find` or an `aggregate`, fetched page by page as they are asked for. */
export class Cursor {
  readonly #place: Place;
  readonly #method: 'find' | 'aggregate';
  readonly #args: Document;
  #page: Document[] = [];
  #at = 0;
  /** Undefined until the first page was asked for, null once there is no more to fetch. */
  #more: string | null | undefined;

  constructor(place: Place, method: 'find' | 'aggregate', args: Document) {
    this.#place = place;
    this.#method = method;
    this.#args = args;
  }

  /** The next document, or null after the last one. */
  async next(): Promise<Document | null> {
    while (this.#at >= this.#page.length) {
      if (this.#more === null) return null;
      const page =
        this.#more === undefined
          ? await call<Page>(this.#place, this.#method, this.#args)
          : await call<Page>(this.#place, 'next', { cursor: this.#more });
      this.#page = page.docs;
      this.#more = page.cursor;
      this.#at = 0;
    }
    const document = this.#page[this.#at] ?? null;
    this.#at += 1;
    return document;
  }

  /** All documents that are left. */
  async toArray(): Promise<Document[]> {
    const documents: Document[] = [];
    for await (const document of this) documents.push(document);
    return documents;
  }

  /** Calls `visit` with each document that is left, one after the other; `false` as its result ends the walk. */
  async forEach(visit: (document: Document) => unknown): Promise<void> {
    for await (const document of this) {
      if ((await visit(document)) === false) return;
    }
  }

  /** Gives the cursor back to the server. Not needed after the last document. */
  async close(): Promise<void> {
    const open = this.#more;
    this.#page = [];
    this.#at = 0;
    this.#more = null;
    if (open) await call(this.#place, 'close', { cursor: open });
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

  /** @throws Error once documents were fetched: it would be too late to change what is asked for. */
  protected set(option: string, value: unknown): this {
    if (this.#more !== undefined) {
      throw new Error(`${this.#place.collection}.${this.#method}: ${option} must be set before documents are read.`);
    }
    this.#args[option] = value;
    return this;
  }
}

/** A cursor of `find`, whose order and window can still be set until the first document is read. */
export class FindCursor extends Cursor {
  /** `sort({ price: -1 })`, or `sort('price', -1)`. */
  sort(by: Sort | string, direction: 1 | -1 = 1): this {
    return this.set('sort', typeof by === 'string' ? { [by]: direction } : by);
  }

  skip(count: number): this {
    return this.set('skip', count);
  }

  limit(count: number): this {
    return this.set('limit', count);
  }

  /** Which fields come back: `project({ title: 1, _id: 0 })`. */
  project(fields: Document): this {
    return this.set('projection', fields);
  }
}
