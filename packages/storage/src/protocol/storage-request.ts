/** A storage call to the platform. */
export interface StorageRequest {
  db?: string;
  collection: string;
  method: string;
  /** BSON of an object. */
  args: Uint8Array;
  /** For an insert of rows of a run: how many rows the run has stored when the call succeeds. */
  rows?: number;
  /** True for a call that moves a part of a value. It is not counted in what the run has written. */
  uncounted?: boolean;
}

/**
 * `result` is BSON of an object. `inserted_count` and `modified_count`: how many documents a call has added and replaced
 * although it failed.
 */
export type StorageReply =
  | { result: Uint8Array }
  | { error: { code: string; message: string; inserted_count?: number; modified_count?: number } };

export type StoragePort = (request: StorageRequest) => Promise<StorageReply>;
