/**
 * Operations of a skript on its MongoDB databases. `next` and `close` need a cursor that `find` or `aggregate` has
 * returned.
 */
export const STORAGE_METHODS = [
  'insertMany',
  'upsertRows',
  'find',
  'aggregate',
  'next',
  'close',
  'countDocuments',
  'distinct',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'createIndex',
] as const;
export type StorageMethod = (typeof STORAGE_METHODS)[number];
