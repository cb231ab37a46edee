import {
  EXCHANGE_LIMITS,
  type Exchange,
  exchangeHeadSchema,
  exchangeOf,
  type PageSeen,
  pageSeenSchema,
} from '@trawl/contracts';

/** The runner sends its exchanges and its page once, at the end of a run, so it needs half as many messages. */
const MAX_MESSAGES = 2 * EXCHANGE_LIMITS.count;
/** Memory for the heads and bodies of all exchanges of a run. Real heads have a few kilobytes each. */
const MAX_BYTES = EXCHANGE_LIMITS.runBytes + EXCHANGE_LIMITS.runHeadBytes;

/** The last exchanges and the last page of a run, as its process has sent them. */
export class RunExchanges {
  #exchanges: Exchange[] = [];
  /** Bytes of each exchange. */
  readonly #sizes = new Map<Exchange, number>();
  #bytes = 0;
  #messages = 0;
  #page: PageSeen | null = null;

  /**
   * Returns whether the message was valid. A run may send anything, so the oldest exchanges give way at the limits.
   *
   * @param lineChars length of the message as JSON
   */
  add(sentHead: unknown, data: Buffer | null, lineChars: number): boolean {
    if (!this.#hasTurn()) return false;
    const head = exchangeHeadSchema.safeParse(sentHead);
    const bytes = ownBytes(data ?? Buffer.alloc(0));
    if (!head.success || head.data.request_body_bytes > bytes.length) return false;
    const exchange = exchangeOf(head.data, bytes);
    // A character takes up to two bytes.
    const size = bytes.length + 2 * lineChars;
    this.#exchanges.push(exchange);
    this.#sizes.set(exchange, size);
    this.#bytes += size;
    while (this.#exchanges.length > EXCHANGE_LIMITS.count || this.#bytes > MAX_BYTES) this.#forgetOldest();
    return true;
  }

  setPage(sent: unknown): boolean {
    if (!this.#hasTurn()) return false;
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

  /** Checking a message takes time, so a run that sends them without end is ignored. */
  #hasTurn(): boolean {
    this.#messages += 1;
    return this.#messages <= MAX_MESSAGES;
  }

  #forgetOldest(): void {
    const oldest = this.#exchanges.shift() as Exchange;
    this.#bytes -= this.#sizes.get(oldest) ?? 0;
    this.#sizes.delete(oldest);
  }
}

/** Data is often a small part of what was read from the pipe at once, which it would keep in memory. */
const ownBytes = (data: Buffer): Buffer => (2 * data.length < data.buffer.byteLength ? Buffer.from(data) : data);
