import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Exchange } from '@trawl/contracts';
import { packExchange } from '../../records/pack-exchange.js';
import { RECORD_HEAD, RECORD_LIMITS } from '../../records/record-format.js';
import type { ExchangeConsumer } from '../exchanges/exchange-capture.js';
import type { OpenExchange } from '../exchanges/open-exchange.js';
import { RecordRedaction } from './record-redaction.js';
import { requestKey } from './request-key.js';

const unpackers: Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};
/** Headers that describe how the body was sent. A replay sends it in its own way. */
const TRANSPORT_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The parts of an exchange that a record needs. */
export type RecordableExchange = Pick<
  Exchange,
  | 'method'
  | 'url'
  | 'request_headers'
  | 'request_body'
  | 'status'
  | 'status_text'
  | 'response_headers'
  | 'body'
  | 'is_cut'
  | 'error'
>;

/** Records the exchanges of a run, redacted, for replay. */
export class Recorder implements ExchangeConsumer {
  readonly bodyBytes = RECORD_LIMITS.bodyBytes;
  readonly #redaction: RecordRedaction;
  readonly #send: (bytes: Buffer) => void;
  readonly #warn: (text: string) => void;
  #bytes = RECORD_HEAD.length;
  #exchanges = 0;
  #isFull = false;
  /** Exchanges are packed one after the other, in the order of their ends. */
  #last: Promise<void> = Promise.resolve();

  /**
   * @param secret JSON text of the input secret
   * @param send appends bytes to the record
   */
  constructor(secret: string | null, send: (bytes: Buffer) => void, warn: (text: string) => void) {
    this.#redaction = new RecordRedaction(secret);
    this.#send = send;
    this.#warn = warn;
    send(Buffer.from(RECORD_HEAD));
  }

  ended(open: OpenExchange): void {
    const exchange = open.toExchange(this.bodyBytes);
    // `PageRecorder` has the whole bodies of these.
    if (exchange.via !== 'browser') this.add(exchange);
  }

  add(exchange: RecordableExchange): void {
    this.#last = this.#last.then(() => this.#add(exchange));
  }

  /** Resolves when all exchanges that have ended are in the record. */
  finish(): Promise<void> {
    return this.#last;
  }

  async #add(exchange: RecordableExchange): Promise<void> {
    if (this.#isFull || !/^https?:/.test(exchange.url)) return;
    const isTooLarge = () =>
      this.#warn(
        `The record of this run lacks ${exchange.method} ${exchange.url}: its body has more than ${RECORD_LIMITS.bodyBytes / 1024 / 1024} MB. A replay misses it.`,
      );
    if (exchange.is_cut) return isTooLarge();
    const { method, url, status, status_text, error, request_headers, request_body, response_headers } = exchange;
    const body = await decoded(exchange);
    if (body === null) return isTooLarge();
    const headers = this.#redaction
      .headers(response_headers)
      .filter(([name]) => !TRANSPORT_HEADERS.has(name.toLowerCase()));
    const key = requestKey({ method, url, headers: request_headers, body: request_body }, this.#redaction);
    const answer = { status: error === null ? (status ?? 0) : 0, status_text, headers, error };
    const packed = await packExchange({ ...key, ...answer }, this.#redaction.body(body));
    if (packed === null) return isTooLarge();
    if (this.#bytes + packed.length > RECORD_LIMITS.recordBytes || this.#exchanges >= RECORD_LIMITS.exchanges) {
      this.#isFull = true;
      this.#warn(
        `The record of this run is full: it has ${this.#exchanges} exchanges and ${this.#bytes} bytes. A replay misses the exchanges from ${method} ${url} on.`,
      );
      return;
    }
    this.#bytes += packed.length;
    this.#exchanges += 1;
    this.#send(packed);
  }
}

/** Returns the body of an answer without its content encoding; null if it is too large. */
async function decoded({ body, response_headers }: RecordableExchange): Promise<Buffer | null> {
  const encoding = response_headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1] ?? '';
  let bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (const name of encoding.toLowerCase().split(',').reverse()) {
    const unpack = unpackers[name.trim()];
    if (!unpack || bytes.length === 0) continue;
    try {
      bytes = await unpack(bytes, { maxOutputLength: RECORD_LIMITS.bodyBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
      // The library of the skript could not read this body either.
      return bytes;
    }
  }
  return bytes;
}
