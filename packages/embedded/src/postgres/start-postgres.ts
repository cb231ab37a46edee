import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { RunningEngine } from '../host/host-process.js';
import { postgresUser } from '../system/engine-user.js';
import { startHostOnPort } from './host-on-port.js';
import { initDatabase, SUPERUSER } from './init-database.js';
import { postgresBinaries } from './postgres-binaries.js';
import type { PostgresHostConfig } from './postgres-host.js';

const DATABASE = 'trawl';

export interface PostgresOptions {
  dataDir: string;
  cacheDir: string;
  logDir: string;
  durable: boolean;
  onProgress: (line: string) => void;
}

/**
 * Starts the platform's PostgreSQL on `<dataDir>/postgres`, which it creates the first time. The server listens on a free
 * port of 127.0.0.1. The returned `url` is for the superuser. Its random password is in `<dataDir>/postgres.password`,
 * which only the owner can read.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningEngine> {
  const { dataDir, cacheDir, logDir, durable, onProgress } = options;
  const user = postgresUser();
  const { binDir, version, copiedFrom } = postgresBinaries(cacheDir, user);
  if (copiedFrom) onProgress(`PostgreSQL runs from ${binDir}, because its user cannot use ${copiedFrom}`);
  const folder = join(dataDir, 'postgres');
  const passwordFile = join(dataDir, 'postgres.password');
  const isNew = !existsSync(folder);
  if (isNew) {
    onProgress('Creating the PostgreSQL database');
    const password = randomBytes(24).toString('base64url');
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    await initDatabase({ folder, binDir, user, password, durable });
  }
  refuseOtherVersion(folder, version);

  const configFor = (port: number): PostgresHostConfig => ({
    binDir,
    folder,
    port,
    durable,
    logPath: join(logDir, 'postgres.log'),
    ...(user && { user: { uid: user.uid, gid: user.gid } }),
  });
  const { port, host } = await startHostOnPort('postgres/postgres-host', configFor, onProgress);
  try {
    const password = readFileSync(passwordFile, 'utf8').trim();
    if (isNew) await createDatabase(urlOf(password, port, 'postgres'));
    return { url: urlOf(password, port), stop: () => host.stop() };
  } catch (error) {
    await host.stop();
    throw error;
  }
}

/** Returns the address of a server on this machine, for the superuser. */
export function urlOf(password: string, port: number, database = DATABASE): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** @throws Error that says what to do */
export function refuseOtherVersion(folder: string, version: string): void {
  const written = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  const [major] = version.split('.');
  if (written === major) return;
  throw new Error(
    `${folder} was written by PostgreSQL ${written}, and this Trawl has ${major}. ` +
      `Start the Trawl that wrote it and dump the database there, or set TRAWL_DATA_DIR to a new folder.`,
  );
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
