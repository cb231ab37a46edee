import { calculateObjectSize } from 'bson';
import type { mongo } from 'mongoose';

type Fields = Record<string, unknown>;
type Collection = mongo.Collection;

interface Call {
  collection: Collection;
  maxTimeMS: number;
}

interface Update extends Call {
  filter: Fields;
  /** Update operators, or a pipeline. */
  update: unknown;
  isMany: boolean;
  /** Free bytes of the quota. Counting documents stops as soon as the estimate exceeds this number. */
  room: number;
}

/** Operators that never make a document larger. */
const SHRINKING = new Set(['$unset', '$pull', '$pullAll', '$pop']);

/** Estimates how many bytes an update adds: the size of its values, multiplied by the number of matching documents. */
export async function estimateUpdateGrowth(call: Update): Promise<number> {
  const { collection, filter, update, isMany, room, maxTimeMS } = call;
  if (Array.isArray(update)) return estimatePipelineGrowth(call, update);
  const growing = Object.entries(update as Fields).filter(([operator]) => !SHRINKING.has(operator));
  if (growing.length === 0) return 0;
  const bytes = calculateObjectSize(Object.fromEntries(growing));
  const lists = growing.flatMap(([, fields]) => Object.keys((fields ?? {}) as Fields)).flatMap(listIn);
  if (lists.length > 0) return bytes * (await countItems(call, lists));
  if (!isMany) return bytes;
  // If one document more matches than there is room for, the update is refused. So do not count any further.
  const limit = Math.floor(room / bytes) + 1;
  // Count at least one document, because an upsert may insert one.
  return bytes * Math.max(1, await collection.countDocuments(filter, { limit, maxTimeMS }));
}

/** Estimates the bytes of a new index by the values of its fields. */
export async function estimateIndexSize({ collection, maxTimeMS }: Call, keys: Fields): Promise<number> {
  const fields = Object.keys(keys).map((name, index) => [`f${index}`, `$${name.replace(/\.\$\*\*$/, '')}`]);
  return sum(collection, [], { $bsonSize: Object.fromEntries(fields) }, maxTimeMS);
}

/**
 * Runs the pipeline as an aggregation on the matching documents and compares their sizes before and after. This changes
 * no data, because the stages that an update allows have no side effects.
 */
async function estimatePipelineGrowth(
  { collection, filter, isMany, maxTimeMS }: Update,
  pipeline: Fields[],
): Promise<number> {
  const matching = [{ $match: filter }, ...(isMany ? [] : [{ $limit: 1 }])];
  const size = { $bsonSize: '$$ROOT' };
  const before = await sum(collection, matching, size, maxTimeMS);
  const after = await sum(collection, [...matching, ...pipeline], size, maxTimeMS);
  return Math.max(0, after - before);
}

/** Returns the list whose items a path changes, for example `a` for `a.$[].b`. Empty if there is none. */
function listIn(path: string): string[] {
  const [list = '', ...below] = path.split(/\.\$\[[^\]]*\]/);
  return below.length > 0 ? [list] : [];
}

/**
 * Returns how many list items an update may change: for each matching document, the length of the longest of these
 * lists; then the sum of these lengths.
 */
function countItems({ collection, filter, isMany, maxTimeMS }: Update, lists: string[]): Promise<number> {
  const lengths = lists.map(list => ({ $cond: [{ $isArray: `$${list}` }, { $size: `$${list}` }, 1] }));
  const matching = [{ $match: filter }, ...(isMany ? [] : [{ $limit: 1 }])];
  return sum(collection, matching, { $max: [1, ...lengths] }, maxTimeMS);
}

async function sum(collection: Collection, stages: Fields[], of: Fields, maxTimeMS: number): Promise<number> {
  const pipeline = [...stages, { $group: { _id: null, sum: { $sum: of } } }];
  const [found] = await collection.aggregate(pipeline, { maxTimeMS }).toArray();
  return Number(found?.sum ?? 0);
}
