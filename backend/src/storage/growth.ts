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
  /** Operators, or a pipeline. */
  update: unknown;
  isMany: boolean;
  /** Documents that together would grow by more are not counted further. */
  room: number;
}

/** These make nothing larger. */
const SHRINKING = new Set(['$unset', '$pull', '$pullAll', '$pop']);

/** By how many bytes the documents that an update meets may grow: of a text that is written into each, once for each. */
export async function growthByUpdate(call: Update): Promise<number> {
  const { collection, filter, update, isMany, room, maxTimeMS } = call;
  if (Array.isArray(update)) return growthByPipeline(call, update);
  const growing = Object.entries(update as Fields).filter(([operator]) => !SHRINKING.has(operator));
  if (growing.length === 0) return 0;
  const bytes = calculateObjectSize(Object.fromEntries(growing));
  const lists = growing.flatMap(([, fields]) => Object.keys((fields ?? {}) as Fields)).flatMap(listIn);
  if (lists.length > 0) return bytes * (await itemsIn(call, lists));
  if (!isMany) return bytes;
  // One more than there is room for is enough to know.
  const limit = Math.floor(room / bytes) + 1;
  // One that is not there may be inserted.
  return bytes * Math.max(1, await collection.countDocuments(filter, { limit, maxTimeMS }));
}

/** By how many bytes an index is larger than nothing: it has the values of its fields, and where they stand. */
export async function growthByIndex({ collection, maxTimeMS }: Call, keys: Fields): Promise<number> {
  const fields = Object.keys(keys).map((name, index) => [`f${index}`, `$${name.replace(/\.\$\*\*$/, '')}`]);
  return sum(collection, [], { $bsonSize: Object.fromEntries(fields) }, maxTimeMS);
}

/** The stages that a pipeline of an update may have only compute, so that what they would make can be measured. */
async function growthByPipeline(
  { collection, filter, isMany, maxTimeMS }: Update,
  pipeline: Fields[],
): Promise<number> {
  const met = [{ $match: filter }, ...(isMany ? [] : [{ $limit: 1 }])];
  const size = { $bsonSize: '$$ROOT' };
  const before = await sum(collection, met, size, maxTimeMS);
  const after = await sum(collection, [...met, ...pipeline], size, maxTimeMS);
  return Math.max(0, after - before);
}

/** `a.$[].b` writes into every item of the list `a`. */
function listIn(path: string): string[] {
  const [list = '', ...below] = path.split(/\.\$\[[^\]]*\]/);
  return below.length > 0 ? [list] : [];
}

/** How many items the longest of these lists has, of all documents together. */
function itemsIn({ collection, filter, isMany, maxTimeMS }: Update, lists: string[]): Promise<number> {
  const lengths = lists.map(list => ({ $cond: [{ $isArray: `$${list}` }, { $size: `$${list}` }, 1] }));
  const met = [{ $match: filter }, ...(isMany ? [] : [{ $limit: 1 }])];
  return sum(collection, met, { $max: [1, ...lengths] }, maxTimeMS);
}

async function sum(collection: Collection, stages: Fields[], of: Fields, maxTimeMS: number): Promise<number> {
  const pipeline = [...stages, { $group: { _id: null, sum: { $sum: of } } }];
  const [found] = await collection.aggregate(pipeline, { maxTimeMS }).toArray();
  return Number(found?.sum ?? 0);
}
