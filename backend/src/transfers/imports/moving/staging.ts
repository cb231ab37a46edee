import type { mongo } from 'mongoose';
import { READ, WRITE } from '../../../data/storage/mongodb/call-options.js';
import { isAboutRow } from './row-errors.js';

type Fields = Record<string, unknown>;

/** A row that waits to be moved. */
export interface StagedRow {
  number: number;
  document: Fields;
}

/** A unique index of the target, by whose fields the import finds rows that MongoDB would refuse. */
export interface UniqueIndex {
  fields: string[];
  sparse: boolean;
}

const NAMESPACE_NOT_FOUND = 26;
const BUILD_MS = 60_000;

/** Lists the unique indexes of a collection that apply to all of its documents, except the one on `_id`. */
export async function uniqueIndexesOf(collection: mongo.Collection): Promise<UniqueIndex[]> {
  const indexes = await collection.indexes(READ).catch(error => {
    if (error.code === NAMESPACE_NOT_FOUND) return [];
    throw error;
  });
  return indexes
    .filter(
      ({ unique, partialFilterExpression, collation }) =>
        unique && !partialFilterExpression && (collation?.locale ?? 'simple') === 'simple',
    )
    .map(({ key, sparse }) => ({ fields: Object.keys(key), sparse: sparse === true }));
}

/**
 * A collection with the rows of one import. If the target is new, the documents are stored as they are, so that
 * MongoDB only needs to rename the collection. Otherwise each is stored as `doc`, with the number of its row as `_id`:
 * so the rows can be moved in steps.
 */
export class Staging {
  readonly collection: mongo.Collection<{ _id: number; doc: Fields }>;
  /** Messages for rows that violate an index, by the name of the index. */
  readonly #messages = new Map<string, string>();

  constructor(
    readonly db: mongo.Db,
    readonly name: string,
    private readonly wraps: boolean,
  ) {
    this.collection = db.collection(name);
  }

  /** Creates unique indexes, so that MongoDB finds equal rows in the file. */
  async index(indexes: UniqueIndex[]): Promise<void> {
    this.#messages.set('_id_', equalRows(['_id']));
    for (const [at, { fields, sparse }] of indexes.entries()) {
      const keys = Object.fromEntries(fields.map(field => [this.wraps ? `doc.${field}` : field, 1 as const]));
      const name = this.wraps ? `unique_${at}` : undefined;
      const options = { unique: true, sparse, maxTimeMS: BUILD_MS, ...(name ? { name } : {}) };
      this.#messages.set(await this.collection.createIndex(keys, options), equalRows(fields));
    }
  }

  /** Stores rows, and returns the reason for each row that MongoDB refuses. */
  async insert(rows: StagedRow[]): Promise<Map<StagedRow, string>> {
    const documents = rows.map(({ number, document }) => (this.wraps ? { _id: number, doc: document } : document));
    try {
      await this.collection.insertMany(documents as never[], { ...WRITE, ordered: false });
      return new Map();
    } catch (error) {
      const { writeErrors } = error as { writeErrors?: unknown };
      // Without `writeErrors` the call failed as a whole, for example because the connection broke.
      if (writeErrors === undefined || isConnectionLost(error)) throw error;
      const refused = (Array.isArray(writeErrors) ? writeErrors : [writeErrors]) as mongo.WriteError[];
      if (!refused.every(isAboutRow)) throw error;
      return new Map(refused.map(one => [rows[one.index] as StagedRow, this.#reason(one.errmsg ?? '')]));
    }
  }

  /** @throws an error if the collection has another number of rows: then none may be moved. */
  async assertHas(rows: number): Promise<void> {
    // MongoDB's own count takes no time, but may be wrong after a crash.
    if ((await this.collection.estimatedDocumentCount(READ)) === rows) return;
    const found = await this.collection.countDocuments({}, { maxTimeMS: BUILD_MS });
    if (found !== rows) throw new Error(`the staging collection has ${found} rows instead of ${rows}`);
  }

  #reason(message: string): string {
    const [, index = ''] = /index: (\S+) dup key/.exec(message) ?? [];
    return this.#messages.get(index) ?? `MongoDB refuses the document: ${message.slice(0, 300)}`;
  }
}

const equalRows = (fields: string[]): string =>
  `An earlier row of the file has the same ${fields.length === 1 ? fields[0] : `values of ${fields.join(', ')}`}.`;

/** A bulk write also has `writeErrors` if the connection broke in its middle. */
const isConnectionLost = (error: unknown): boolean => (error as { code?: unknown }).code === undefined;
