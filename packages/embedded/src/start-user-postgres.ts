import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningEngine } from './host/host-process.js';
import { startPostgres } from './postgres/start-postgres.js';

/**
 * Starts the second PostgreSQL server, with the databases of users, on `<dataDir>/user-postgres`. Users run any SQL
 * there, so it is apart from the platform's own server: it has a memory limit for each connection, and the kernel kills
 * it first when the memory of the machine is full. It stops when this process is gone, even if it was killed.
 *
 * @throws Error that says what to do
 */
export function startUserPostgres(options: {
  /** Absolute path of the data folder. */
  dataDir: string;
  /** Absolute path of the folder for downloads and copies, from `cacheDir()`. */
  cacheDir: string;
  onProgress: (line: string) => void;
  durable?: boolean;
}): Promise<RunningEngine> {
  const logDir = join(options.dataDir, 'logs');
  mkdirSync(logDir, { recursive: true, mode: 0o700 });
  return startPostgres({ durable: true, ...options, name: 'user-postgres', logDir });
}
