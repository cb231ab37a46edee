import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../common/errors.js';

/** How often an attempt of a job waits for MongoDB or the PostgreSQL of users: about five minutes in all. */
export const MAX_OUTAGES = 14;
const MAX_WAIT_MS = 30_000;

/** Returns whether a database of users was down. */
export const isStorageOutage = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'storage_unavailable' || error.code === 'storage_outcome_unknown');

/**
 * Waits before a job tries again, longer after each outage.
 * @param outages number of outages before this one.
 * @param signal ends the wait when it aborts.
 */
export async function waitOutOutage(outages: number, signal?: AbortSignal): Promise<void> {
  const options = signal ? { signal } : {};
  await delay(Math.min(MAX_WAIT_MS, 500 * 2 ** outages), undefined, options).catch(() => undefined);
}
