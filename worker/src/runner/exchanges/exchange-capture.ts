import { CapturedExchange } from './captured-exchange.js';
import { captureHttp } from './http-capture.js';
import { type ExchangeStart, OpenExchange } from './open-exchange.js';
import { captureUndici } from './undici-capture.js';

/** Receives the exchanges of a run. */
export interface ExchangeConsumer {
  /** Size to which each body is captured. */
  readonly bodyBytes: number;
  /** Whether it gets the exchanges of pages, too. */
  readonly seesPages?: boolean;
  begun?(exchange: OpenExchange): void;
  /** Called for each piece of a body. */
  grown?(exchange: OpenExchange): void;
  /** The answer is complete, or the exchange has failed. `toExchange` returns it. */
  ended?(exchange: OpenExchange): void;
}

/**
 * Captures the HTTP exchanges of the current run, whichever library makes them. It only looks: it delays nothing, and a
 * body reaches the skript as without it.
 */
export class ExchangeCapture {
  readonly #consumers: ExchangeConsumer[] = [];
  #sequence = 0;
  /** Increased at the start of a run, so that late exchanges of the run before belong to none. */
  #run = 0;
  #isOn = false;

  /** @param onEnd is called for each exchange that is over, before its consumers */
  constructor(private readonly onEnd: (exchange: OpenExchange) => void = () => {}) {}

  /** Captures for this consumer too, from the next exchange on. */
  add(consumer: ExchangeConsumer): void {
    this.#consumers.push(consumer);
  }

  remove(consumer: ExchangeConsumer): void {
    const at = this.#consumers.indexOf(consumer);
    if (at !== -1) this.#consumers.splice(at, 1);
  }

  /** Call it once, before a run. */
  install(): void {
    const begin = (start: ExchangeStart) => this.begin(start);
    captureHttp(begin);
    captureUndici(begin);
  }

  /** Begins a run. Exchanges of the run before are forgotten. */
  start(): void {
    this.#isOn = true;
    this.#run += 1;
    this.#sequence = 0;
  }

  stop(): void {
    this.#isOn = false;
    this.#run += 1;
  }

  /** Returns null if nothing captures at the moment. */
  begin(start: ExchangeStart): CapturedExchange | null {
    // A tunnel is no exchange: those inside it are captured themselves.
    if (!this.#isOn || start.method === 'CONNECT') return null;
    const consumers = start.via === 'browser' ? this.#consumers.filter(({ seesPages }) => seesPages) : this.#consumers;
    if (consumers.length === 0) return null;
    this.#sequence += 1;
    let bodyBytes = 0;
    for (const consumer of consumers) bodyBytes = Math.max(bodyBytes, consumer.bodyBytes);
    const exchange = new OpenExchange(this.#sequence, start, bodyBytes, consumers.length > 1);
    const run = this.#run;
    const tell = (event: 'begun' | 'grown' | 'ended') => {
      if (run !== this.#run) return;
      if (event === 'ended') this.onEnd(exchange);
      for (const consumer of consumers) consumer[event]?.(exchange);
    };
    tell('begun');
    return new CapturedExchange(exchange, tell);
  }
}
