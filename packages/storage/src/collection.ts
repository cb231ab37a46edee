import { ObjectId } from 'bson';
import { checkOptions } from './check-options.js';
import { Cursor, FindCursor } from './cursor.js';
import { encode, joinDocuments } from './protocol/bson-documents.js';
import type { Document, Sort } from './protocol/document.js';
import { StorageError } from './protocol/storage-error.js';
import { call, MAX_CALL_BYTES } from './storage-port.js';

export type Filter = Document;

export interface FindOptions {
  sort?: Sort;
  skip?: number;
  limit?: number;
  projection?: Document;
}

export interface InsertOneResult {
  acknowledged: true;
  insertedId: unknown;
}

export interface InsertManyResult {
  acknowledged: true;
  insertedCount: number;
  /** For the index of each document in the array, the `_id` of the document. */
  insertedIds: Record<number, unknown>;
}

export interface UpdateResult {
  acknowledged: true;
  matchedCount: number;
  modifiedCount: number;
  upsertedCount: number;
  upsertedId: unknown;
}

export interface DeleteResult {
  acknowledged: true;
  deletedCount: number;
}

interface Changed {
  matched_count: number;
  modified_count: number;
  upserted_count: number;
  upserted_id: unknown;
}

/** Size in bytes of an insertMany call without its documents. */
const ENVELOPE_BYTES = 64;

/** Maximum number of calls that an `insertMany` without order has in progress at the same time. */
const MAX_UNORDERED_CALLS = 4;

type InsertMethod = 'insertOne' | 'insertMany';

/** Names a call and one of its documents, for errors. */
const nameOf = (method: InsertMethod, index: number): string =>
  method === 'insertOne' ? 'insertOne: the document' : `insertMany: documents[${index}]`;

/** A collection in one of the user's databases. Every method can throw `StorageError`. */
export class Collection {
  readonly #namespace: { db: string | undefined; collection: string };

  constructor(db: string | undefined, name: string) {
    if (typeof name !== 'string' || name === '') {
      throw new TypeError(`mongo.collection: expected the collection's name, got ${JSON.stringify(name)}.`);
    }
    this.#namespace = { db, collection: name };
  }

  get collectionName(): string {
    return this.#namespace.collection;
  }

  /** Inserts one document. If the document has no `_id`, adds one to it, as the MongoDB driver does. */
  async insertOne(document: object): Promise<InsertOneResult> {
    const { insertedIds } = await this.#insertAll([document as Document], true, 'insertOne');
    return { acknowledged: true, insertedId: insertedIds[0] };
  }

  /**
   * Inserts documents in order. It splits them into calls of up to 512 KB. With `ordered: false` it continues after an
   * error for a duplicate key, and throws that error at the end. `insertedCount` of the error is the number of
   * documents that are stored.
   */
  async insertMany(documents: readonly object[], options: { ordered?: boolean } = {}): Promise<InsertManyResult> {
    if (!Array.isArray(documents) || documents.length === 0) {
      throw new TypeError(`${this.collectionName}.insertMany: expected an array with at least one document.`);
    }
    checkOptions(options, `${this.collectionName}.insertMany`, '{ ordered: false }');
    return this.#insertAll(documents as Document[], options.ordered ?? true, 'insertMany');
  }

  /** @param method that the skript called, for errors */
  async #insertAll(documents: Document[], ordered: boolean, method: InsertMethod): Promise<InsertManyResult> {
    const insertedIds: Record<number, unknown> = {};
    for (const [index, document] of documents.entries()) {
      if (document === null || typeof document !== 'object' || Array.isArray(document)) {
        throw new TypeError(`${this.collectionName}.${nameOf(method, index)} is not an object.`);
      }
      document._id ??= new ObjectId();
      insertedIds[index] = document._id;
    }
    return { acknowledged: true, insertedCount: await this.#insert(documents, ordered, method), insertedIds };
  }

