import { createHash, createHmac, randomBytes } from 'node:crypto';

export const newWorkerKey = (): string => `trw_${randomBytes(32).toString('base64url')}`;

/** The database has only the hashes of keys. */
export const keyHashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/**
 * Derives the key of one process from the key of its group. A worker that repeats its `hello` gets the same key, although
 * the database has only its hash.
 */
export const processKey = (groupKey: string, workerId: string, bootId: string): string =>
  `trw_${createHmac('sha256', groupKey).update(`${workerId} ${bootId}`).digest('base64url')}`;
