import { EJSON } from 'bson';
import { StorageError } from './storage-error.js';

/** A call on its way out of the run. `args` is canonical EJSON text of one object. */
export interface StorageRequest {
  db?: string;
  collection: string;
  method: string;
  args: string;
}

/** `result` is canonical EJSON text. */
export type StorageReply = { result: string } | { error: { code: string; message: string } };

export type StoragePort = (request: StorageRequest) => Promise<StorageReply>;

/** The run provides its port to the platform under this symbol of `globalThis`. */
const PORT = Symbol.for('trawl.storage');

/** One call is at most this many bytes of EJSON; the platform refuses larger ones. */
export const MAX_CALL_BYTES = 512 * 1024;

export const toText = (value: unknown): string => EJSON.stringify(value, { relaxed: false });

/** Sends one call to the platform and gives its answer back, or throws a `StorageError`. */
export async function call<Answer>(
  place: { db: string | undefined; collection: string },
  method: string,
  args: object,
): Promise<Answer> {
  const port = (globalThis as { [PORT]?: StoragePort })[PORT];
  if (!port) {
    throw new StorageError(
      'storage_unavailable',
      `${place.collection}.${method}: there is no run here. @trawl/storage reaches your databases only from a skript that a worker runs.`,
    );
  }
  const text = toText(args);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_CALL_BYTES) {
    throw new StorageError(
      'storage_too_large',
      `${place.collection}.${method}: the call is ${bytes} bytes as EJSON, more than the ${MAX_CALL_BYTES} that one call may have. Split it.`,
    );
  }
  const reply = await port({
    ...(place.db === undefined ? {} : { db: place.db }),
    collection: place.collection,
    method,
    args: text,
  });
  if ('error' in reply) {
    throw new StorageError(reply.error.code, `${place.collection}.${method}: ${reply.error.message}`);
  }
  return EJSON.parse(reply.result, { relaxed: true }) as Answer;
}
