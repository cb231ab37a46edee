import { decode, encode } from './protocol/bson-documents.js';
import { StorageError } from './protocol/storage-error.js';
import type { StoragePort, StorageRequest } from './protocol/storage-request.js';

/** Name of the global object that the worker's runner provides: it sends storage calls to the platform. */
const PORT = Symbol.for('trawl.storage');

/** Maximum size in bytes of the arguments of one call as BSON. The platform refuses larger calls. */
export const MAX_CALL_BYTES = 512 * 1024;

/**
 * Sends a call to the platform, or outside a run to local files, and returns the answer.
 *
 * @param shown the method that the skript called, for errors
 * @throws StorageError
 */
export async function call<Answer>(
  namespace: { db: string | undefined; collection: string },
  method: string,
  args: object,
  shown = method,
): Promise<Answer> {
  const { db, collection } = namespace;
  const name = `${collection}.${shown}`;
  return send<Answer>({ ...(db === undefined ? {} : { db }), collection, method, args: encode(args, name) }, name);
}

/**
 * Does what `call` does with a complete request.
 *
 * @param name of the call, for errors
 * @throws StorageError
 */
export async function send<Answer>(request: StorageRequest, name: string): Promise<Answer> {
  const port = (globalThis as { [PORT]?: StoragePort })[PORT] ?? localPort();
  const { length } = request.args;
  if (length > MAX_CALL_BYTES) {
    throw new StorageError(
      'storage_too_large',
      `${name}: the call is ${length} bytes as BSON; the limit is ${MAX_CALL_BYTES}. Split it into several calls.`,
    );
  }
  const reply = await port(request);
  if ('error' in reply) {
    const { code, message, inserted_count = 0, modified_count = 0 } = reply.error;
    throw new StorageError(code, `${name}: ${message}`, inserted_count + modified_count || undefined);
  }
  return decode(reply.result) as Answer;
}

/** Loads the local files only outside a run, because they need a library that takes time to load. */
function localPort(): StoragePort {
  return (require('./local/local-port.js') as typeof import('./local/local-port.js')).localPort;
}
