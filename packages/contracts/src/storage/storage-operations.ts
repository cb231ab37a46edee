import * as z from 'zod';
import type { RobotsMode } from '../limits/polite-limits.js';
import {
  POLITE_METHODS,
  type PoliteMethod,
  PROXY_METHODS,
  type ProxyMethod,
  QUEUE_METHODS,
  type QueueMethod,
  SESSION_METHODS,
  type SessionMethod,
  STORAGE_METHODS,
} from './storage-methods.js';

/**
 * One storage operation that a run sends to the backend.
 *
 * `args` and the result are BSON, each one object. Their fields depend on the method. `docs` is a Binary that contains
 * BSON documents one after another, so that worker and backend can pass documents on without decoding them.
 * - `insertMany`: `{ docs (each with _id), ordered: boolean }` → `{ inserted_count }`
 * - `upsertRows`: `{ docs (each with _id and _at), keys: (string | null)[] }` →
 *   `{ matched_count, modified_count, upserted_count }`. Each document with a key replaces the one with the same key that
 *   the run or an earlier attempt of it has stored
 * - `find`: `{ filter, projection?, sort?, skip?, limit?, batch_size? }` → `{ docs, cursor: string | null }`
 * - `aggregate`: `{ pipeline, batch_size? }` → `{ docs, cursor }`
 * - `next`: `{ cursor }` → `{ docs, cursor }`; `close`: `{ cursor }` → `{}`
 * - `countDocuments`: `{ filter }` → `{ count }`; `distinct`: `{ field, filter }` → `{ values }`
 * - `updateOne`, `updateMany`: `{ filter, update, upsert }` →
 *   `{ matched_count, modified_count, upserted_count, upserted_id }`
 * - `replaceOne`: `{ filter, replacement, upsert }` → the same
 * - `deleteOne`, `deleteMany`: `{ filter }` → `{ deleted_count }`
 * - `createIndex`: `{ keys, unique?, name? }` → `{ name }`
 *
 * `resend` is true if the operation was sent before and got no answer. The backend then runs it only if it is
 * idempotent, and answers all other operations with `storage_outcome_unknown`.
 *
 * `rows` is set if the operation inserts rows of the run: the number of rows that the run has stored once it succeeds.
 */
export const storageOperationSchema = z.strictObject({
  db: z.string().min(1).max(64).optional(),
  collection: z.string().min(1).max(120),
  method: z.enum(STORAGE_METHODS),
  args: z.custom<Uint8Array>(value => value instanceof Uint8Array, 'must be bytes'),
  resend: z.boolean(),
  rows: z.int32().positive().optional(),
});
export type StorageOperation = z.infer<typeof storageOperationSchema>;

/**
 * One operation on a queue: `collection` is its name. All are idempotent. Fingerprints are 16 bytes each, one after another:
 * - `queueAdd`: `{ fingerprints: Binary, urls: string[], hosts: string[], data: (string | null)[], priority, forefront }` →
 *   `{ states: Binary }`, a byte for each request: 0 new, 1 known, 2 known and done
 * - `queueTake`: `{ take, count }` → `{ requests: { id, url, data, retries }[], leased, due_ms: number | null }`. `take` counts
 *   the takes of the run; a repeated one gets the same requests. `leased` counts those of all runs, `due_ms` is when the
 *   first delayed request is due
 * - `queueSettle`: `{ fingerprints: Binary, takes: number[], outcomes: string, delays: number[], errors: (string | null)[] }`
 *   → `{}`. `outcomes` has a letter for each request: `x` done, `f` failed, `d` delayed, `w` given back
 * - `queueCounts`: `{}` → `{ waiting, taken, done, failed }`, numbers of requests
 * - `queueDrop`: `{}` → `{}`. Deletes the queue with its requests
 */
export const queueOperationSchema = z.strictObject({
  collection: z.string().min(1).max(120),
  method: z.enum(QUEUE_METHODS),
  args: z.custom<Uint8Array>(value => value instanceof Uint8Array, 'must be bytes'),
  resend: z.boolean(),
});
export type QueueOperation = z.infer<typeof queueOperationSchema>;

export const isQueueOperation = <Op extends { method: string }>(op: Op): op is Extract<Op, { method: QueueMethod }> =>
  QUEUE_METHODS.includes(op.method as QueueMethod);

/**
 * One operation on a session. All are idempotent. `holder` is an id that the run chose, `version` the version of the
 * value that it has, or null.
 * - `openSession`: `{ version, holder: string | null }` → `{ version, value?, expires, taken }`. `value`, JSON text, is
 *   there if its version is another one. With a holder, the operation takes the lease if it is free: `taken`
 * - `saveSession`: `{ value, version, new_version, expires: string | null, holder: string | null }` → `{ saved }`. Saves the
 *   value if the stored one still has the version, and nobody else holds the lease. Then it gives the lease back
 * - `releaseSession`: `{ holder }` → `{}`
 */
