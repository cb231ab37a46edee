import type { ExchangeStart, OpenExchange } from './open-exchange.js';

/** Begins an exchange. Returns null if nothing captures at the moment. */
export type BeginExchange = (start: ExchangeStart) => CapturedExchange | null;

/** An exchange as the captures fill it. */
export class CapturedExchange {
  readonly #exchange: OpenExchange;
  readonly #tell: (event: 'grown' | 'ended') => void;

  constructor(exchange: OpenExchange, tell: (event: 'grown' | 'ended') => void) {
    this.#exchange = exchange;
    this.#tell = tell;
  }

  /** @param headers reads the headers when they are needed, which is rarely */
  sent(headers: OpenExchange['requestHeaders']): void {
    this.#exchange.requestHeaders = headers;
  }

  sentData(chunk: Uint8Array): void {
    if (!this.#exchange.isOpen) return;
    this.#exchange.requestBody.add(chunk);
    this.#tell('grown');
  }

  answered(status: number, statusText: string, headers: OpenExchange['responseHeaders']): void {
    this.#exchange.status = status;
    this.#exchange.statusText = statusText;
    this.#exchange.responseHeaders = headers;
  }

  data(chunk: Uint8Array): void {
    if (!this.#exchange.isOpen) return;
    this.#exchange.body.add(chunk);
    this.#tell('grown');
  }

  /** Notes that this much of the body arrived, and that it cannot be kept. */
  skipped(bytes: number): void {
    this.#exchange.body.skip(bytes);
  }

  /** Only the first call counts. */
  end(error: string | null = null): void {
    if (!this.#exchange.isOpen) return;
    this.#exchange.end(error);
    this.#tell('ended');
  }
}
