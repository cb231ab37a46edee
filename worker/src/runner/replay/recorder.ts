import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { countText, EXCHANGE_LIMITS, type Exchange } from '@trawl/contracts';
import { packExchange } from '../../records/pack-exchange.js';
import { RECORD_HEAD, RECORD_LIMITS, RecordRefused, type RequestKey } from '../../records/record-format.js';
import { withoutAddressCredentials } from '../../redaction/credentials.js';
import type { ExchangeConsumer } from '../exchanges/exchange-capture.js';
import type { OpenExchange } from '../exchanges/open-exchange.js';
import { RecordRedaction } from './record-redaction.js';
import { requestKey } from './request-key.js';

const { brotliDecompress, constants, gunzip, inflate } = zlib;
/** Node 20 lacks zstd. Its types lack it too. */
const { zstdDecompress } = zlib as { zstdDecompress?: typeof gunzip };

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number; finishFlush: number }) => Promise<Buffer>;
const unpackers: Record<string, Unpack> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  ...(zstdDecompress && { zstd: promisify(zstdDecompress) }),
};
/** The value of zstd is that of ZSTD_e_flush. */
const FLUSHES: Record<string, number> = { br: constants.BROTLI_OPERATION_FLUSH, zstd: 1 };
/** Bodies that wait to be packed. Beyond this, an exchange is left out. */
const MB = 1024 * 1024;
const MAX_WAITING_BYTES = 64 * MB;
/** Bodies that are arriving. Beyond this, the exchange that grows is left out. */
const MAX_OPEN_BYTES = 64 * MB;
/** Bodies of requests that wait for the end of the run: a session may tell until then that they have a secret. */
const MAX_SENT_BYTES = 4 * MB;
const FORGOTTEN = 'a session became known after the run had sent too many bodies to find its values in them';
export const TOO_LARGE = `its body has more than ${RECORD_LIMITS.bodyBytes / MB} MB`;
/** `packExchange` refuses a head that is too large. */
const UNCUT = { urlChars: Infinity, headers: Infinity, headerChars: Infinity, allHeaderChars: Infinity };
const MAX_WARNED_CHARS = 500;
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

type Request = Pick<RecordableExchange, 'method' | 'url' | 'request_headers' | 'request_body'>;

/** An exchange without its answer. `told` counts the values of sessions that were known when it was hashed. */
interface LeftOut {
  key: RequestKey;
  told: number;
  packed: Buffer;
}

const NO_ANSWER = { status: 0, status_text: '', headers: [], error: null };

/** Records the exchanges of a run, redacted, for replay. */
export class Recorder implements ExchangeConsumer {
  readonly bodyBytes = RECORD_LIMITS.bodyBytes;
  readonly #redaction: RecordRedaction;
  readonly #send: (bytes: Buffer) => void;
  readonly #warn: (text: string) => void;
  /** Bytes of each open exchange. */
  readonly #open = new Map<OpenExchange, number>();
  #openBytes = 0;
  #bytes = RECORD_HEAD.length;
  #exchanges = 0;
  #isFull = false;
  /** Requests with a body, and the numbers of their exchanges. */
  #sent: { number: number; key: RequestKey; request: Request }[] = [];
  #sentBytes = 0;
  /**
   * Such requests without their body, by method and address. `told` counts the values of sessions that were known when the
   * request was hashed; it is infinite once the record has the address.
   */
  readonly #forgotten = new Map<string, { number: number; key: RequestKey; told: number }>();
  /** Number of values of sessions for which both have been looked through. */
  #told = 0;
  #waitingBytes = 0;
  /** Exchanges whose answer was not read to its end, and the first of them. */
  #unread = { count: 0, first: '' };
  /** Exchanges are packed one after the other, in the order of their ends. */
  #last: Promise<void> = Promise.resolve();

  /**
   * @param secret JSON text of the input secret
   * @param send appends bytes to the record
   */
  constructor(secret: string | null, send: (bytes: Buffer) => void, warn: (text: string) => void) {
    this.#redaction = new RecordRedaction(secret);
    this.#redaction.listenToSessions();
    this.#send = send;
    this.#warn = warn;
    send(Buffer.from(RECORD_HEAD));
  }

  begun(open: OpenExchange): void {
    this.#open.set(open, 0);
  }

