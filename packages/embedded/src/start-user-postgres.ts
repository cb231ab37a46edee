import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningEngine } from './host/host-process.js';
import { startHostOnPort } from './postgres/host-on-port.js';
import { postgresBinaries } from './postgres/postgres-binaries.js';
import { urlOf } from './postgres/start-postgres.js';
import { postgresUser } from './system/engine-user.js';
import { commandLineOf } from './system/processes.js';
import { readNote } from './user-postgres/user-postgres.js';
import type { UserPostgresHostConfig } from './user-postgres/user-postgres-host.js';

/** How long the server of an account stays awake without connections. */
export const IDLE_MS = 5 * 60_000;

/**
 * Starts the PostgreSQL of users on `<dataDir>/user-postgres`: a program that starts a server for each account when it is
 * used, because users run any SQL there. A server that is out of order, or that restarts, harms only its account. The
 * program stops when this process is gone, even if it was killed.
 *
 * @throws Error that says what to do
 */
export async function startUserPostgres(options: {
  /** Absolute path of the data folder. */
  dataDir: string;
  /** Absolute path of the folder for downloads and copies, from `cacheDir()`. */
  cacheDir: string;
  onProgress: (line: string) => void;
  durable?: boolean;
  /** How long a server stays awake without connections. */
  idleMs?: number;
  /** How long a session may run after its client is gone. */
  lostSessionMs?: number;
  /** Memory of one server with all its sessions. */
  memoryBytes?: number;
}): Promise<RunningEngine> {
  const { dataDir, cacheDir, onProgress, durable = true, idleMs = IDLE_MS, lostSessionMs, memoryBytes } = options;
  const logDir = join(dataDir, 'logs');
  mkdirSync(logDir, { recursive: true, mode: 0o700 });
  const user = postgresUser();
  const { binDir, version } = postgresBinaries(cacheDir, user);
  const password = passwordOf(dataDir);
  const configFor = (port: number): UserPostgresHostConfig => ({
    binDir,
    version,
    root: rootOf(dataDir),
    sharedFolders: [],
    host: '127.0.0.1',
    port,
    passwordFile: passwordFileOf(dataDir),
    durable,
    idleMs,
    lostSessionMs,
    memoryBytes,
    logPath: join(logDir, 'user-postgres.log'),
    user: user && { uid: user.uid, gid: user.gid },
  });
  const { port, host } = await startHostOnPort('user-postgres/user-postgres-host', configFor, onProgress);
  return { url: urlOf(password, port), stop: () => host.stop() };
}

/**
 * Returns the PostgreSQL of users that another process has started on a data folder; undefined if none runs. The
 * returned `stop` leaves it running.
 */
export function findUserPostgres(dataDir: string): RunningEngine | undefined {
  const note = readNote(rootOf(dataDir));
  if (!note || !commandLineOf(note.pid)?.includes('user-postgres-host')) return undefined;
  return { url: urlOf(passwordOf(dataDir), note.port), stop: async () => {} };
}

const rootOf = (dataDir: string): string => join(dataDir, 'user-postgres');

const passwordFileOf = (dataDir: string): string => join(dataDir, 'user-postgres.password');

/** Returns the superuser's password, which is generated the first time. */
function passwordOf(dataDir: string): string {
  const file = passwordFileOf(dataDir);
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