  find(filter: Filter = {}, options: FindOptions = {}): FindCursor {
    return new FindCursor(this.#namespace, 'find', { filter, ...options });
  }

  /** Returns the first matching document, or null. */
  async findOne(filter: Filter = {}, options: Omit<FindOptions, 'limit'> = {}): Promise<Document | null> {
    const cursor = this.find(filter, { ...options, limit: 1 });
    const document = await cursor.next();
    await cursor.close();
    return document;
  }

  aggregate(pipeline: Document[] = []): Cursor {
    return new Cursor(this.#namespace, 'aggregate', { pipeline });
  }

  async countDocuments(filter: Filter = {}): Promise<number> {
    return (await call<{ count: number }>(this.#namespace, 'countDocuments', { filter })).count;
  }

  /** Returns the distinct values of `field` in the matching documents. */
  async distinct(field: string, filter: Filter = {}): Promise<unknown[]> {
    return (await call<{ values: unknown[] }>(this.#namespace, 'distinct', { field, filter })).values;
  }

  updateOne(filter: Filter, update: Document | Document[], options: { upsert?: boolean } = {}): Promise<UpdateResult> {
    return this.#change('updateOne', { filter, update }, options);
  }

  updateMany(filter: Filter, update: Document | Document[], options: { upsert?: boolean } = {}): Promise<UpdateResult> {
    return this.#change('updateMany', { filter, update }, options);
  }

  replaceOne(filter: Filter, replacement: object, options: { upsert?: boolean } = {}): Promise<UpdateResult> {
    return this.#change('replaceOne', { filter, replacement }, options);
  }

  deleteOne(filter: Filter = {}): Promise<DeleteResult> {
    return this.#delete('deleteOne', filter);
  }

  deleteMany(filter: Filter = {}): Promise<DeleteResult> {
    return this.#delete('deleteMany', filter);
  }

  /** Creates an index unless it exists, and returns its name. */
  async createIndex(keys: Sort, options: { unique?: boolean; name?: string } = {}): Promise<string> {
    return (await call<{ name: string }>(this.#namespace, 'createIndex', { keys, ...options })).name;
  }

  async #insert(documents: Document[], ordered: boolean, method: InsertMethod): Promise<number> {
    const maxCalls = ordered ? 1 : MAX_UNORDERED_CALLS;
    const calls = new Set<Promise<void>>();
    let insertedCount = 0;
    let failure: StorageError | undefined;
    let isStopped = false;
    const insert = async (docs: Uint8Array[]): Promise<void> => {
      try {
        const args = { docs: joinDocuments(docs), ordered };
        const { inserted_count } = await call<{ inserted_count: number }>(this.#namespace, 'insertMany', args, method);
        insertedCount += inserted_count;
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        failure ??= error;
        insertedCount += error.insertedCount ?? 0;
        isStopped ||= ordered || error.code !== 'storage_duplicate_key';
      }
    };
    try {
      // The loop encodes a batch while the calls before it are in progress.
      for (const docs of this.#batches(documents, method)) {
        if (calls.size >= maxCalls) await Promise.race(calls);
        if (isStopped) break;
        const inserted = insert(docs).finally(() => calls.delete(inserted));
        calls.add(inserted);
      }
    } finally {
      await Promise.all(calls);
    }
    if (failure) throw new StorageError(failure.code, failure.message, insertedCount);
    return insertedCount;
  }

  /** Encodes documents, and splits them into batches for one call each. */
  *#batches(documents: Document[], method: InsertMethod): Generator<Uint8Array[]> {
    let batch: Uint8Array[] = [];
    let batchBytes = ENVELOPE_BYTES;
    for (const [index, document] of documents.entries()) {
      const what = `${this.collectionName}.${nameOf(method, index)}`;
      const bytes = encode(document, what);
      if (bytes.length + ENVELOPE_BYTES > MAX_CALL_BYTES) {
        throw new StorageError(
          'storage_too_large',
          `${what} is ${bytes.length} bytes as BSON; the limit is ${MAX_CALL_BYTES}.`,
        );
      }
      if (batchBytes + bytes.length > MAX_CALL_BYTES) {
        yield batch;
        batch = [];
        batchBytes = ENVELOPE_BYTES;
      }
      batch.push(bytes);
      batchBytes += bytes.length;
    }
    yield batch;
  }

  async #change(method: string, args: Document, options: { upsert?: boolean }): Promise<UpdateResult> {
    checkOptions(options, `${this.collectionName}.${method}`, '{ upsert: true }');
    const { upsert = false } = options;
    const changed = await call<Changed>(this.#namespace, method, { ...args, upsert });
    return {
      acknowledged: true,
      matchedCount: changed.matched_count,
      modifiedCount: changed.modified_count,
      upsertedCount: changed.upserted_count,
      upsertedId: changed.upserted_id,
    };
  }

  async #delete(method: string, filter: Filter): Promise<DeleteResult> {
    const { deleted_count } = await call<{ deleted_count: number }>(this.#namespace, method, { filter });
    return { acknowledged: true, deletedCount: deleted_count };
  }
}
