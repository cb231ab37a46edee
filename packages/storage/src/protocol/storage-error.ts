/**
 * Thrown if a storage call failed. `code` is one of
 * - `storage_rejected`: the platform does not allow the call, or the database refused it; the message says why
 * - `storage_duplicate_key`: a unique index or `_id` already has that value
 * - `storage_outcome_unknown`: the connection broke, and the call may or may not have succeeded; it was not retried,
 *   because a retry could change the data twice
 * - `storage_unavailable`: the database was unreachable for 30 s, despite retries; with local files, another process uses
 *   the folder, or a file cannot be read or written
 * - `storage_cursor_lost`: the server closed the cursor, for example after a long idle time
 * - `storage_transaction_lost`: PostgreSQL rolled the transaction back
 * - `storage_too_large`: a document, a row or the call is larger than 512 KB as BSON, a value of `kv` is larger than 1 MB,
 *   or rows of 64 MiB wait to be stored
 * - `storage_full`: the account's databases have reached their quota; deletions still work. With local files, a file would
 *   be too large
 * - `run_ended`: the run has ended
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';

  constructor(
    readonly code: string,
    message: string,
    /** For `insertMany` and `dataset.push`, the number of documents or rows that are stored although it failed. */
    readonly insertedCount?: number,
    /**
     * For an error of PostgreSQL, its code and position: `{ sqlState: '42P01', position: 15 }`. The position counts
     * characters from 1.
     */
    readonly postgres?: { sqlState: string; position?: number },
  ) {
    super(message);
  }
}