export const sessionOperationSchema = z.strictObject({
  collection: z.string().min(1).max(120),
  method: z.enum(SESSION_METHODS),
  args: z.custom<Uint8Array>(value => value instanceof Uint8Array, 'must be bytes'),
  resend: z.boolean(),
});
export type SessionOperation = z.infer<typeof sessionOperationSchema>;

export const isSessionOperation = <Op extends { method: string }>(
  op: Op,
): op is Extract<Op, { method: SessionMethod }> => SESSION_METHODS.includes(op.method as SessionMethod);

/**
 * One operation of a polite run. `args` and the result are JSON texts:
 * - `reserveSlots`: `{ domains: [domain, wanted, succeeded, holds?][] }` → `{ slots: DomainSlots[] }`. `succeeded`: the domain
 *   has answered this run since its last reservation, with a status that does not close it. `holds`: slots that the run has not
 *   used yet, and requests in progress; missing if the run knows of no limit of requests in progress at the domain
 * - `closeDomain`: `{ domain, retry_after_ms: number | null }` → `{ closed_ms }`
 * - `setCrawlDelay`: `{ domain, crawl_delay_ms }` → `{}`. The time between requests that robots.txt asks for; 0 for none
 */
export const politeOperationSchema = z.strictObject({
  method: z.enum(POLITE_METHODS),
  args: z.custom<Uint8Array>(value => value instanceof Uint8Array, 'must be bytes'),
  resend: z.boolean(),
});
export type PoliteOperation = z.infer<typeof politeOperationSchema>;

/**
 * Times at which a run may send requests to a domain: the first in `start_ms`, which may be negative, then one each
 * `interval_ms`. None are granted while the domain is closed, too many slots are reserved, or too many requests are in
 * progress: ask again in `wait_ms`.
 */
export interface DomainSlots {
  domain: string;
  granted: number;
  start_ms: number;
  interval_ms: number;
  wait_ms: number;
  is_closed: boolean;
  /** Missing from a platform that knows no robots.txt. */
  robots?: RobotsMode;
  /** The crawl delay of robots.txt that a run has reported; 0 for none. */
  crawl_delay_ms?: number;
  /** Whether requests in progress at the domain are limited, so that the run must tell how many it has. */
  is_limited?: boolean;
}

export const isPoliteOperation = <Op extends { method: string }>(op: Op): op is Extract<Op, { method: PoliteMethod }> =>
  POLITE_METHODS.includes(op.method as PoliteMethod);

/**
 * One operation of a run on a pool of proxies. `args` and the result are JSON texts:
 * - `takeProxies`: `{ pool, country?, tier? }` → `TakenProxies`. Not idempotent: each call shuffles the proxies
 * - `reportProxies`: `{ totals: ProxyUse[] }` → `{ rest: { id, rest_ms }[] }`, the reported proxies that rest now. A report
 *   contains totals of the run, so a repeat changes nothing, and the next report replaces a lost one
 */
export const proxyOperationSchema = z.strictObject({
  method: z.enum(PROXY_METHODS),
  args: z.custom<Uint8Array>(value => value instanceof Uint8Array, 'must be bytes'),
  resend: z.boolean(),
});
export type ProxyOperation = z.infer<typeof proxyOperationSchema>;

/**
 * At most `PROXY_LIMITS.takenAtOnce` proxies: those of a lower tier first, in a tier those that do not rest. `url` has user name
 * and password. `is_sticky`: a session keeps its proxy, even if the skript names no session.
 */
export interface TakenProxies {
  is_sticky: boolean;
  proxies: { id: string; url: string; tier: number; rest_ms: number }[];
}

/**
 * The use of a proxy by a run so far. A connection that the proxy opened is one of `connections`, a
 * connection that it did not open is one of `failures`. Bytes are those of both.
 */
export interface ProxyUse {
  id: string;
  connections: number;
  failures: number;
  bytes_sent: number;
  bytes_received: number;
}

export const isProxyOperation = <Op extends { method: string }>(op: Op): op is Extract<Op, { method: ProxyMethod }> =>
  PROXY_METHODS.includes(op.method as ProxyMethod);

/** Operations on something that the run names. */
export type NamedOperation = StorageOperation | SessionOperation | QueueOperation;

/** Any of these operations. */
export const runOperationSchema = z.union([
  storageOperationSchema,
  sessionOperationSchema,
  queueOperationSchema,
  politeOperationSchema,
  proxyOperationSchema,
]);

/**
 * The result as BSON, or an error.
 * - `inserted_count`: how many new documents an `insertMany` or `upsertRows` has stored although it failed
 * - `modified_count`: how many documents an `upsertRows` has replaced although it failed
 * - `is_default`: set if a write named the database that calls without a name reach
 */
export type StorageAnswer = (
  | { result: Uint8Array }
  | { error: { code: string; message: string; inserted_count?: number; modified_count?: number } }
) & { is_default?: true };
