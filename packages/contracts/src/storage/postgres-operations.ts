import * as z from 'zod';

/** A transaction or a cursor that the backend holds for a run. */
const heldId = z.uuid();
/** The values of `$1`, `$2`, … as PostgreSQL's text. */
const params = z.array(z.string().nullable()).max(10_000);
const text = z.string().min(1);

/**
 * One PostgreSQL operation that a run sends to the backend. The results are those of `PostgresResult`.
 * - `query`: executes a statement, in its own transaction or in the given one. `table` is the table that it writes to, if
 *   the library knows it; the worker sends it beside the operation, because platforms before this field refuse it inside
 * - `begin`, `commit`, `rollback`: a transaction. `xid` is PostgreSQL's id of it, from the result of `begin`; it tells
 *   the outcome of a `commit` whose answer was lost. It is null if the transaction is read-only.
 * - `open`, `next`, `close`: a cursor over the rows of a statement, in a read-only transaction of its own
 */
export const postgresOperationSchema = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('query'),
    text,
    params,
    transaction: heldId.optional(),
    table: z.string().optional(),
  }),
  z.strictObject({ method: z.literal('begin') }),
  z.strictObject({
    method: z.literal('commit'),
    transaction: heldId,
    xid: z
      .string()
      .regex(/^\d{1,20}$/)
      .nullable(),
  }),
  z.strictObject({ method: z.literal('rollback'), transaction: heldId }),
  z.strictObject({ method: z.literal('open'), text, params, batch_size: z.int().min(1).max(1_000) }),
  z.strictObject({ method: z.literal('next'), cursor: heldId }),
  z.strictObject({ method: z.literal('close'), cursor: heldId }),
]);
export type PostgresOperation = z.infer<typeof postgresOperationSchema>;

/** Rows of a statement. `type` is PostgreSQL's number (OID) of the type; values are PostgreSQL's text. */
export interface PostgresRows {
  fields: { name: string; type: number }[];
  rows: (string | null)[][];
}

export type PostgresResult =
  /** Of `query`. `table` is that of the operation as PostgreSQL has found it, with its schema unless that is `public`. */
  | (PostgresRows & { row_count: number | null; command: string; table?: string })
  /** Of `open` and `next`. `cursor` is null after the last row. */
  | (PostgresRows & { cursor: string | null })
  /** Of `begin`. */
  | { transaction: string; xid: string | null }
  /** Of `commit`, `rollback` and `close`. */
  | Record<string, never>;

/**
 * `packed_rows`: the JSON of `result.rows`, which is empty then. The worker passes it on without reading it.
 * `sql_state` and `position` (in characters from 1) are those of PostgreSQL's error.
 */
export type PostgresAnswer =
  | { result: PostgresResult; packed_rows?: Uint8Array }
  | { error: { code: string; message: string; sql_state?: string; position?: number } };
