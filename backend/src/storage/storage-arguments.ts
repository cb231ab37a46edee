import type { StorageMethod } from '@trawl/contracts';
import { z } from 'zod';

const object = z.custom<Record<string, unknown>>(
  value =>
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !('_bsontype' in value) &&
    !(value instanceof Date),
  'expected an object',
);
/** Canonical EJSON gives whole numbers as Int32, Long or Double. */
const count = z.custom<unknown>(value => {
  const number = Number(value);
  return value !== null && typeof value !== 'boolean' && Number.isSafeInteger(number) && number >= 0;
}, 'expected a whole number, 0 or more');
const batchSize = z
  .custom<unknown>(
    value => Number.isSafeInteger(Number(value)) && Number(value) >= 1,
    'expected a whole number, 1 or more',
  )
  .optional();
const filter = object;
const upsert = z.boolean();
const pipeline = z.array(object);
const document = object.refine(value => value._id !== undefined, 'every document needs an _id');

/** What the arguments of each operation are; nothing else is taken. */
export const argumentSchemas: Record<StorageMethod, z.ZodType> = {
  insertMany: z.strictObject({ docs: z.array(document).min(1), ordered: z.boolean() }),
  find: z.strictObject({
    filter,
    projection: object.optional(),
    sort: object.optional(),
    skip: count.optional(),
    limit: count.optional(),
    batch_size: batchSize,
  }),
  aggregate: z.strictObject({ pipeline, batch_size: batchSize }),
  next: z.strictObject({ cursor: z.string().max(100) }),
  close: z.strictObject({ cursor: z.string().max(100) }),
  countDocuments: z.strictObject({ filter }),
  distinct: z.strictObject({ field: z.string().min(1).max(500), filter }),
  updateOne: z.strictObject({ filter, update: z.union([object, pipeline]), upsert }),
  updateMany: z.strictObject({ filter, update: z.union([object, pipeline]), upsert }),
  replaceOne: z.strictObject({ filter, replacement: object, upsert }),
  deleteOne: z.strictObject({ filter }),
  deleteMany: z.strictObject({ filter }),
  createIndex: z.strictObject({
    keys: object.refine(value => Object.keys(value).length > 0, 'expected at least one field'),
    unique: z.boolean().optional(),
    name: z.string().min(1).max(120).optional(),
  }),
};
