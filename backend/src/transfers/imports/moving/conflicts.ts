import { WRITE } from '../../../data/storage/mongodb/call-options.js';
import type { Slice } from './slices.js';
import type { Staging, UniqueIndex } from './staging.js';

type Fields = Record<string, unknown>;

/** Time limit of MongoDB for one slice. */
export const SLICE_MS = 60_000;

/** A row that the target would refuse. */
export interface Conflict {
  number: number;
  reason: string;
  /** Undefined if it is too large to repeat in the file of bad rows. */
  document: Fields | undefined;
}

/** Documents of more bytes are not repeated in the file of bad rows. */
const MAX_REPEATED_BYTES = 256 * 1024;
/** Leaves out documents that are too large to repeat. */
export const REPEATABLE: Fields = {
  $project: { doc: { $cond: [{ $lte: [{ $bsonSize: '$doc' }, MAX_REPEATED_BYTES] }, '$doc', '$$REMOVE'] } },
};

export const numbersIn = ([from, to]: Slice): Fields => ({ _id: { $gt: from, $lte: to } });

/**
 * Finds rows of a slice that have equal values in a unique index as a document of the target.
 * @param key fields by which rows update documents; empty if all rows are new documents.
 */
export async function findConflicts(
  staging: Staging,
  target: string,
  indexes: UniqueIndex[],
  key: string[],
  slice: Slice,
): Promise<Conflict[]> {
  const found = new Map<number, Conflict>();
  for (const index of indexes.filter(({ fields }) => String(fields) !== String(key))) {
    const stages = [
      { $match: { ...numbersIn(slice), ...(index.sparse ? hasAny(index.fields) : {}) } },
      lookup(target, index.fields, notUpdated(key)),
      { $match: { found: { $ne: [] } } },
      REPEATABLE,
    ];
    const rows = staging.collection.aggregate<{ _id: number; doc?: Fields }>(stages, { maxTimeMS: SLICE_MS });
    for await (const { _id: number, doc } of rows) {
      const reason = `The collection already has a document with the same ${index.fields.join(', ')}.`;
      found.set(number, { number, reason, document: doc });
    }
  }
  return [...found.values()];
}

/** Counts the rows of a slice that will update a document instead of adding one. */
export async function countUpdates(staging: Staging, target: string, key: string[], slice: Slice): Promise<number> {
  const stages = [
    { $match: numbersIn(slice) },
    lookup(target, key),
    { $match: { found: { $ne: [] } } },
    { $count: 'count' },
  ];
  const [counted] = await staging.collection.aggregate<{ count: number }>(stages, { maxTimeMS: SLICE_MS }).toArray();
  return counted?.count ?? 0;
}

/** Finds the document of the target with the row's values in the fields of a unique index. */
function lookup(target: string, fields: string[], condition: Fields[] = []): Fields {
  const [first = '_id', ...rest] = fields;
  // This goes through the index. It also matches a missing field with null, as a unique index does.
  const byFirst = { from: target, localField: `doc.${first}`, foreignField: first, as: 'found' };
  const equals = rest.map(field => ({ $eq: [nullIfMissing(`$${field}`), nullIfMissing(`$$row.${field}`)] }));
  const conditions = [...equals, ...condition];
  // Without a pipeline, MongoDB needs a fraction of the time.
  if (conditions.length === 0) return { $lookup: byFirst };
  const pipeline = [{ $match: { $expr: { $and: conditions } } }, { $limit: 1 }, { $project: { _id: 1 } }];
  return { $lookup: { ...byFirst, let: { row: '$doc' }, pipeline } };
}

/** A document that the row updates is no conflict. */
const notUpdated = (key: string[]): Fields[] =>
  key.length === 0 ? [] : [{ $or: key.map(field => ({ $ne: [`$${field}`, `$$row.${field}`] })) }];

const nullIfMissing = (path: string): Fields => ({ $ifNull: [path, null] });

const hasAny = (fields: string[]): Fields => ({ $or: fields.map(field => ({ [`doc.${field}`]: { $exists: true } })) });

/** Removes rows that will not be moved. */
export async function removeRows(staging: Staging, rows: Conflict[]): Promise<void> {
  if (rows.length > 0) await staging.collection.deleteMany({ _id: { $in: rows.map(({ number }) => number) } }, WRITE);
}
