import { EXCHANGE_LIMITS, type Exchange, type ExchangeSource, type HeaderPair } from '@trawl/contracts';
import type { HeadLimits } from './header-pairs.js';

/** A body of more pieces is joined from time to time, because each piece costs memory besides its bytes. */
const MAX_PIECES = 64;

/** The bytes of a body that have arrived, of which it keeps the first. */
export class KeptBody {
  /** Bytes that have arrived. */
  bytes = 0;
  kept = 0;
  #limit: number;
  #chunks: Buffer[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Copies the chunk: a library may change it later, and it is often a small part of a large buffer. */
  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    const room = this.#limit - this.kept;
    if (room <= 0) return;
    const piece = Buffer.from(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#chunks.push(piece);
    this.kept += piece.length;
    if (this.#chunks.length > MAX_PIECES) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** Counts bytes that arrived elsewhere and are not kept. */
  skip(bytes: number): void {
    this.bytes += bytes;
  }

  /** Drops what it has kept, and keeps nothing more. */
  drop(): void {
    this.#limit = 0;
    this.#chunks = [];
    this.kept = 0;
  }

  get isCut(): boolean {
    return this.kept < this.bytes;
  }

  /** Keeps at most this much, also of what arrives later. */
  shrink(limit: number): void {
    if (this.kept > limit) {
      // A copy, so that the rest is freed.
      this.#chunks = [Buffer.from(this.read(limit))];
      this.kept = limit;
    }
    this.#limit = Math.min(this.#limit, limit);
  }

  read(maxBytes: number): Uint8Array {
    const [first] = this.#chunks;
    if (!first) return new Uint8Array();
    const all = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    return all.subarray(0, maxBytes);
  }
}

/** The beginning of an exchange, as a library reports it. */
export interface ExchangeStart {
  via: ExchangeSource;
  method: string;
  url: string;
}

/** An exchange from its beginning on. It is open until its answer is complete, or until it fails. */
export class OpenExchange {
  readonly requestBody: KeptBody;
  readonly body: KeptBody;
  requestHeaders: (limits: HeadLimits) => HeaderPair[] = () => [];
  responseHeaders: (limits: HeadLimits) => HeaderPair[] = () => [];
  status: number | null = null;
  statusText = '';
  isOpen = true;
  readonly #sequence: number;
  readonly #start: ExchangeStart;
  readonly #startedAt = Date.now();
  #endedAt: number | null = null;
  #error: string | null = null;

  #isShared: boolean;
  #isDropped = false;

  /** @param isShared whether several consumers use this exchange */
  constructor(sequence: number, start: ExchangeStart, bodyBytes: number, isShared: boolean) {
    this.#isShared = isShared;
    this.#sequence = sequence;
    this.#start = start;
    this.requestBody = new KeptBody(bodyBytes);
    this.body = new KeptBody(bodyBytes);
  }

  get via(): ExchangeSource {
    return this.#start.via;
  }

  get url(): string {
    return this.#start.url;
  }

  get keptBytes(): number {
    return this.requestBody.kept + this.body.kept;
  }

  /** Frees the bodies, or when another consumer has released them. */
  drop(): void {
    this.#isDropped = true;
    if (this.#isShared) return;
    this.requestBody.drop();
    this.body.drop();
  }

  /** Tells that the consumer of whole bodies needs them no longer. Others need at most this much of each. */
  release(bodyBytes: number): void {
    this.#isShared = false;
    if (this.#isDropped) this.drop();
    else for (const body of [this.requestBody, this.body]) body.shrink(bodyBytes);
  }

  end(error: string | null): void {
    this.isOpen = false;
    this.#endedAt = Date.now();
    this.#error = error;
  }

  /** @param bodyBytes maximum size of each body in the result */
  toExchange(bodyBytes: number, limits: HeadLimits = EXCHANGE_LIMITS): Exchange {
    const { requestBody, body } = this;
    const { url, ...start } = this.#start;
    return {
      sequence: this.#sequence,
      started_at: new Date(this.#startedAt).toISOString(),
      duration_ms: this.#endedAt === null ? null : this.#endedAt - this.#startedAt,
      ...start,
      url: url.slice(0, limits.urlChars),
      request_headers: this.requestHeaders(limits),
      request_body: requestBody.read(bodyBytes),
      status: this.status,
      status_text: this.statusText,
      response_headers: this.responseHeaders(limits),
      body: body.read(bodyBytes),
      body_bytes: body.bytes,
      is_cut: requestBody.isCut || body.isCut || requestBody.kept > bodyBytes || body.kept > bodyBytes,
      error: this.#error,
    };
  }
}
