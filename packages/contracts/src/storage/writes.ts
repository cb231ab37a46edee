import * as z from 'zod';

/** Where a run stores data. `mongodb` is also where its dataset and its key-value store are. */
export const WRITE_STORES = ['mongodb', 'postgresql'] as const;

/**
 * Number of collections and tables of a run, in each store, that are counted by name. All others are counted together,
 * without a name.
 */
export const MAX_WRITTEN_NAMES = 100;

const name = z.string().max(200).nullable();
const count = z.int().nonnegative();

/**
 * What a run has written to a collection or table.
 * - `database`: the database of MongoDB that the skript has named; null for the account's oldest, and in PostgreSQL
 * - `name`: the collection or table; null if it is not known, or if the run has written to too many
 */
export const writeSchema = z.object({
  store: z.enum(WRITE_STORES),
  database: name,
  name,
  inserted: count,
  updated: count,
  deleted: count,
});
export type RunWrite = z.infer<typeof writeSchema>;

/** All that a run has written so far. A later list replaces an earlier one. */
export const writesSchema = z.array(writeSchema).max(WRITE_STORES.length * (MAX_WRITTEN_NAMES + 1));
