import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { TOTAL_CAP } from '../common/list-query.js';
import { READ, readFor } from './mongo-access.service.js';

type Filter = Record<string, unknown>;
type Collection = mongo.Collection;

const CACHE_ENTRIES = 10_000;
const CACHE_MS = 60_000;

/** How many documents there are, counted up to `TOTAL_CAP + 1`. */
@Injectable()
export class DocumentCountsService {
  readonly #underWay = new Map<string, Promise<number>>();
  readonly #waiting = new Map<string, Promise<number>>();
  readonly #differences = new Map<string, { difference: number; until: number }>();

  async upToCap(collection: Collection, filter: Filter): Promise<number> {
    return Object.keys(filter).length > 0 ? countUpToCap(collection, filter) : this.#shared(collection);
  }

  /** Whoever asks while a collection is being counted shares the next count, which begins after they asked. */
  #shared(collection: Collection): Promise<number> {
    const { namespace } = collection;
    const waiting = this.#waiting.get(namespace);
    if (waiting) return waiting;
    const underWay = this.#underWay.get(namespace);
    if (!underWay) return this.#begin(collection);
    const next = underWay
      .catch(() => undefined)
      .then(() => {
        this.#waiting.delete(namespace);
        return this.#begin(collection);
      });
    this.#waiting.set(namespace, next);
    return next;
  }

  #begin(collection: Collection): Promise<number> {
    const { namespace } = collection;
    const count = this.#all(collection).finally(() => {
      if (this.#underWay.get(namespace) === count) this.#underWay.delete(namespace);
    });
    this.#underWay.set(namespace, count);
    return count;
  }

  /**
   * MongoDB keeps the number of a collection's documents, which costs nothing to ask for but is off by some after a
   * crash. Counting goes through the documents; so it is done once a minute, and tells how far that number is off.
   */
  async #all(collection: Collection): Promise<number> {
    const known = this.#differences.get(collection.namespace);
    const kept = await collection.estimatedDocumentCount(READ);
    if (known && known.until > Date.now()) return Math.max(0, kept + known.difference);
    const counted = await countUpToCap(collection, {});
    // What was written meanwhile would pass for a difference; and beyond the cap nobody is told the number.
    const isSteady = (await collection.estimatedDocumentCount(READ)) === kept;
    if (this.#differences.size >= CACHE_ENTRIES) this.#differences.clear();
    if (isSteady && (counted <= TOTAL_CAP || kept > TOTAL_CAP)) {
      const difference = counted <= TOTAL_CAP ? counted - kept : 0;
      this.#differences.set(collection.namespace, { difference, until: Date.now() + CACHE_MS });
    }
    return counted;
  }
}

const countUpToCap = (collection: Collection, filter: Filter): Promise<number> =>
  collection.countDocuments(filter, { ...readFor(filter), limit: TOTAL_CAP + 1 });
