import { LRUCache } from 'lru-cache';
import type { RunnableSkript } from '../../skripts/bundles/bundles.service.js';
import type { CandidateWorker } from '../../workers/workers.repository.js';
import type { StartRequest } from './prepared-start.js';

/** The data that is looked up for a start: its skript, and the workers that its account may choose from. */
export interface StartLookups {
  skript: RunnableSkript;
  candidates: CandidateWorker[];
}

/** Entries stay in the cache only this long, so that starts soon consider a newly connected worker. */
const TTL_MS = 1_000;
const MAX_ENTRIES = 1_000;

/**
 * Caches the lookups of the last second. They may be outdated, so the insert compares them with the database.
 * See docs/decisions/0012-one-statement-per-start.md.
 */
export class StartCache {
  readonly #lookups = new LRUCache<string, StartLookups>({ max: MAX_ENTRIES, ttl: TTL_MS });

  get(ownerId: string, request: StartRequest): StartLookups | undefined {
    return this.#lookups.get(keyOf(ownerId, request));
  }

  set(ownerId: string, request: StartRequest, lookups: StartLookups): void {
    this.#lookups.set(keyOf(ownerId, request), lookups);
  }
}

const keyOf = (ownerId: string, { skriptId, workerId }: StartRequest): string => `${ownerId} ${skriptId} ${workerId}`;
