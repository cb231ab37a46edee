import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir, findEmbedded, placeDataDir, startEmbedded } from '@trawl/embedded';
import { settingsWithFiles } from '@trawl/embedded/setting-files';
import { type Config, loadConfig, PREVIOUS_SECRET_FILE, readStoredSecret } from '../../platform/common/config.js';
import { AdminError } from './admin-error.js';
import { note } from './terminal.js';

const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
const LOCATED = ['POSTGRES_URL', 'USER_POSTGRES_URL', 'MONGODB_URI', 'TRAWL_SECRET', 'TRAWL_SECRET_PREVIOUS'];
/** Keeps `loadConfig` from generating a secret, with which a restored platform could not start. */
const NO_SECRET = '-'.repeat(32);

/** The settings of the backend, and its databases, which run. */
export interface Platform {
  config: Config;
  /** False if this machine has no secret, for example before a restore. `config.secret` is then of no use. */
  hasSecret: boolean;
  /** Whether both databases are those that `npm start` keeps in the data folder. */
  isEmbedded: boolean;
  /** Stops the databases that were started here. */
  close: () => Promise<void>;
}

/**
 * Reads the settings as the backend does: from the environment, and from the file `.env` of the checkout. A relative data
 * folder is below the checkout, as for `npm start`.
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  const file = join(repositoryRoot, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  const env = settingsWithFiles(process.env, LOCATED);
  // Otherwise the settings would be set twice.
  for (const name of LOCATED) delete env[`${name}_FILE`];
  return { ...env, TRAWL_DATA_DIR: resolve(repositoryRoot, env.TRAWL_DATA_DIR ?? './.trawl') };
}

/**
 * Finds the databases of the settings. Without `POSTGRES_URL` or `MONGODB_URI`, these are the embedded ones in the data
 * folder: they are used if a platform runs there, and started otherwise.
 * @param mayCreate whether the data folder may be new
 * @throws {AdminError | ConfigError}
 */
export async function openPlatform({ mayCreate = false } = {}): Promise<Platform> {
  const env = readEnvironment();
  const needsEmbedded = !env.POSTGRES_URL || !env.MONGODB_URI;
  const embedded = needsEmbedded ? await openEmbedded(env, mayCreate) : null;
  const located = embedded ? { ...env, USER_POSTGRES_URL: env.USER_POSTGRES_URL ?? 'embedded', ...embedded.env } : env;
  const dataDir = String(located.TRAWL_DATA_DIR);
  const secret = env.TRAWL_SECRET ?? readStoredSecret(dataDir);
  const isGenerated = env.TRAWL_SECRET === undefined;
  const previous = isGenerated ? readStoredSecret(dataDir, PREVIOUS_SECRET_FILE) : undefined;
  const config = loadConfig({
    ...located,
    TRAWL_SECRET: secret ?? NO_SECRET,
    TRAWL_SECRET_PREVIOUS: env.TRAWL_SECRET_PREVIOUS ?? previous,
  });
  return {
    config,
    hasSecret: secret !== undefined,
    isEmbedded: !env.POSTGRES_URL && !env.MONGODB_URI,
    close: embedded?.stop ?? (async () => undefined),
  };
}

/** Returns the data folder of the settings. `npm start` may have moved it. */
export function findDataDir(env: NodeJS.ProcessEnv): string {
  const asked = String(env.TRAWL_DATA_DIR);
  try {
    return placeDataDir(asked).dataDir;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'EACCES') throw new AdminError(message);
    throw new AdminError(`This user cannot use the data folder ${asked}. Run the command as the user of the backend.`);
  }
}

async function openEmbedded(env: NodeJS.ProcessEnv, mayCreate: boolean) {
  const asked = String(env.TRAWL_DATA_DIR);
  if (!mayCreate && !existsSync(asked)) {
    throw new AdminError(
      `There is no platform: ${asked} does not exist, and POSTGRES_URL is not set. Set TRAWL_DATA_DIR or POSTGRES_URL as for the backend.`,
    );
  }
  const dataDir = findDataDir(env);
  const own = { postgresUrl: env.POSTGRES_URL, mongodbUri: env.MONGODB_URI };
  const options = { dataDir, cacheDir: cacheDir(), onProgress: note, ...own };
  const find = async () => findEmbedded(dataDir) ?? (await startEmbedded(options));
  const databases = await find().catch((error: Error) => {
    throw new AdminError(error.message);
  });
  return {
    env: {
      TRAWL_DATA_DIR: dataDir,
      POSTGRES_URL: own.postgresUrl ?? databases.postgresUrl,
      MONGODB_URI: own.mongodbUri ?? databases.mongodbUri,
    },
    stop: () => databases.stop(),
  };
}
