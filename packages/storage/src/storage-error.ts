/**
 * Why a storage call failed. `code` is one of
 * - `storage_rejected`: the platform does not allow the call, or MongoDB refused it; the message says why
 * - `storage_duplicate_key`: a unique index, or `_id`, has that value already
 * - `storage_outcome_unknown`: the connection broke and the call may or may not have been done; it was not repeated
 *   because doing it twice could change the data twice
 * - `storage_unavailable`: the database could not be reached, however often the worker tried for 30 s
 * - `storage_cursor_lost`: the cursor was closed meanwhile, for example because it was idle for long
 * - `storage_too_large`: one document, or the call, is larger than 512 KB as EJSON
 * - `storage_full`: the account's databases have as many bytes as they may have; what makes them smaller still works
 * - `run_ended`: the run is over
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';

  constructor(
    readonly code: string,
    message: string,
    /** What was done before the failure, by a call that goes in several steps: documents inserted so far. */
    readonly insertedCount?: number,
  ) {
    super(message);
  }
}
