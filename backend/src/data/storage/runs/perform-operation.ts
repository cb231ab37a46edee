import { LIMITS, type StorageOperation } from '@trawl/contracts';
import { serialize } from 'bson';
import type { mongo } from 'mongoose';
import { StorageFailure } from '../mongodb/storage-failures.js';
import type { DocumentBytes } from '../values/bson-bytes.js';
import { insertDocuments } from './insert-documents.js';
import { type KeyedRows, type RunIds, upsertRows } from './upsert-rows.js';

type Fields = Record<string, unknown>;
type Collection = mongo.Collection;

/** Time limit that MongoDB enforces for one operation of a run. */
export const MAX_TIME_MS = 20_000;
const LIMITED = { maxTimeMS: MAX_TIME_MS } as const;
const READ = { ...LIMITED, promoteValues: false, bsonRegExp: true } as const;
const BYTES = { ...LIMITED, raw: true } as const;
const WRITE = { ...LIMITED, writeConcern: { w: 1, journal: true } } as const;
const MAX_BATCH = 1_000;

/** The result of an operation: either BSON, or a cursor from which the documents are read as bytes. */
export type Outcome =
  | { result: Uint8Array }
  | { source: mongo.FindCursor | mongo.AggregationCursor; batchSize: number };

/**
 * Performs an operation on a collection. The caller has checked `args`.
 * @throws {StorageFailure} for an unknown method or a result that is too large; the driver's errors.
 */
export async function perform(
  db: mongo.Db,
  collection: Collection,
  { method, resend }: StorageOperation,
  args: Fields,
  run: RunIds,
): Promise<Outcome> {
  const filter = args.filter as Fields;
  const upsert = args.upsert === true;
  switch (method) {
    case 'find':
      return find(collection, args);
    case 'aggregate': {
      const batchSize = batchSizeOf(args);
      return { source: collection.aggregate(args.pipeline as Fields[], { ...BYTES, batchSize }), batchSize };
    }
    case 'countDocuments':
      return answer({ count: await collection.countDocuments(filter, LIMITED) });
    case 'distinct':
      return answer({ values: await collection.distinct(args.field as string, filter, READ) });
    case 'insertMany': {
      const docs = args.docs as DocumentBytes;
      const insert = { collection, docs, ordered: args.ordered === true, ...LIMITED };
      return answer({ inserted_count: await insertDocuments(db, insert, resend) });
    }
    case 'upsertRows': {
      const { matched, upserted } = await upsertRows(collection, args as unknown as KeyedRows, run, WRITE);
      return answer({ matched_count: matched, modified_count: matched, upserted_count: upserted });
    }
    case 'updateOne':
      return answerUpdate(await collection.updateOne(filter, args.update as Fields, { ...WRITE, upsert }));
    case 'updateMany':
      return answerUpdate(await collection.updateMany(filter, args.update as Fields, { ...WRITE, upsert }));
    case 'replaceOne':
      return answerUpdate(await collection.replaceOne(filter, args.replacement as Fields, { ...WRITE, upsert }));
    case 'deleteOne':
      return answer({ deleted_count: (await collection.deleteOne(filter, WRITE)).deletedCount });
    case 'deleteMany':
      return answer({ deleted_count: (await collection.deleteMany(filter, WRITE)).deletedCount });
    case 'createIndex':
      return createIndex(collection, args);
    default:
      throw new StorageFailure('storage_rejected', `There is no operation ${method}.`);
  }
}

interface FindArguments {
  filter: Fields;
  projection?: Fields;
  sort?: Record<string, 1 | -1>;
  skip?: unknown;
  limit?: unknown;
}

function find(collection: Collection, args: Fields): Outcome {
  const { filter, projection, sort, skip = 0, limit = 0 } = args as unknown as FindArguments;
  const batchSize = batchSizeOf(args);
  const options = { ...BYTES, projection, sort, skip: Number(skip), limit: Number(limit), batchSize };
  return { source: collection.find(filter, options), batchSize };
}

async function createIndex(collection: Collection, args: Fields): Promise<Outcome> {
  const { unique, name } = args as { unique?: boolean; name?: string };
  const options = { ...LIMITED, ...(unique === undefined ? {} : { unique }), ...(name === undefined ? {} : { name }) };
  return answer({ name: await collection.createIndex(args.keys as mongo.IndexSpecification, options) });
}

const batchSizeOf = ({ batch_size = MAX_BATCH }: { batch_size?: unknown }): number =>
  Math.min(Number(batch_size), MAX_BATCH);

const answerUpdate = ({ matchedCount, modifiedCount, upsertedCount, upsertedId }: mongo.UpdateResult): Outcome =>
  answer({
    matched_count: matchedCount,
    modified_count: modifiedCount,
    upserted_count: upsertedCount,
    upserted_id: upsertedId,
  });

/** @throws {StorageFailure} `storage_too_large`. */
function answer(value: object): Outcome {
  const result = serialize(value, { ignoreUndefined: false });
  if (result.length > LIMITS.storageOperationBytes) {
    throw new StorageFailure(
      'storage_too_large',
      `The answer is ${result.length} bytes as BSON; the limit is ${LIMITS.storageOperationBytes}. Narrow the filter.`,
    );
  }
  return { result };
}