  grown(open: OpenExchange): void {
    const before = this.#open.get(open);
    if (before === undefined) return;
    this.#openBytes += open.keptBytes - before;
    this.#open.set(open, open.keptBytes);
    const isCut = open.body.isCut || open.requestBody.isCut;
    if (!isCut && this.#openBytes <= MAX_OPEN_BYTES) return;
    this.#forget(open);
    const reason = isCut ? TOO_LARGE : `more than ${MAX_OPEN_BYTES / MB} MB of bodies arrive at the same time`;
    const exchange = open.toExchange(0, UNCUT);
    // A replay knows a request by its whole body.
    if (open.requestBody.bytes === 0) this.leaveOut(exchange, reason);
    else this.#lacks(exchange, reason);
    open.release(EXCHANGE_LIMITS.bodyBytes);
  }

  ended(open: OpenExchange): void {
    if (!this.#forget(open)) return;
    this.add(open.toExchange(this.bodyBytes, UNCUT));
    // What the run saw last may keep it until the end of the run.
    open.release(EXCHANGE_LIMITS.bodyBytes);
  }

  #forget(open: OpenExchange): boolean {
    this.#openBytes -= this.#open.get(open) ?? 0;
    return this.#open.delete(open);
  }

  add(exchange: RecordableExchange): void {
    const bytes = exchange.request_body.length + exchange.body.length;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.leaveOut(exchange, `more than ${MAX_WAITING_BYTES / MB} MB of bodies wait to be recorded`);
      return;
    }
    this.#waitingBytes += bytes;
    this.#last = this.#last
      .then(() => this.#add(exchange))
      .catch(async (error: Error) => {
        this.#lacks(exchange, error.message);
        this.#writeLeftOut(await this.#withoutAnswer(exchange, error.message));
      })
      .finally(() => {
        this.#waitingBytes -= bytes;
      });
  }

  /** Notes in the record that it lacks the answer to a request, and warns. */
  leaveOut(exchange: RecordableExchange, reason: string): void {
    this.#lacks(exchange, reason);
    const leftOut = this.#withoutAnswer(exchange, reason);
    this.#last = this.#last.then(async () => this.#writeLeftOut(await leftOut));
  }

  /** Warns that it does not get some of the requests. */
  lacks(requests: string): void {
    this.#warn(`The record of this run lacks ${requests}. A replay has no answers for them.`);
  }

  /** Resolves when all exchanges that have got an answer are in the record. */
  async finish(): Promise<void> {
    for (const open of this.#open.keys()) {
      if (open.status !== null) this.add({ ...open.toExchange(this.bodyBytes, UNCUT), error: 'the run had ended' });
    }
    this.#open.clear();
    this.#openBytes = 0;
    await this.#last;
    await this.#addRedacted();
    const { count, first } = this.#unread;
    if (count === 0) return;
    this.#unread = { count: 0, first: '' };
    this.#warn(
      `The record of this run has ${countText(count, 'answer')} not read to the end, such as ${first}. A replay gives the part that had arrived.`,
    );
  }

  async #add(exchange: RecordableExchange): Promise<void> {
    if (this.#isFull || !/^https?:/.test(exchange.url)) return;
    const { method, status, status_text, error, response_headers } = exchange;
    const read = exchange.is_cut ? null : await decoded(exchange);
    if (read === null) throw new RecordRefused(TOO_LARGE);
    const { body, isDecoded: readable } = read;
    const headers = this.#redaction
      .headers(response_headers)
      .filter(([name]) => isKept(name.toLowerCase(), method, readable));
    // A later request must not take the place of an earlier one that is the same without the new values.
    await this.#addRedacted();
    const key = this.#keyOf(exchange);
    const answer = {
      status: status ?? 0,
      status_text: this.#redaction.text(status_text),
      headers,
      // A skript that does not read an answer to its end has an answer all the same.
      error: status === null ? this.#redaction.text(error ?? '').slice(0, EXCHANGE_LIMITS.errorChars) : null,
    };
    const packed = await packExchange({ ...key, ...answer }, this.#redaction.body(body));
    if (!this.#write(packed, exchange)) return;
    this.#keepRequest(key, exchange);
    if (status === null || error === null) return;
    this.#unread.first ||= this.#nameOf(exchange);
    this.#unread.count += 1;
  }

  /** Keeps the last request in the record until the end of the run, if it has a body. */
  #keepRequest(key: RequestKey, { method, url, request_headers, request_body }: Request): void {
    if (key.request === '') return;
    const bytes = this.#sentBytes + request_body.length;
    if (bytes <= MAX_SENT_BYTES) {
      this.#sentBytes = bytes;
      this.#sent.push({ number: this.#exchanges, key, request: { method, url, request_headers, request_body } });
    } else this.#forgetRequest(key, this.#told);
  }

  #forgetRequest(key: RequestKey, told: number): void {
    const address = `${key.method} ${key.url}`;
    if (key.request === '' || this.#forgotten.has(address)) return;
    this.#forgotten.set(address, { number: this.#exchanges, key, told });
    this.#told = Math.min(this.#told, told);
  }

  /** Adds the requests again that have values of sessions which the run did not know when they were added. */
  async #addRedacted(): Promise<void> {
    const add = async (exchange: RequestKey & { same_as: number; left_out?: string }) =>
      this.#write(await packExchange({ ...exchange, ...NO_ANSWER }, Buffer.alloc(0)).catch(() => null), exchange);
    // More values may become known meanwhile.
    while (this.#told !== this.#redaction.told) {
      const told = this.#redaction.told;
      this.#told = told;
      for (const one of this.#sent) {
        const redacted = this.#keyOf(one.request);
        if (redacted.request === one.key.request) continue;
        one.key = redacted;
        await add({ ...redacted, same_as: one.number });
      }
      for (const one of this.#forgotten.values()) {
        if (one.told >= told) continue;
        one.told = Infinity;
        const url = this.#redaction.text(one.key.url);
        await add({ ...one.key, url, request: '', same_as: one.number, left_out: FORGOTTEN });
      }
    }
  }

