/**
 * Operations of a skript on its MongoDB databases. `next` and `close` need a cursor that `find` or `aggregate` has
 * returned.
 */
export const STORAGE_METHODS = [
  'insertMany',
  'upsertRows',
  'find',
  'aggregate',
  'next',
  'close',
  'countDocuments',
  'distinct',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'createIndex',
] as const;
export type StorageMethod = (typeof STORAGE_METHODS)[number];

/**
 * Operations of a skript on a session: the login to a site that runs share. `collection` is the name of the session.
 */
export const SESSION_METHODS = ['openSession', 'saveSession', 'releaseSession'] as const;
export type SessionMethod = (typeof SESSION_METHODS)[number];

/** Operations of a skript on its queues. */
export const QUEUE_METHODS = ['queueAdd', 'queueTake', 'queueSettle', 'queueCounts', 'queueDrop'] as const;
export type QueueMethod = (typeof QUEUE_METHODS)[number];

/** Operations of a polite run on the budgets of domains. */
export const POLITE_METHODS = ['reserveSlots', 'closeDomain', 'setCrawlDelay'] as const;
export type PoliteMethod = (typeof POLITE_METHODS)[number];

/** Operations of a run on the pools of proxies. */
export const PROXY_METHODS = ['takeProxies', 'reportProxies'] as const;
export type ProxyMethod = (typeof PROXY_METHODS)[number];
