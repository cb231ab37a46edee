import { deserialize } from 'bson';
import type { mongo } from 'mongoose';
import { StorageFailure } from '../mongodb/storage-failures.js';
import type { DocumentBytes } from '../values/bson-bytes.js';

type Fields = Record<string, unknown>;

/** `firstId` is the id of the run's first attempt. */
export interface RunIds {
  executionId: string;
  firstId: string;
}

/**
 * Stores rows with a key. Each replaces the row with the same key that the run or an earlier attempt of it has stored,
 * and keeps its `_id`. A row that is older than the stored one changes nothing: a copy of a call may arrive late.
 * See docs/decisions/0128-rows-and-values-of-runs.md.
 * @throws the driver's errors, with the number of stored rows as `storedCount`.
 */
export async function upsertRows(
  collection: mongo.Collection,
  { bytes, positions }: DocumentBytes,
  { executionId, firstId, ...options }: RunIds & mongo.BulkWriteOptions,
): Promise<{ matched: number; upserted: number }> {
  const updates = positions.map(({ from, to }) => {
    const row = deserialize(bytes.subarray(from, to), { promoteValues: false, bsonRegExp: true });
    return updateOf(row, { executionId, firstId });
  });
  try {
    const { matchedCount, upsertedCount } = await collection.bulkWrite(updates, { ...options, ordered: true });
    return { matched: matchedCount, upserted: upsertedCount };
  } catch (error) {
    const { result } = error as { result?: mongo.BulkWriteResult };
    throw result ? Object.assign(error as Error, { storedCount: result.matchedCount + result.upsertedCount }) : error;
  }
}

function updateOf(
  { _id, _at, _key, ...fields }: Fields,
  { executionId, firstId }: RunIds,
): mongo.AnyBulkWriteOperation {
  if (typeof _key !== 'string' || !(_at instanceof Date)) {
    throw new StorageFailure('storage_rejected', 'docs: every row needs a text in _key and a date in _at.');
  }
  const row = { ...fields, _run: executionId, _at, _key, _first: firstId };
  const isOlder = {
    $or: [
      // Ids of attempts are in the order of their starts.
      { $gt: ['$_run', executionId] },
      { $and: [{ $eq: ['$_run', executionId] }, { $gt: ['$_at', _at] }] },
    ],
  };
  const replaced = { $mergeObjects: [{ _id: { $ifNull: ['$_id', { $literal: _id }] } }, { $literal: row }] };
  return {
    updateOne: {
      filter: { _first: firstId, _key },
      update: [{ $replaceWith: { $cond: [isOlder, '$$ROOT', replaced] } }],
      upsert: true,
    },
  };
}
