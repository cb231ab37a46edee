import { z } from 'zod';
import { STORAGE_METHODS } from './storage-methods.js';

/**
 * One storage operation on its way from a run to the backend.
 *
 * `args` is canonical EJSON text of one object, by method:
 * - `insertMany`: `{ docs: object[] (each with _id), ordered: boolean }` → `{ inserted_count }`
 * - `find`: `{ filter, projection?, sort?, skip?, limit?, batch_size? }` → `{ docs, cursor: string | null }`
 * - `aggregate`: `{ pipeline, batch_size? }` → `{ docs, cursor }`
 * - `next`: `{ cursor }` → `{ docs, cursor }`; `close`: `{ cursor }` → `{}`
 * - `countDocuments`: `{ filter }` → `{ count }`; `distinct`: `{ field, filter }` → `{ values }`
 * - `updateOne`, `updateMany`: `{ filter, update, upsert }` → `{ matched_count, modified_count, upserted_count, upserted_id }`
 * - `replaceOne`: `{ filter, replacement, upsert }` → the same
 * - `deleteOne`, `deleteMany`: `{ filter }` → `{ deleted_count }`
 * - `createIndex`: `{ keys, unique?, name? }` → `{ name }`
 *
 * `resend` is true when an earlier sending had no answer: the backend then does only what is safe to do twice and
 * answers `storage_outcome_unknown` for the rest.
 */
export const storageOperationSchema = z.strictObject({
  db: z.string().min(1).max(64).optional(),
  collection: z.string().min(1).max(120),
  method: z.enum(STORAGE_METHODS),
  args: z.string(),
  resend: z.boolean(),
});
export type StorageOperation = z.infer<typeof storageOperationSchema>;

/** The answer: canonical EJSON text, or what went wrong. */
export type StorageAnswer = { result: string } | { error: { code: string; message: string } };
