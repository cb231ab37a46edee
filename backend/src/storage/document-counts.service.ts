import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { TOTAL_CAP } from '../common/list-query.js';
import { READ } from './mongo-access.service.js';

type Filter = Record<string, unknown>;
type Collection = mongo.Collection;

const CACHE_ENTRIES = 10_000;
const CACHE_MS = 60_000;

/** How many documents there are, counted up to `TOTAL_CAP + 1`. */
@Injectable()
export class DocumentCountsService {
  readonly #differences = new Map<string, { difference: number; until: number }>();

  async upToCap(collection: Collection, filter: Filter): Promise<number> {
    return Object.keys(filter).length > 0 ? countUpToCap(collection, filter) : this.#all(collection);
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
  collection.countDocuments(filter, { ...READ, limit: TOTAL_CAP + 1 });
