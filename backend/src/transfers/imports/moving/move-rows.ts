import type { mongo } from 'mongoose';
import { WRITE } from '../../../data/storage/mongodb/call-options.js';
import { nameTaken } from '../../../data/storage/mongodb/collection-limit.service.js';
import { toStorageFailure } from '../../../data/storage/mongodb/storage-failures.js';
import { type Conflict, numbersIn, REPEATABLE, SLICE_MS } from './conflicts.js';
import { isAboutRow } from './row-errors.js';
import type { Slice } from './slices.js';
import type { Staging } from './staging.js';

type Fields = Record<string, unknown>;

/** How the rows get from the staging collection to the target. */
export type MovePlan = RenamePlan | MergePlan | CommitPlan;

interface Plan {
  /** When the plan was made, as an ISO date. */
  since: string;
  /** How often the move was continued after a failure. */
  continued?: number;
  /** Number of the last row in the file. */
  last: number;
  /** Number of rows to move. */
  rows: number;
}

export interface RenamePlan extends Plan {
  way: 'rename';
  uuid: string;
}

export interface MergePlan extends Plan {
  way: 'merge';
  /** Number of rows that update a document. */
  updates: number;
  /** Number of bad rows that were found before. */
  badRows: number;
}

/** A transaction in PostgreSQL that has all rows. The id tells whether it was committed. */
export interface CommitPlan extends Plan {
  way: 'commit';
  xid: string;
  inserted: number;
  updates: number;
}

/** What `moveRows` needs to know about the import. */
export interface Merge {
  target: string;
  key: string[];
  /** Fields of the rows. Objects on the way to them are merged. */
  fields: string[];
}

const NAMESPACE_EXISTS = 48;

/** Returns MongoDB's own id of a collection, which stays the same when the collection is renamed. */
export async function uuidOf(db: mongo.Db, name: string): Promise<string | undefined> {
  const [found] = await db.listCollections({ name }).toArray();
  return found && 'info' in found ? String(found.info?.uuid) : undefined;
}

/**
 * Renames the staging collection to the target. It may be called again after a crash.
 * @throws {ApiError} 409 `name_taken` if another collection has got that name.
 */
export async function renameStaging(staging: Staging, target: string, uuid: string): Promise<void> {
  try {
    await staging.collection.rename(target, { writeConcern: WRITE.writeConcern });
  } catch (error) {
    // An earlier attempt has renamed it.
    if ((await uuidOf(staging.db, target)) === uuid) return;
    throw (error as { code?: unknown }).code === NAMESPACE_EXISTS ? nameTaken(target) : error;
  }
}

/**
 * Moves the rows with these numbers into the target, in MongoDB alone. It may be called again after a crash: rows that
 * are in the target already stay as they are.
 * @returns the rows that MongoDB refuses, because something else has changed the target since it was checked.
 */
export async function moveRows(
  staging: Staging,
  merge: Merge,
  [from, to]: Slice,
  moved: number[] = [],
): Promise<Conflict[]> {
  try {
    await staging.collection
      .aggregate(
        [
          { $match: { _id: { $gt: from, $lte: to, ...(moved.length > 0 ? { $nin: moved } : {}) } } },
          { $replaceWith: '$doc' },
          { $merge: mergeInto(merge) },
        ],
        { writeConcern: WRITE.writeConcern, maxTimeMS: SLICE_MS },
      )
      .toArray();
    return [];
  } catch (error) {
    if (!isAboutRow(error)) throw error;
    const known = merge.key.length > 0 ? [] : await rowsInTarget(staging, merge.target, [from, to]);
    if (known.length > moved.length) return moveRows(staging, merge, [from, to], known);
    return refusedIn(staging, merge, [from, to], moved, error);
  }
}

/** Halves the slice until it is the row that MongoDB refuses. */
async function refusedIn(
  staging: Staging,
  merge: Merge,
  [from, to]: Slice,
  moved: number[],
  error: unknown,
): Promise<Conflict[]> {
  const middle = Math.floor((from + to) / 2);
  if (middle > from) {
    return [
      ...(await moveRows(staging, merge, [from, middle], moved)),
      ...(await moveRows(staging, merge, [middle, to], moved)),
    ];
  }
  const [row] = await staging.collection
    .aggregate<{ doc?: Fields }>([{ $match: { _id: to } }, REPEATABLE], { maxTimeMS: SLICE_MS })
    .toArray();
  const message = toStorageFailure(error, false)?.message ?? 'MongoDB refused the row.';
  return row ? [{ number: to, reason: message, document: row.doc }] : [];
}

/** Returns the numbers of the rows whose documents are in the target exactly as they are here. */
async function rowsInTarget(staging: Staging, target: string, slice: Slice): Promise<number[]> {
  const rows = await staging.collection
    .aggregate<{ _id: number }>(
      [
        { $match: numbersIn(slice) },
        { $lookup: { from: target, localField: 'doc._id', foreignField: '_id', as: 'found' } },
        { $match: { $expr: { $eq: ['$doc', { $first: '$found' }] } } },
        { $project: { _id: 1 } },
      ],
      { maxTimeMS: SLICE_MS },
    )
    .toArray();
  return rows.map(({ _id }) => _id);
}

function mergeInto({ target, key, fields }: Merge): Fields {
  if (key.length === 0) return { into: target, on: '_id', whenMatched: 'fail', whenNotMatched: 'insert' };
  const updated = mergedObject('$$ROOT', '$$new', pathTree(fields), { _id: '$_id' });
  return { into: target, on: key, whenMatched: [{ $replaceWith: updated }], whenNotMatched: 'insert' };
}

type Tree = Map<string, Tree>;

function pathTree(paths: string[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) {
    // The last part is a value, and is merged with the object that has it.
    let node = root;
    for (const part of path.split('.').slice(0, -1)) {
      if (!node.has(part)) node.set(part, new Map());
      node = node.get(part) as Tree;
    }
  }
  return root;
}

/** The expression of an object with the fields of both, and those of `sent` where both have one. */
function mergedObject(stored: string, sent: string, tree: Tree, fixed: Fields = {}): Fields {
  const below = [...tree].map(([name, inner]) => {
    const [old, fresh] = [`${stored}.${name}`, `${sent}.${name}`];
    const merged = mergedObject(old, fresh, inner);
    const value = { $cond: [isObject(old), { $cond: [isObject(fresh), merged, old] }, { $ifNull: [fresh, old] }] };
    return [name, value];
  });
  return { $mergeObjects: [stored, sent, { ...Object.fromEntries(below), ...fixed }] };
}

const isObject = (path: string): Fields => ({ $eq: [{ $type: path }, 'object'] });
