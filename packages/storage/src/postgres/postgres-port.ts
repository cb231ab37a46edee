import type { PostgresPort, PostgresRequest } from '../protocol/postgres-request.js';
import { StorageError } from '../protocol/storage-error.js';

/** Name of the global object that the worker's runner provides: it sends PostgreSQL calls to the platform. */
const PORT = Symbol.for('trawl.postgres');

/** Maximum size in bytes of the statement and parameters of one call. The platform refuses larger calls. */
export const MAX_CALL_BYTES = 512 * 1024;

/**
 * Sends a call to the platform, or outside a run to the server in TRAWL_POSTGRES_URL, and returns the answer.
 *
 * @param isSized whether the caller knows that the call is small enough
 * @throws StorageError
 */
export async function call<Answer>(name: string, request: PostgresRequest, isSized = false): Promise<Answer> {
  const port = (globalThis as { [PORT]?: PostgresPort })[PORT] ?? localPort();
  const bytes = isSized ? 0 : Buffer.byteLength(JSON.stringify(request));
  if (bytes > MAX_CALL_BYTES) {
    throw new StorageError(
      'storage_too_large',
      `postgres.${name}: the call is ${bytes} bytes as JSON; the limit is ${MAX_CALL_BYTES}. Split it into several calls.`,
    );
  }
  const reply = await port(request);
  if (!('error' in reply)) return reply.result as Answer;
  const { code, message, sql_state: sqlState, position } = reply.error;
  const details = sqlState === undefined ? undefined : { sqlState, ...(position === undefined ? {} : { position }) };
  throw new StorageError(code, `postgres.${name}: ${message}`, undefined, details);
}

/** Loads the library for other servers only outside a run. */
function localPort(): PostgresPort {
  return (require('../local/local-postgres.js') as typeof import('../local/local-postgres.js')).localPostgres;
}
