import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../cache-dir.js';
import { CappedLog } from '../host/capped-log.js';
import { postgresBinaries } from '../postgres/postgres-binaries.js';
import { settingsWithFiles } from '../setting-files.js';
import { IDLE_MS } from '../start-user-postgres.js';
import { postgresUser } from '../system/engine-user.js';
import { startServersOfUsers } from './user-postgres.js';

// The program of the container `user-postgres`: serves the PostgreSQL of all accounts until it gets a signal.

const {
  POSTGRES_PASSWORD,
  TRAWL_DATA_DIR = '/data',
  HOST = '0.0.0.0',
  PORT = '5432',
} = settingsWithFiles(process.env, ['POSTGRES_PASSWORD']);
if (!POSTGRES_PASSWORD)
  throw new Error('Set POSTGRES_PASSWORD or POSTGRES_PASSWORD_FILE: the password of USER_POSTGRES_URL.');
const user = postgresUser();
const { binDir, version } = postgresBinaries(cacheDir(), user);
const logs = join(TRAWL_DATA_DIR, 'logs');
mkdirSync(logs, { recursive: true, mode: 0o700 });
const log = new CappedLog(join(logs, 'user-postgres.log'));
try {
  const servers = await startServersOfUsers({
    binDir,
    version,
    user,
    log,
    root: join(TRAWL_DATA_DIR, 'servers'),
    // Where the image postgres:18 kept its data, on the same volume.
    sharedFolders: [join(TRAWL_DATA_DIR, '18', 'docker')],
    host: HOST,
    port: Number(PORT),
    password: POSTGRES_PASSWORD.trim(),
    durable: true,
    idleMs: IDLE_MS,
  });
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      void servers.stop().then(() => process.exit(0));
    });
  }
  console.log(`The PostgreSQL of users listens on ${HOST}:${PORT}. The log of its servers is ${log.path}.`);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
