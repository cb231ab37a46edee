import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { StorageError } from '../protocol/storage-error.js';

/** The platform has the same limits, `QUEUE_LIMITS`. */
export const MAX_REQUESTS_AT_ONCE = 1_000;
export const MAX_URL_BYTES = 8_192;
export const MAX_DATA_BYTES = 64 * 1024;
export const MAX_ERROR_CHARS = 500;
export const MAX_PRIORITY = 100;
export const MAX_DELAY_MS = 30 * 24 * 3_600_000;
const MAX_HOST_CHARS = 262;
const MAX_SHOWN_CHARS = 80;
/** Most bytes of the texts of one call, which leave room for its other fields. */
export const MAX_BATCH_BYTES = 384 * 1024;

/** What `queue.add` accepts for a page. */
export interface RequestToAdd {
  url: string;
  /** The queue takes a request only once for each key. The default is the normalised URL. */
  uniqueKey?: string;
  /** Any value that JSON can hold. */
  userData?: unknown;
}

export interface EncodedRequest {
  fingerprint: Buffer;
  url: string;
  host: string;
  data: string | null;
}

/**
 * Encodes requests for calls, and checks all of them before the first call.
 *
 * @param name of the queue, for errors
 * @throws {TypeError} naming the request; {StorageError} `storage_too_large`
 */
export function encodeRequests(requests: Iterable<string | RequestToAdd>, name: string): EncodedRequest[][] {
  const batches: EncodedRequest[][] = [];
  let batch: EncodedRequest[] = [];
  let batchBytes = 0;
  let index = 0;
  for (const request of requests) {
    const encoded = encodeRequest(request, `queue('${name}').add: requests[${index++}]`);
    const bytes = bytesOf(encoded);
    if (batch.length === MAX_REQUESTS_AT_ONCE || batchBytes + bytes > MAX_BATCH_BYTES) {
      batches.push(batch);
      batch = [];
      batchBytes = 0;
    }
    batch.push(encoded);
    batchBytes += bytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Number of bytes that a request adds to a call, at most. */
export const bytesOf = ({ host, url, data }: EncodedRequest): number =>
  2 * host.length + url.length + Buffer.byteLength(data ?? '') + 64;

function encodeRequest(request: string | RequestToAdd, what: string): EncodedRequest {
  const { url: text, uniqueKey, userData } = typeof request === 'string' ? { url: request } : (request ?? {});
  if (typeof text === 'string' && Buffer.byteLength(text) > MAX_URL_BYTES)
    throw tooLarge(what, 'its URL', text, MAX_URL_BYTES);
  const url = urlOf(text);
  if (!url) {
    throw new TypeError(
      `${what}: expected an address such as 'https://shop.example/page', or { url, uniqueKey, userData }; you sent ${shown(text ?? request)}.`,
    );
  }
  if (uniqueKey !== undefined && (typeof uniqueKey !== 'string' || uniqueKey === '')) {
    throw new TypeError(`${what}: expected a text as uniqueKey; you sent ${shown(uniqueKey)}.`);
  }
  if (url.href.length > MAX_URL_BYTES) throw tooLarge(what, 'its URL', url.href, MAX_URL_BYTES);
  if (url.host.length > MAX_HOST_CHARS) throw new TypeError(`${what}: the host's name is too long.`);
  const data = userData === undefined ? null : jsonOf(userData, what);
  if (data && Buffer.byteLength(data) > MAX_DATA_BYTES) throw tooLarge(what, 'its userData', data, MAX_DATA_BYTES);
  return { fingerprint: fingerprintOf(uniqueKey ?? normalised(url)), url: url.href, host: url.host, data };
}

/** Parses an address of HTTP. `URL.canParse` would parse it twice. */
function urlOf(text: unknown): URL | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Two addresses are the same page if they differ in the fragment or the order of the parameters. */
function normalised(url: URL): string {
  // Nearly all addresses are normalised already, and a copy takes as long as all other work on an address.
  if (!/[#&]/.test(url.href)) return url.href;
  const same = new URL(url);
  same.hash = '';
  if (same.search.includes('&')) same.searchParams.sort();
  return same.href;
}

/** The id of the request with this fingerprint, as the platform writes it. */
export const idOf = (fingerprint: Buffer): string =>
  fingerprint.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const fingerprintOf = (key: string): Buffer => hash('sha256', key, 'buffer').subarray(0, 16);

function jsonOf(userData: unknown, what: string): string {
  try {
    const text = JSON.stringify(userData);
    if (text !== undefined) return text;
  } catch {
    // The error below names the value.
  }
  throw new TypeError(`${what}: JSON cannot hold its userData: ${shown(userData)}.`);
}

const tooLarge = (what: string, part: string, text: string, limit: number): StorageError =>
  new StorageError(
    'storage_too_large',
    `${what}: ${part} is ${Buffer.byteLength(text)} bytes; the limit is ${limit}. It begins with ${shown(text)}.`,
  );

const shown = (value: unknown): string =>
  inspect(typeof value === 'string' ? value.slice(0, MAX_SHOWN_CHARS) : value, {
    depth: 0,
    breakLength: Infinity,
  }).slice(0, MAX_SHOWN_CHARS + 2);
