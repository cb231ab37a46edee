import { EXCHANGE_LIMITS, type Exchange } from '@trawl/contracts';
import type { ExchangeConsumer } from './exchange-capture.js';
import type { OpenExchange } from './open-exchange.js';

/** Keeps the last exchanges of a run in memory, in case the run fails. */
export class LastExchanges implements ExchangeConsumer {
  readonly bodyBytes = EXCHANGE_LIMITS.bodyBytes;
  readonly seesPages = true;
  #kept: OpenExchange[] = [];
  #bytes = 0;
  /** Bytes that each kept exchange had when they were last counted; null if they were dropped. */
  readonly #counted = new Map<OpenExchange, number | null>();

  begun(exchange: OpenExchange): void {
    if (this.#kept.length >= EXCHANGE_LIMITS.count) this.#forgetOne();
    this.#kept.push(exchange);
    this.#counted.set(exchange, 0);
  }

  grown(exchange: OpenExchange): void {
    const before = this.#counted.get(exchange);
    if (before === undefined || before === null) return;
    const now = Math.min(exchange.keptBytes, 2 * this.bodyBytes);
    this.#counted.set(exchange, now);
    this.#bytes += now - before;
    if (this.#bytes > EXCHANGE_LIMITS.runBytes) this.#makeRoom(exchange);
  }

  /** Returns what is kept, oldest first, and forgets it. Exchanges that are still open have no duration. */
  take(): Exchange[] {
    const taken = this.#kept.map(exchange =>
      exchange.toExchange(this.#counted.get(exchange) === null ? 0 : this.bodyBytes),
    );
    this.#kept = [];
    this.#counted.clear();
    this.#bytes = 0;
    return taken;
  }

  /** Forgets the oldest exchange that is over: an answer that does not come may be the reason of a failure. */
  #forgetOne(): void {
    const over = this.#kept.findIndex(({ isOpen }) => !isOpen);
    const [forgotten] = this.#kept.splice(Math.max(0, over), 1);
    if (forgotten) this.#drop(forgotten, true);
  }

  /** Drops the oldest bodies first. */
  #makeRoom(growing: OpenExchange): void {
    for (const exchange of this.#kept) {
      if (this.#bytes <= EXCHANGE_LIMITS.runBytes) return;
      if (exchange !== growing) this.#drop(exchange, false);
    }
  }

  #drop(exchange: OpenExchange, isForgotten: boolean): void {
    this.#bytes -= this.#counted.get(exchange) ?? 0;
    if (isForgotten) this.#counted.delete(exchange);
    else this.#counted.set(exchange, null);
    exchange.drop();
  }
}
