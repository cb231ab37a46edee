import * as z from 'zod';
import { EXCHANGE_LIMITS, EXCHANGE_SOURCES } from './exchanges.js';

const count = z.int().nonnegative();
const headersSchema = z
  .array(z.tuple([z.string().max(EXCHANGE_LIMITS.headerChars), z.string().max(EXCHANGE_LIMITS.headerChars)]))
  .max(2 * EXCHANGE_LIMITS.headers);

const commonFields = {
  sequence: count,
  started_at: z.iso.datetime(),
  duration_ms: count.nullable(),
  via: z.enum(EXCHANGE_SOURCES),
  method: z.string().max(40),
  url: z.string().max(EXCHANGE_LIMITS.urlChars),
  request_headers: headersSchema,
  status: z.int().min(0).max(9_999).nullable(),
  status_text: z.string().max(EXCHANGE_LIMITS.headerChars),
  response_headers: headersSchema,
  body_bytes: count,
  is_cut: z.boolean(),
  error: z.string().max(EXCHANGE_LIMITS.errorChars).nullable(),
};

/** Redaction may make headers longer, so that only those that a run sends have this limit. */
const sentHeadersSchema = headersSchema.refine(
  headers =>
    headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0) <= EXCHANGE_LIMITS.allHeaderChars,
);

/** An exchange as the process of a run sends it to the worker; its bodies follow as data. */
export const exchangeHeadSchema = z.object({
  ...commonFields,
  request_headers: sentHeadersSchema,
  response_headers: sentHeadersSchema,
  request_body_bytes: count,
});

/** How the body of a kept exchange is written. */
export const BODY_ENCODINGS = ['text', 'base64'] as const;

/** A body without its compression. Text is as in its character set, and anything else is base64. */
export const keptBodySchema = z.object({ encoding: z.enum(BODY_ENCODINGS), data: z.string() });
export type KeptBody = z.infer<typeof keptBodySchema>;

/** An exchange without secrets, as the platform keeps it. A body is null if there is none, or if it could not be kept. */
export const keptExchangeSchema = z.object({
  ...commonFields,
  request_body: keptBodySchema.nullable(),
  body: keptBodySchema.nullable(),
});
export type KeptExchange = z.infer<typeof keptExchangeSchema>;

/** The page that a run used last. `picture` is a `data:` URL. */
export const pageSeenSchema = z.object({
  title: z.string().max(EXCHANGE_LIMITS.pageTextChars),
  url: z.string().max(EXCHANGE_LIMITS.urlChars),
  picture: z
    .string()
    .max(600_000)
    .regex(/^data:image\/jpeg;base64,[A-Za-z0-9+/]+=*$/)
    .nullable(),
  html: z.string().max(100_000).nullable(),
  /** The last lines of the page's console. */
  console: z.array(z.object({ type: z.string().max(40), text: z.string().max(EXCHANGE_LIMITS.pageTextChars) })).max(50),
});
export type PageSeen = z.infer<typeof pageSeenSchema>;

/** All that a run saw last. The worker sends it as gzipped JSON, if the platform asks for it. */
export const evidenceSchema = z.object({
  exchanges: z.array(keptExchangeSchema).max(EXCHANGE_LIMITS.count),
  page: pageSeenSchema.nullable(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Maximum size of evidence as gzipped JSON, and as JSON. */
export const EVIDENCE_BYTES = 8 * 1024 * 1024;
export const EVIDENCE_JSON_BYTES = 16 * 1024 * 1024;
