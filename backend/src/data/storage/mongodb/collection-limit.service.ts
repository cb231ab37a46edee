import { Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import { LRUCache } from 'lru-cache';
import type { mongo } from 'mongoose';
import { ApiError } from '../../../platform/common/errors.js';
import { READ } from './call-options.js';
import { CHANGES_PREFIX, collectionNameProblem, ITEMS_PREFIX, REPLAY_PREFIX, ROWS_PREFIX } from './collection-names.js';
import { StorageFailure } from './storage-failures.js';

/** Limit for one database, because MongoDB keeps several files open for each collection. */
export const MAX_COLLECTIONS = 1_000;
/** Short, because other backends may drop collections. */
const CACHE_MS = 60_000;
const MAX_CACHED_DATABASES = 1_000;
/**
 * Index by which MongoDB stores the key of a row once for a run and its retries. Rows without a key are not in it.
 * MongoDB uses it for a filter that is equal to texts, because that implies `$gt: ''`. It does not infer a `$type`.
 */
const ROW_KEYS = {
  name: 'keys_of_rows',
  key: { _first: 1, _key: 1 },
  unique: true,
  partialFilterExpression: { _first: { $gt: '' }, _key: { $gt: '' } },
} satisfies mongo.IndexDescription;
const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;
const TIME_LIMIT = 50;

/**
 * Enforces the limit on collections per database. MongoDB would create a collection with its first document. So before
 * a write to an unknown collection, this service creates it, one at a time per database.
 * See docs/decisions/0073-users-data-in-mongodb.md.
 */
@Injectable()
export class CollectionLimitService {
  /** Tests set a smaller limit. */
  maxCollections = MAX_COLLECTIONS;
  readonly #cache = new LRUCache<string, Set<string>>({ max: MAX_CACHED_DATABASES, ttl: CACHE_MS });
  /** For each database, the promise of the last queued creation. The next creation waits for it. */
  readonly #pending = new Map<string, Promise<unknown>>();

  /** Returns whether rows with a key were ever stored in the collection. Otherwise, a search for one reads all its rows. */
  async hasRowKeys(db: mongo.Db, name: string): Promise<boolean> {
    try {
      return await db.collection(name).indexExists(ROW_KEYS.name);
    } catch (error) {
      if ((error as { code?: unknown }).code === NAMESPACE_NOT_FOUND) return false;
      throw error;
    }
  }

  /** Creates the collection if it does not exist. Call it before a write. @throws {ApiError} 429 `quota_exceeded`. */
  async ensure(db: mongo.Db, name: string): Promise<void> {
    if (!this.#isCached(db, name)) await this.#serialize(db, () => this.#make(db, name, false));
  }

  /**
   * Creates the index of row keys if it does not exist. Only collections with keyed rows have it, because each index is
   * an open file. Call it before each write, because the user may have deleted the index, and no row is found without it.
   *
   * @throws {StorageFailure} `storage_rejected` if the documents do not allow the index, or are too many to build it in time
   */
  async ensureRowKeys(collection: mongo.Collection, maxTimeMS: number): Promise<void> {
    try {
      await collection.createIndexes([ROW_KEYS], { maxTimeMS });
    } catch (error) {
      throw noRowKeys(error as DriverError, collection.collectionName, maxTimeMS) ?? error;
    }
  }

  /** @throws {ApiError} 409 `name_taken`, 429 `quota_exceeded`. */
  create(db: mongo.Db, name: string): Promise<void> {
    return this.#serialize(db, () => this.#make(db, name, true));
  }

  /** Removes the cached names of a database. Call it after collections were dropped or renamed. */
  forget(dbName: string): void {
    this.#cache.delete(dbName);
  }

  async #make(db: mongo.Db, name: string, mustBeNew: boolean): Promise<void> {
    if (!mustBeNew && this.#isCached(db, name)) return;
    const names = await collectionsIn(db);
    if (!names.includes(name)) {
      if (names.length >= this.maxCollections) throw limitReached(names.length, this.maxCollections);
      await create(db, name);
    } else if (mustBeNew) {
      throw nameTaken(name);
    }
    this.#cache.set(db.databaseName, new Set([...names, name]));
  }

  #isCached({ databaseName }: mongo.Db, name: string): boolean {
    return this.#cache.get(databaseName)?.has(name) === true;
  }

  #serialize({ databaseName }: mongo.Db, work: () => Promise<void>): Promise<void> {
    const previous = this.#pending.get(databaseName) ?? Promise.resolve();
    const done = previous
      .catch(() => undefined)
      .then(work)
      .finally(() => {
        if (this.#pending.get(databaseName) === done) this.#pending.delete(databaseName);
      });
    this.#pending.set(databaseName, done);
    return done;
  }
}

/** The indexes of collections that Trawl writes to, by the prefix of their names. Each is an open file. */
const INDEXES: Record<string, mongo.IndexDescription[]> = {
  // By run, in the order of pushing, and by time.
  [ROWS_PREFIX]: [{ key: { _run: 1, _id: 1 } }, { key: { _at: 1 } }],
  // MongoDB deletes rows of replays when the records that they replay are too old.
  [REPLAY_PREFIX]: [
    { key: { _run: 1, _id: 1 } },
    { key: { _at: 1 }, expireAfterSeconds: LIMITS.recordDays * 24 * 60 * 60 },
  ],
  [ITEMS_PREFIX]: [{ key: { _changed_at: 1, _id: 1 } }],
  // The id of a change begins with that of its run, so this has the newest change of an item last.
  [CHANGES_PREFIX]: [{ key: { _item: 1, _id: 1 } }, { key: { _run: 1, kind: 1, _id: 1 } }],
};

/** Creates a collection. One that Trawl writes to gets its indexes in the same step. */
async function create(db: mongo.Db, name: string): Promise<void> {
  const indexes = Object.entries(INDEXES).find(([prefix]) => name.startsWith(prefix))?.[1];
  if (indexes) await db.collection(name).createIndexes(indexes);
  else await db.createCollection(name);
}

interface DriverError {
  code?: unknown;
  keyValue?: Record<string, unknown>;
}

/** Returns the failure for an error of building the index of row keys; null for an error with another cause. */
function noRowKeys({ code, keyValue }: DriverError, name: string, maxTimeMS: number): StorageFailure | null {
  if (code === DUPLICATE_KEY) {
    return new StorageFailure(
      'storage_rejected',
      `Several documents of ${name} have the same texts in the fields _first and _key: ${JSON.stringify(keyValue).slice(0, 500)}. Rows with a key need these fields for themselves. Rename them in the other documents, or delete those.`,
    );
  }
  if (code === TIME_LIMIT) {
    return new StorageFailure(
      'storage_rejected',
      `The first row with a key needs an index on ${name}, and MongoDB did not build it within ${maxTimeMS / 1_000} s. Push again when MongoDB has less to do. If that fails too, delete rows that you no longer need.`,
    );
  }
  return null;
}

/** Lists the names of the user's collections, without MongoDB's own. */
export async function collectionsIn(db: mongo.Db): Promise<string[]> {
  const found = await db.listCollections({ type: 'collection' }, { ...READ, nameOnly: true }).toArray();
  return found.map(({ name }) => name).filter(name => collectionNameProblem(name) === null);
}

export const nameTaken = (name: string): ApiError =>
  new ApiError('name_taken', `This database already has a collection named ${name}. Choose another name.`);

const limitReached = (count: number, limit: number): ApiError =>
  new ApiError('quota_exceeded', `The database has ${count} collections; the limit is ${limit}. Drop one first.`);
