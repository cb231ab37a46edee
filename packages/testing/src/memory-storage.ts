import { type LocalPort, memoryPort } from '@trawl/storage/local';

/** Names of the global objects that @trawl/storage uses instead of local files. */
const STORAGE = Symbol.for('trawl.storage');
const POSTGRES = Symbol.for('trawl.postgres');

let memory: LocalPort | undefined;

/**
 * Makes @trawl/storage keep rows, values and documents in the memory of this process. PostgreSQL is the server in
 * TRAWL_POSTGRES_URL, as in a run on this computer.
 */
export function installMemoryStorage(): void {
  memory ??= memoryPort();
  const { localPostgres } = require('@trawl/storage/local-postgres') as typeof import('@trawl/storage/local-postgres');
  Object.assign(globalThis, { [STORAGE]: memory.port, [POSTGRES]: localPostgres });
}

/** Deletes all rows, values and documents in memory. */
export function clearStorage(): void {
  memory?.close();
}
