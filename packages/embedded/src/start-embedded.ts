import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '@trawl/folder-lock';
import { prepareDataDir } from './data-dir.js';
import { startMongodb } from './mongodb.js';
import { type RunningEngine, startPostgres } from './postgres.js';

export interface EmbeddedOptions {
  /** Absolute path of the data folder, as `placeDataDir` gave it; made if it is not there. */
  dataDir: string;
  /** Absolute path for what may be fetched again, as from `cacheDir()`. */
  cacheDir: string;
  /** Gets a line for a person whenever something takes a while or goes wrong. */
  onProgress: (line: string) => void;
  /** Address of a PostgreSQL of the user's own, which is then used instead. */
  postgresUrl?: string | undefined;
  /** Address of a MongoDB of the user's own, which is then used instead. */
  mongodbUri?: string | undefined;
  /** False: PostgreSQL waits for no disk. For tests, whose data nobody misses after a crash. True unless said. */
  durable?: boolean;
}

export interface EmbeddedDatabases {
  /** Address with the superuser's password. */
  postgresUrl: string;
  mongodbUri: string;
  /** Stops what was started here, within some 15 seconds; may be called again. */
  stop(): Promise<void>;
}

/**
 * Takes the data folder for this process alone, until `stop` or its end, and starts the databases of the default set-up.
 * Each runs under a small host process that ends it when this process is gone, however it went. Rejects with a message
 * that says what to do; nothing is left running then.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabases> {
  const { dataDir, cacheDir, onProgress, durable = true } = options;
  prepareDataDir(dataDir);
  const lock = lockFolder(dataDir);
  const logDir = join(dataDir, 'logs');
  mkdirSync(logDir, { recursive: true, mode: 0o700 });

  const common = { dataDir, cacheDir, logDir, onProgress };
  const starts = await Promise.allSettled([
    options.postgresUrl ? external(options.postgresUrl) : startPostgres({ ...common, durable }),
    options.mongodbUri ? external(options.mongodbUri) : startMongodb(common),
  ]);
  const running = starts.filter(start => start.status === 'fulfilled').map(start => start.value);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= Promise.all(running.map(engine => engine.stop())).then(() => lock.release());
    return stopped;
  };
  const failed = starts.find(start => start.status === 'rejected');
  const [postgres, mongodb] = running;
  if (failed || !postgres || !mongodb) {
    await stop();
    throw failed?.reason;
  }
  return { postgresUrl: postgres.url, mongodbUri: mongodb.url, stop };
}

async function external(url: string): Promise<RunningEngine> {
  return { url, stop: async () => {} };
}
