import { deserialize } from 'bson';
import type { mongo } from 'mongoose';
import { StorageFailure } from '../mongodb/storage-failures.js';
import type { DocumentBytes } from '../values/bson-bytes.js';

type Fields = Record<string, unknown>;

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
  const updates = positions.map(({ from, to }, index) => {
    const row = deserialize(bytes.subarray(from, to), { promoteValues: false, bsonRegExp: true });
    return updateOf(row, keys[index] ?? null, run);
  });
  try {
    const { matchedCount, upsertedCount } = await collection.bulkWrite(updates, { ...options, ordered: true });
    return { matched: matchedCount, upserted: upsertedCount };
  } catch (error) {
    const { result } = error as { result?: mongo.BulkWriteResult };
    if (!result) throw error;
    throw Object.assign(error as Error, { storedCount: result.upsertedCount, replacedCount: result.matchedCount });
  }
}

function updateOf(
  row: Fields,
  _key: string | null,
  { executionId, firstId, attempt }: RunIds,
): mongo.AnyBulkWriteOperation {
  const { _id, _at, ...fields } = row;
  if (!(_at instanceof Date)) {
    throw new StorageFailure('storage_rejected', 'docs: every row needs a date in _at.');
  }
  if (_key === null) {
    return upsert({ _id: { $eq: _id } }, { $ne: [{ $type: '$_at' }, 'missing'] }, { $literal: row });
  }
  // Ids of attempts are not compared, because the clocks of the backends that made them may differ.
  const isNewer = {
    $or: [{ $gt: ['$_attempt', attempt] }, { $and: [{ $eq: ['$_attempt', attempt] }, { $gt: ['$_at', _at] }] }],
  };
  const keyed = { ...fields, _run: executionId, _at, _key, _first: firstId, _attempt: attempt };
  const stored = { $mergeObjects: [{ _id: { $ifNull: ['$_id', { $literal: _id }] } }, { $literal: keyed }] };
  // If concurrent calls add the same key, MongoDB retries only a filter of equalities with the fields of the index.
  return upsert({ _first: firstId, _key }, isNewer, stored);
}

/** @param isKept an expression that tells whether a stored document stays as it is */
const upsert = (filter: Fields, isKept: Fields, stored: Fields): mongo.AnyBulkWriteOperation => ({
  updateOne: { filter, update: [{ $replaceWith: { $cond: [isKept, '$$ROOT', stored] } }], upsert: true },
});
