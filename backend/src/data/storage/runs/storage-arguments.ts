import { LIMITS, type StorageMethod, type StorageOperation } from '@trawl/contracts';
import { type Binary, deserialize } from 'bson';
import { z } from 'zod';
import { StorageFailure } from '../mongodb/storage-failures.js';
import { checkBson, checkDocuments } from '../values/bson-bytes.js';
import { checkDocument, checkOperators } from '../values/operators.js';

type Fields = Record<string, unknown>;

const object = z.custom<Fields>(
  value =>
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !('_bsontype' in value) &&
    !(value instanceof Date),
  'expected an object',
);
/** A whole number: an Int32, Long or Double. */
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
/** Documents, one after another. `checkDocuments` checks them. */
const documents = z.custom<Binary>(
  value => typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'Binary',
  'expected documents as binary data',
);

/** Small, because `close` does not wait for a slot of the account. */
const CLOSE_BYTES = 1_024;

/** Schemas for the arguments of each operation. Unknown fields are refused. */
const SCHEMAS: Record<StorageMethod, z.ZodType> = {
  insertMany: z.strictObject({ docs: documents, ordered: z.boolean() }),
  upsertRows: z.strictObject({ docs: documents, keys: z.array(z.string().min(1).nullable()) }),
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

/**
 * Decodes and checks the arguments of an operation. The `docs` of an insert stay bytes: see `DocumentBytes`.
 * @throws {StorageFailure} `storage_too_large`, or `storage_rejected` naming a field or operator.
 */
export function parseArguments({ method, args }: StorageOperation): Fields {
  const limit = method === 'close' ? CLOSE_BYTES : LIMITS.storageOperationBytes;
  if (args.length > limit) {
    throw new StorageFailure('storage_too_large', `The call is ${args.length} bytes as BSON; the limit is ${limit}.`);
  }
  const bytes = asBuffer(args);
  checkBson(bytes);
  const parsed = (SCHEMAS[method] as z.ZodType<Fields>).safeParse(deserialize(bytes, EXACT));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw rejected(`${issue?.path.join('.') || 'The arguments'}: ${issue?.message ?? 'not valid for this operation'}`);
  }
  checkValues(method, parsed.data);
  return parsed.data;
}

/** Options to decode values of the exact BSON types, so that encoding them gives the same bytes. */
const EXACT = { promoteValues: false, bsonRegExp: true } as const;

const QUERIES = ['filter', 'update', 'projection', 'sort', 'pipeline', 'keys'] as const;

function checkValues(method: StorageMethod, args: Fields): void {
  for (const name of QUERIES) checkOperators(args[name]);
  if (method === 'insertMany' || method === 'upsertRows') {
    const docs = checkDocuments(asBuffer((args.docs as Binary).buffer));
    if (method === 'upsertRows' && (args.keys as unknown[]).length !== docs.positions.length) {
      throw rejected('keys: expected a key or null for each document in docs');
    }
    args.docs = docs;
  }
  if (method === 'replaceOne') checkDocument(args.replacement);
  if (method === 'distinct' && String(args.field).startsWith('$')) throw rejected('field: must be the name of a field');
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const rejected = (message: string): StorageFailure => new StorageFailure('storage_rejected', message);
