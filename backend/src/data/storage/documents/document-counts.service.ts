import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { mongo } from 'mongoose';
import { TOTAL_CAP } from '../../../platform/http/lists/list-query.js';
import { readFor } from '../access/mongo-access.service.js';
import { READ } from '../mongodb/call-options.js';

type Filter = Record<string, unknown>;
type Collection = mongo.Collection;

const MAX_CACHED = 10_000;
const CACHE_MS = 60_000;

/**
 * Counts the documents of a collection, but stops at `TOTAL_CAP + 1`. A real count reads the collection, so most answers
 * are MongoDB's estimate, corrected once a minute: after a crash of MongoDB the estimate may be wrong.
 */
@Injectable()
export class DocumentCountsService {
  readonly #running = new Map<string, Promise<number>>();
  readonly #queued = new Map<string, Promise<number>>();
  /** For each collection, how much the real number of documents differs from MongoDB's estimate. */
  readonly #differences = new LRUCache<string, number>({ max: MAX_CACHED, ttl: CACHE_MS });

  async upToCap(collection: Collection, filter: Filter): Promise<number> {
    return Object.keys(filter).length > 0 ? countUpToCap(collection, filter) : this.#shared(collection);
  }

  /**
   * Counts a collection for several callers at once. Callers that come while a count runs share the next count, which
   * starts after it.
   */
  #shared(collection: Collection): Promise<number> {
    const { namespace } = collection;
    const queued = this.#queued.get(namespace);
    if (queued) return queued;
    const running = this.#running.get(namespace);
    if (!running) return this.#start(collection);
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.#queued.delete(namespace);
        return this.#start(collection);
      });
    this.#queued.set(namespace, next);
    return next;
  }

  #start(collection: Collection): Promise<number> {
    const { namespace } = collection;
    const count = this.#countAll(collection).finally(() => {
      if (this.#running.get(namespace) === count) this.#running.delete(namespace);
    });
    this.#running.set(namespace, count);
    return count;
  }

  /**
   * Returns the number of all documents. MongoDB's estimate costs nothing but can be wrong after a crash. So at most
   * once a minute, a real count reads the collection and measures how wrong the estimate is; the difference corrects
   * later estimates.
   */
  async #countAll(collection: Collection): Promise<number> {
    const cached = this.#differences.get(collection.namespace);
    const estimate = await collection.estimatedDocumentCount(READ);
    if (cached !== undefined) return Math.max(0, estimate + cached);
    const counted = await countUpToCap(collection, {});
    // Save no difference if documents were written during the count: the numbers would differ because of the write.
    // Above the cap, the exact number does not matter, because it is never shown.
    const isSteady = (await collection.estimatedDocumentCount(READ)) === estimate;
    if (isSteady && (counted <= TOTAL_CAP || estimate > TOTAL_CAP)) {
      this.#differences.set(collection.namespace, counted <= TOTAL_CAP ? counted - estimate : 0);
    }
    return counted;
  }
}

const countUpToCap = (collection: Collection, filter: Filter): Promise<number> =>
  collection.countDocuments(filter, { ...readFor(filter), limit: TOTAL_CAP + 1 });
