import { deserialize } from 'bson';
import type { mongo } from 'mongoose';
import { StorageFailure } from '../mongodb/storage-failures.js';
import type { DocumentBytes } from '../values/bson-bytes.js';

type Fields = Record<string, unknown>;

const DUPLICATE_KEY = 11_000;

/** `firstId` is the id of the run's first attempt, `attempt` the number of this one, from 1. */
export interface RunIds {
  executionId: string;
  firstId: string;
  attempt: number;
}

/** Is told of the documents of a call of which the first `count` are stored. */
export type OnStored = (docs: DocumentBytes, count: number) => void;

/** `keys` has the key of each row, or null for a row without one. */
export interface KeyedRows {
  docs: DocumentBytes;
  keys: (string | null)[];
}

/**
 * Stores rows of which some have a key. Each of these replaces the row with the same key that the run or an earlier
 * attempt of it has stored, and keeps its `_id`. A row that is older than the stored one changes nothing: a copy of a
 * call may arrive late.
 * See docs/decisions/0128-rows-and-values-of-runs.md.
 * @throws the driver's errors, with the number of new rows as `storedCount`, and of those that have replaced one as
 * `replacedCount`.
 */
export async function upsertRows(
  collection: mongo.Collection,
  { docs: { bytes, positions }, keys }: KeyedRows,
  run: RunIds,
  options: mongo.BulkWriteOptions,
): Promise<{ matched: number; upserted: number }> {
  const rows = positions.map(({ from, to }, index) => {
    const row = deserialize(bytes.subarray(from, to), { promoteValues: false, bsonRegExp: true });
    return formOf(row, keys[index] ?? null, run);
  });
  // Most keys are new, and MongoDB inserts rows about ten times as fast as it updates them by a pipeline.
  const inserted = await insertUntilDuplicate(collection, rows, options);
  if (inserted === rows.length) return { matched: 0, upserted: inserted };
  const updates = rows.slice(inserted).map(updateOf);
  try {
    const { matchedCount, upsertedCount } = await collection.bulkWrite(updates, { ...options, ordered: true });
    return { matched: matchedCount, upserted: inserted + upsertedCount };
  } catch (error) {
    const { result } = error as { result?: mongo.BulkWriteResult };
    throw Object.assign(error as Error, {
      storedCount: inserted + (result?.upsertedCount ?? 0),
      replacedCount: result?.matchedCount ?? 0,
    });
  }
}

/**
 * Inserts rows in their order until one has an `_id` or a key that is stored already, and returns how many it inserted.
 * @throws the driver's other errors, with the number of inserted rows as `storedCount`.
 */
async function insertUntilDuplicate(
  collection: mongo.Collection,
  rows: Row[],
  options: mongo.BulkWriteOptions,
): Promise<number> {
  try {
    const documents = rows.map(({ stored }) => stored);
    return (await collection.insertMany(documents, { ...options, ordered: true })).insertedCount;
  } catch (error) {
    const { code, insertedCount = 0 } = error as { code?: unknown; insertedCount?: number };
    if (code === DUPLICATE_KEY) return insertedCount;
    throw Object.assign(error as Error, { storedCount: insertedCount });
  }
}

/** A row as it is stored. */
interface Row {
  _key: string | null;
  stored: Fields;
}

function formOf(row: Fields, _key: string | null, { executionId, firstId, attempt }: RunIds): Row {
  const { _id, _at, ...fields } = row;
  if (!(_at instanceof Date)) {
    throw new StorageFailure('storage_rejected', 'docs: every row needs a date in _at.');
  }
  if (_key === null) return { _key, stored: row };
  return { _key, stored: { _id, ...fields, _run: executionId, _at, _key, _first: firstId, _attempt: attempt } };
}

function updateOf({ _key, stored }: Row): mongo.AnyBulkWriteOperation {
  const { _id, ...keyed } = stored;
  if (_key === null) {
    return upsert({ _id: { $eq: _id } }, { $ne: [{ $type: '$_at' }, 'missing'] }, { $literal: stored });
  }
  const { _first, _attempt, _at } = keyed;
  // Ids of attempts are not compared, because the clocks of the backends that made them may differ.
  const isNewer = {
    $or: [{ $gt: ['$_attempt', _attempt] }, { $and: [{ $eq: ['$_attempt', _attempt] }, { $gt: ['$_at', _at] }] }],
  };
  const form = { $mergeObjects: [{ _id: { $ifNull: ['$_id', { $literal: _id }] } }, { $literal: keyed }] };
  // If concurrent calls add the same key, MongoDB retries only a filter of equalities with the fields of the index.
  return upsert({ _first, _key }, isNewer, form);
}

/** @param isKept an expression that tells whether a stored document stays as it is */
const upsert = (filter: Fields, isKept: Fields, stored: Fields): mongo.AnyBulkWriteOperation => ({
  updateOne: { filter, update: [{ $replaceWith: { $cond: [isKept, '$$ROOT', stored] } }], upsert: true },
});
