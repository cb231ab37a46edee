import { LIMITS } from '../limits/limits.js';

/** Where an exchange was made: by Node's `http` and `https`, by undici and `fetch`, or by a page of the browser. */
export const EXCHANGE_SOURCES = ['http', 'undici', 'browser'] as const;
export type ExchangeSource = (typeof EXCHANGE_SOURCES)[number];

export type HeaderPair = [name: string, value: string];

/** One HTTP request of a run, and what came back. Bodies are as they were sent, so they may be compressed. */
export interface Exchange {
  /** Counts the exchanges of a run from 1, in the order in which they began. */
  sequence: number;
  /** ISO time. */
  started_at: string;
  /** Null if the exchange was not over when the run ended. */
  duration_ms: number | null;
  via: ExchangeSource;
  method: string;
  url: string;
  request_headers: HeaderPair[];
  request_body: Uint8Array;
  /** Null if no answer came. */
  status: number | null;
  status_text: string;
  response_headers: HeaderPair[];
  body: Uint8Array;
  /** Bytes of the body that arrived, of which `body` may have only the first. */
  body_bytes: number;
  /** Whether `body` or `request_body` lacks its end. */
  is_cut: boolean;
  /** Why the exchange failed; null if it did not. */
  error: string | null;
}

/**
 * An exchange in a message, whose data is the request body followed by the body. `request_body_bytes` says where the
 * first one ends.
 */
export interface ExchangeHead extends Omit<Exchange, 'request_body' | 'body'> {
  request_body_bytes: number;
}

/** Limits of what a run keeps of its exchanges in memory. */
export const EXCHANGE_LIMITS = {
  /** Number of exchanges; the last ones count. */
  count: 50,
  /** Size of one body. */
  bodyBytes: LIMITS.storageOperationBytes / 2,
  /** Size of all bodies together. */
  runBytes: 4 * 1024 * 1024,
  /** Size of all exchanges together without their bodies. */
  runHeadBytes: 1024 * 1024,
  urlChars: 8_000,
  /** Number of headers in each direction, and the length of one value. */
  headers: 100,
  headerChars: 8_000,
  /** Length of all names and values of headers in one direction. */
  allHeaderChars: 64 * 1024,
  errorChars: 2_000,
  /** Length of the title and of the address of a page, and of one line of its console. */
  pageTextChars: 2_000,
} as const;

/** Splits an exchange into the two parts of its message. */
export function exchangeParts({ request_body, body, ...head }: Exchange): { head: ExchangeHead; data: Uint8Array } {
  const data = new Uint8Array(request_body.length + body.length);
  data.set(request_body);
  data.set(body, request_body.length);
  return { head: { ...head, request_body_bytes: request_body.length }, data };
}

/** Joins the two parts of a message. */
export function exchangeOf({ request_body_bytes, ...head }: ExchangeHead, data: Uint8Array): Exchange {
  return { ...head, request_body: data.subarray(0, request_body_bytes), body: data.subarray(request_body_bytes) };
}
