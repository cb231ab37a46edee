import {
  EXCHANGE_LIMITS,
  type Exchange,
  exchangeHeadSchema,
  exchangeOf,
  type PageSeen,
  pageSeenSchema,
} from '@trawl/contracts';

/** The last exchanges and the last page of a run, as its process has sent them. */
export class RunExchanges {
  #exchanges: Exchange[] = [];
  #bytes = 0;
  #page: PageSeen | null = null;

  /** Returns whether the message was valid. A run may send anything, so the oldest exchanges give way at the limits. */
  add(sentHead: unknown, data: Buffer | null): boolean {
    const head = exchangeHeadSchema.safeParse(sentHead);
    const bytes = ownBytes(data ?? Buffer.alloc(0));
    if (!head.success || head.data.request_body_bytes > bytes.length) return false;
    this.#exchanges.push(exchangeOf(head.data, bytes));
    this.#bytes += bytes.length;
    while (this.#exchanges.length > EXCHANGE_LIMITS.count || this.#bytes > EXCHANGE_LIMITS.runBytes) {
      const oldest = this.#exchanges.shift() as Exchange;
      this.#bytes -= oldest.request_body.length + oldest.body.length;
    }
    return true;
  }

  setPage(sent: unknown): boolean {
    const page = pageSeenSchema.safeParse(sent);
    if (page.success) this.#page = page.data;
    return page.success;
  }

  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  get page(): PageSeen | null {
    return this.#page;
  }

  /** How much there is to see: the exchanges, and the page as one more. */
  get count(): number {
    return this.#exchanges.length + (this.#page ? 1 : 0);
  }

  /** Approximate memory that it takes. */
  get bytes(): number {
    const { picture, html } = this.#page ?? { picture: null, html: null };
    return this.#bytes + 2_048 * this.count + (picture?.length ?? 0) + 2 * (html?.length ?? 0);
  }
}

/** Data is often a small part of what was read from the pipe at once, which it would keep in memory. */
const ownBytes = (data: Buffer): Buffer => (2 * data.length < data.buffer.byteLength ? Buffer.from(data) : data);
