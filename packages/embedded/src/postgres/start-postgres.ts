import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { hostPath } from '../host/host-path.js';
import { HostProcess, type RunningEngine } from '../host/host-process.js';
import { postgresUser, type SystemUser } from '../system/engine-user.js';
import { freePort } from '../system/free-port.js';
import { postgresBinaries } from './postgres-binaries.js';
import type { PostgresHostConfig } from './postgres-host.js';

const SUPERUSER = 'trawl';
const DATABASE = 'trawl';
const PORT_ATTEMPTS = 5;

/** The platform's own server, and the server with the databases of users. */
export type PostgresName = 'postgres' | 'user-postgres';

export interface PostgresOptions {
  name: PostgresName;
  dataDir: string;
  cacheDir: string;
  logDir: string;
  durable: boolean;
  onProgress: (line: string) => void;
}

/**
 * Starts PostgreSQL on `<dataDir>/<name>`, which it creates the first time. The server listens on a free port of
 * 127.0.0.1. The returned `url` is for the superuser. Its random password is in `<dataDir>/<name>.password`, which
 * only the owner can read.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningEngine> {
  const { name, dataDir, cacheDir, logDir, durable, onProgress } = options;
  const user = postgresUser();
  const { binDir, version, copiedFrom } = postgresBinaries(cacheDir, user);
  if (copiedFrom) onProgress(`PostgreSQL runs from ${binDir}, because its user cannot use ${copiedFrom}`);
  const folder = join(dataDir, name);
  const passwordFile = passwordFileOf(dataDir, name);
  const isNew = !existsSync(folder);
  if (isNew) {
    onProgress('Creating the PostgreSQL database');
    await initialise({ folder, binDir, user, passwordFile, durable });
  }
  refuseOtherVersion(folder, version);

  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const config: PostgresHostConfig = {
      binDir,
      folder,
      port,
      durable,
      logPath: join(logDir, `${name}.log`),
      runsStatementsOfUsers: name === 'user-postgres',
    };
    if (user) config.user = { uid: user.uid, gid: user.gid };
    const host = new HostProcess(
      {
        engine: 'PostgreSQL',
        command: process.execPath,
        args: [hostPath('postgres/postgres-host'), JSON.stringify(config)],
        logPath: config.logPath,
      },
      onProgress,
    );
    try {
      await host.start();
      if (isNew) await createDatabase(urlOf(dataDir, name, port, 'postgres'));
      return { url: urlOf(dataDir, name, port), stop: () => host.stop() };
    } catch (error) {
      await host.stop();
      const portTaken = error instanceof Error && /Address already in use/.test(error.message);
      if (!portTaken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/** Returns the address of the server on `<dataDir>/<name>`, for the superuser. */
export function urlOf(dataDir: string, name: PostgresName, port: number, database = DATABASE): string {
  const password = readFileSync(passwordFileOf(dataDir, name), 'utf8').trim();
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

const passwordFileOf = (dataDir: string, name: PostgresName): string => join(dataDir, `${name}.password`);

/** Runs initdb in a temporary folder and renames it, so that `folder` is always complete. */
async function initialise(options: {
  folder: string;
  binDir: string;
  user: SystemUser | undefined;
  passwordFile: string;
  durable: boolean;
}): Promise<void> {
  const { binDir, user, passwordFile, durable } = options;
  const workDir = `${options.folder}.new`;
  const folder = join(workDir, 'data');
  const passwordForInitdb = join(workDir, 'password');
  rmSync(workDir, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  for (const file of [passwordFile, passwordForInitdb]) writeFileSync(file, `${password}\n`, { mode: 0o600 });
  if (user) for (const path of [workDir, folder, passwordForInitdb]) chownSync(path, user.uid, user.gid);

  const initdb = spawn(
    join(binDir, 'initdb'),
    [
      `--pgdata=${folder}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordForInitdb}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(durable ? [] : ['--no-sync']),
    ],
    {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(user && { uid: user.uid, gid: user.gid }),
    },
  );
  let output = '';
  for (const stream of [initdb.stdout, initdb.stderr]) stream.on('data', chunk => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    initdb.on('error', reject).on('close', resolve);
  });
  if (code !== 0) throw new Error(`PostgreSQL's initdb failed in ${folder}: ${output.trim().slice(-2000)}`);
  renameSync(folder, options.folder);
  rmSync(workDir, { recursive: true });
}

function refuseOtherVersion(folder: string, version: string): void {
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
