/** Limits of queues. `@trawl/storage` and the backend check them. */
export const QUEUE_LIMITS = {
  /** Number of queues of an account, those that are being emptied included. */
  queues: 1_000,
  /** Number of requests that a queue knows, those that are done included. */
  requests: 10_000_000,
  /** Bytes that each request and each host takes beside its texts. They count as storage. */
  overheadBytes: 200,
  /** Number of requests of one call, and those that a run may have taken at the same time. */
  requestsAtOnce: 1_000,
  urlBytes: 8_192,
  /** Size of `userData` as JSON text. */
  dataBytes: 64 * 1024,
  hostChars: 262,
  errorChars: 500,
  priority: 100,
  delayMs: 30 * 24 * 3_600_000,
  /** After this time without use, a queue is deleted. */
  unusedDays: 30,
} as const;

/** A name of a queue. */
export const QUEUE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