  /** Packs an exchange without its answer, so that a replay can say why it has none. Null if a record cannot have the request. */
  async #withoutAnswer(exchange: RecordableExchange, reason: string): Promise<LeftOut | null> {
    try {
      const left_out = reason.slice(0, EXCHANGE_LIMITS.errorChars);
      const { told } = this.#redaction;
      const key = this.#keyOf(exchange);
      return { key, told, packed: await packExchange({ ...key, ...NO_ANSWER, left_out }, Buffer.alloc(0)) };
    } catch {
      return null;
    }
  }

  #writeLeftOut(leftOut: LeftOut | null): void {
    if (leftOut && this.#write(leftOut.packed, leftOut.key)) this.#forgetRequest(leftOut.key, leftOut.told);
  }

  /** Returns whether it was written: a record may be full. */
  #write(packed: Buffer | null, exchange: Pick<RecordableExchange, 'method' | 'url'>): boolean {
    if (!packed || this.#isFull) return false;
    if (this.#bytes + packed.length > RECORD_LIMITS.recordBytes || this.#exchanges >= RECORD_LIMITS.exchanges) {
      this.#isFull = true;
      this.#warn(
        `The record of this run is full: it has ${this.#exchanges} exchanges and ${this.#bytes} bytes. A replay misses the exchanges from ${this.#nameOf(exchange)} on.`,
      );
      return false;
    }
    this.#bytes += packed.length;
    this.#exchanges += 1;
    this.#send(packed);
    return true;
  }

  #keyOf({ method, url, request_headers, request_body }: Request): RequestKey {
    return requestKey({ method, url, headers: request_headers, body: request_body }, this.#redaction);
  }

  #lacks(exchange: RecordableExchange, reason: string): void {
    this.#warn(`The record of this run lacks ${this.#nameOf(exchange)}: ${reason}. A replay misses it.`);
  }

  #nameOf({ method, url }: Pick<RecordableExchange, 'method' | 'url'>): string {
    return `${method} ${this.#redaction.text(withoutAddressCredentials(url)).slice(0, MAX_WARNED_CHARS)}`;
  }
}

/** Whether a header is part of the answer, and not of the way in which its body was sent. */
function isKept(name: string, method: string, isDecoded: boolean): boolean {
  // The answer to HEAD has no body, so its length is all that it says.
  if (name === 'content-length' && method.toUpperCase() === 'HEAD') return true;
  if (name === 'content-encoding' && !isDecoded) return true;
  return !TRANSPORT_HEADERS.has(name);
}

/** Returns the body of an answer without its content encoding, if Trawl knows it; null if it is too large. */
async function decoded({
  body,
  response_headers,
}: RecordableExchange): Promise<{ body: Buffer; isDecoded: boolean } | null> {
  const encoding = response_headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1] ?? '';
  const names = encoding
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity');
  let bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (names.some(name => !unpackers[name])) return { body: bytes, isDecoded: false };
  for (const name of names.reverse()) {
    const unpack = unpackers[name];
    if (!unpack || bytes.length === 0) continue;
    try {
      // The flush gives what has arrived of a body that lacks its end.
      const finishFlush = FLUSHES[name] ?? constants.Z_SYNC_FLUSH;
      bytes = await unpack(bytes, { maxOutputLength: RECORD_LIMITS.bodyBytes, finishFlush });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
      // The library of the skript could not read this body either.
      break;
    }
  }
  return { body: bytes, isDecoded: true };
}
