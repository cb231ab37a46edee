/**
 * The format of a record: the HTTP exchanges of a run, for replay.
 *
 * A record begins with the line `RECORD_HEAD`. Each exchange is a line of JSON, its head, then `packed` bytes, then the end
 * of a line. The bytes are the body of the answer, gzipped if that makes it smaller: `packed` is their number, and `body`
 * that of the body itself. A reader finds all heads without unpacking a body, and knows each size before it reads.
 */
import { createHash } from 'node:crypto';
import { EXCHANGE_LIMITS, LIMITS } from '@trawl/contracts';
import * as z from 'zod';

export const RECORD_HEAD = '{"trawl_record":1}\n';

const MIB = 1024 * 1024;
export const RECORD_LIMITS = {
  /** Size of a whole record. */
  recordBytes: LIMITS.recordBytes,
  /** Size of the body of one answer. */
  bodyBytes: 16 * MIB,
  /** Size of the head of an exchange, which is a line of JSON. */
  headBytes: 256 * 1024,
  exchanges: 50_000,
} as const;

/** The parts of a request that a replay compares. */
export interface RequestKey {
  method: string;
  /** Without its fragment. */
  url: string;
  /** SHA-256 of the body, in hex; empty if there is none. */
  request: string;
}

/** HTTP allows these characters, which Node checks when it sends a header. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export const exchangeHeadSchema = z.strictObject({
  method: z.string().min(1).max(100),
  /** A redacted address need not be a URL. */
  url: z.string().regex(/^https?:\/\//, 'must begin with http:// or https://'),
  request: z.string().regex(/^([0-9a-f]{64})?$/, 'must be a SHA-256 in hex, or empty'),
  /** 0 if the request failed: then `error` says how. */
  status: z.int().refine(status => status === 0 || (status >= 200 && status <= 999), 'must be a status of HTTP'),
  status_text: z.string().max(1_000).regex(HEADER_VALUE),
  headers: z.array(z.tuple([z.string().regex(HEADER_NAME), z.string().regex(HEADER_VALUE)])).max(1_000),
  error: z.string().max(EXCHANGE_LIMITS.errorChars).nullable(),
  /** Why the record lacks the answer; missing if it has it. */
  left_out: z.string().max(EXCHANGE_LIMITS.errorChars).optional(),
  /**
   * Number of the earlier exchange, from 1, that has the answer. It is the same request, without values that the run did not
   * know to be secret when it sent them. A replay sends placeholders of them. With `left_out`, the run no longer has the
   * body: no request with a body to this address has an answer, because it could be that of another one.
   */
  same_as: z.int().min(1).max(RECORD_LIMITS.exchanges).optional(),
  packed: z.int().min(0).max(RECORD_LIMITS.bodyBytes),
  body: z.int().min(0).max(RECORD_LIMITS.bodyBytes),
});
export type ExchangeHead = z.infer<typeof exchangeHeadSchema>;

/** An exchange without the sizes, which follow from its body. */
export type RecordedExchange = Omit<ExchangeHead, 'packed' | 'body'>;

/** A record that Trawl refuses to read. The message says why. */
export class RecordRefused extends Error {}

/** Returns the text that is equal for requests that a replay answers in the same way. */
export const keyOf = ({ method, url, request }: RequestKey): string =>
  createHash('sha256')
    .update(`${method} ${withPlainPlaceholders(url)} ${request}`)
    .digest('base64');

/** Decodes placeholders of secrets, which a skript may have encoded for a URL or a form. */
export const withPlainPlaceholders = (text: string): string => text.replaceAll(/%5Bsecret%5D/gi, '[secret]');
