/** What a skript may ask of its MongoDB databases. `next` and `close` go on with a cursor that `find` or `aggregate` left open. */
export const STORAGE_METHODS = [
  'insertMany',
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
