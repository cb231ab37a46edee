import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningEngine } from './host/host-process.js';
import { startPostgres, urlOf } from './postgres/start-postgres.js';
import { commandLineOf } from './system/processes.js';

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

/**
 * Returns the server with the databases of users that another process has started on a data folder; undefined if none
 * runs. The returned `stop` leaves it running.
 */
export function findUserPostgres(dataDir: string): RunningEngine | undefined {
  const lock = join(dataDir, 'user-postgres', 'postmaster.pid');
  if (!existsSync(lock)) return undefined;
  // The lines of PostgreSQL's lock file: process id, data folder, time of the start, port.
  const [pid, folder, , port] = readFileSync(lock, 'utf8').split('\n');
  if (!folder || !commandLineOf(Number(pid))?.includes(folder)) return undefined;
  return { url: urlOf(dataDir, 'user-postgres', Number(port)), stop: async () => {} };
}
