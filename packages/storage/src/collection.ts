import { ObjectId } from 'bson';
import { Cursor, type Document, FindCursor, type Sort } from './cursor.js';
import { StorageError } from './storage-error.js';
import { call, MAX_CALL_BYTES, toText } from './storage-port.js';

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
  /** `_id` of each document by its place in the array. */
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

/** Room for what surrounds the documents of one insertMany call. */
const ENVELOPE_BYTES = 64;

/** One collection of one of the user's databases. Every method throws `StorageError`. */
export class Collection {
  readonly #place: { db: string | undefined; collection: string };

  constructor(db: string | undefined, name: string) {
    if (typeof name !== 'string' || name === '') {
      throw new TypeError(`mongo.collection: expected the collection's name, got ${JSON.stringify(name)}.`);
    }
    this.#place = { db, collection: name };
  }

  get collectionName(): string {
    return this.#place.collection;
  }

  /** A document without `_id` gets one, as with the driver. */
  async insertOne(document: Document): Promise<InsertOneResult> {
    const { insertedIds } = await this.insertMany([document]);
    return { acknowledged: true, insertedId: insertedIds[0] };
  }

  /**
   * Inserts in the array's order, in calls of up to 512 KB. `ordered: false` goes on after a document that was refused
   * and throws at the end. The error's `insertedCount` says how many documents of the calls before it are in.
   */
  async insertMany(documents: Document[], { ordered = true }: { ordered?: boolean } = {}): Promise<InsertManyResult> {
    if (!Array.isArray(documents) || documents.length === 0) {
      throw new TypeError(`${this.collectionName}.insertMany: expected an array with at least one document.`);
    }
    const insertedIds: Record<number, unknown> = {};
    for (const [index, document] of documents.entries()) {
      if (document === null || typeof document !== 'object' || Array.isArray(document)) {
        throw new TypeError(`${this.collectionName}.insertMany: documents[${index}] is not an object.`);
      }
      document._id ??= new ObjectId();
      insertedIds[index] = document._id;
    }
    let insertedCount = 0;
    let failure: StorageError | undefined;
    for (const docs of this.#batches(documents)) {
      try {
        insertedCount += (await call<{ inserted_count: number }>(this.#place, 'insertMany', { docs, ordered }))
          .inserted_count;
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        failure ??= error;
        if (ordered || error.code !== 'storage_duplicate_key') break;
      }
    }
    if (failure) throw new StorageError(failure.code, failure.message, insertedCount);
    return { acknowledged: true, insertedCount, insertedIds };
  }

  find(filter: Filter = {}, options: FindOptions = {}): FindCursor {
    return new FindCursor(this.#place, 'find', { filter, ...options });
  }

  /** The first document that matches, or null. */
  async findOne(filter: Filter = {}, options: Omit<FindOptions, 'limit'> = {}): Promise<Document | null> {
    const cursor = this.find(filter, { ...options, limit: 1 });
    const document = await cursor.next();
    await cursor.close();
    return document;
  }

  aggregate(pipeline: Document[] = []): Cursor {
    return new Cursor(this.#place, 'aggregate', { pipeline });
  }

  async countDocuments(filter: Filter = {}): Promise<number> {
    return (await call<{ count: number }>(this.#place, 'countDocuments', { filter })).count;
  }

  /** Each value that `field` has in the documents that match, once. */
  async distinct(field: string, filter: Filter = {}): Promise<unknown[]> {
    return (await call<{ values: unknown[] }>(this.#place, 'distinct', { field, filter })).values;
  }

  updateOne(filter: Filter, update: Document | Document[], options: { upsert?: boolean } = {}): Promise<UpdateResult> {
    return this.#change('updateOne', { filter, update, upsert: options.upsert ?? false });
  }

  updateMany(filter: Filter, update: Document | Document[], options: { upsert?: boolean } = {}): Promise<UpdateResult> {
    return this.#change('updateMany', { filter, update, upsert: options.upsert ?? false });
  }

  replaceOne(filter: Filter, replacement: Document, options: { upsert?: boolean } = {}): Promise<UpdateResult> {
    return this.#change('replaceOne', { filter, replacement, upsert: options.upsert ?? false });
  }

  deleteOne(filter: Filter = {}): Promise<DeleteResult> {
    return this.#delete('deleteOne', filter);
  }

  deleteMany(filter: Filter = {}): Promise<DeleteResult> {
    return this.#delete('deleteMany', filter);
  }

  /** The index's name. An index that is there already is left as it is. */
  async createIndex(keys: Sort, options: { unique?: boolean; name?: string } = {}): Promise<string> {
    return (await call<{ name: string }>(this.#place, 'createIndex', { keys, ...options })).name;
  }

  *#batches(documents: Document[]): Generator<Document[]> {
    let batch: Document[] = [];
    let batchBytes = ENVELOPE_BYTES;
    for (const [index, document] of documents.entries()) {
      const bytes = Buffer.byteLength(toText(document)) + 1;
      if (bytes + ENVELOPE_BYTES > MAX_CALL_BYTES) {
        throw new StorageError(
          'storage_too_large',
          `${this.collectionName}.insertMany: documents[${index}] is ${bytes} bytes as EJSON, more than the ${MAX_CALL_BYTES} that one document may have.`,
        );
      }
      if (batchBytes + bytes > MAX_CALL_BYTES) {
        yield batch;
        batch = [];
        batchBytes = ENVELOPE_BYTES;
      }
      batch.push(document);
      batchBytes += bytes;
    }
    yield batch;
  }

  async #change(method: string, args: Document): Promise<UpdateResult> {
    const changed = await call<Changed>(this.#place, method, args);
    return {
      acknowledged: true,
      matchedCount: changed.matched_count,
      modifiedCount: changed.modified_count,
      upsertedCount: changed.upserted_count,
      upsertedId: changed.upserted_id,
    };
  }

  async #delete(method: string, filter: Filter): Promise<DeleteResult> {
    const { deleted_count } = await call<{ deleted_count: number }>(this.#place, method, { filter });
    return { acknowledged: true, deletedCount: deleted_count };
  }
}
