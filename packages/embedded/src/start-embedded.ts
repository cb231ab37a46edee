import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderInUseError, lockFolder } from '@trawl/folder-lock';
import { prepareDataDir } from './data-dir.js';
import type { RunningEngine } from './host/host-process.js';
import { startMongodb } from './mongodb/start-mongodb.js';
import { startPostgres } from './postgres/start-postgres.js';
import { defaultDataBytes } from './system/data-limit.js';

export interface EmbeddedOptions {
  /** Absolute path of the data folder, from `placeDataDir`; created if missing. */
  dataDir: string;
  /** Absolute path of the folder for downloads and copies, from `cacheDir()`. */
  cacheDir: string;
  /** Called with a line of text for the user when something takes long or fails. */
  onProgress: (line: string) => void;
  /** Address of your own PostgreSQL server; without it Trawl starts one. */
  postgresUrl?: string | undefined;
  /** Address of your own MongoDB server; without it Trawl starts one. */
  mongodbUri?: string | undefined;
  /**
   * True (the default) if PostgreSQL waits until its data is on the disk. Tests set it to false, because they need no
   * data after a crash.
   */
  durable?: boolean;
  /** Memory that MongoDB may allocate. The default is a quarter of the memory. */
  mongodbBytes?: number;
}

export interface EmbeddedDatabases {
  /** Address of PostgreSQL, with the name and password of the superuser. */
  postgresUrl: string;
  mongodbUri: string;
  /** Stops the databases that were started here, within about 15 seconds. You can call it more than once. */
  stop(): Promise<void>;
}

/**
 * Locks the data folder for this process and starts the databases. Each database has a small host process, which stops
 * the database when this process is gone, even if it was killed. The folder is unlocked by `stop`, or when this process
 * ends.
 *
 * @throws Error that says what to do. In this case no database keeps running.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabases> {
  const { dataDir, cacheDir, onProgress, durable = true, mongodbBytes = defaultDataBytes() } = options;
  prepareDataDir(dataDir);
  const lock = lockFolder(dataDir);
  rmSync(urlsFile(dataDir), { force: true });
  const logDir = join(dataDir, 'logs');
  mkdirSync(logDir, { recursive: true, mode: 0o700 });

  const common = { dataDir, cacheDir, logDir, onProgress };
  const starts = await Promise.allSettled([
    options.postgresUrl ? external(options.postgresUrl) : startPostgres({ ...common, durable }),
    options.mongodbUri ? external(options.mongodbUri) : startMongodb({ ...common, dataBytes: mongodbBytes }),
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
  const urls = { postgresUrl: postgres.url, mongodbUri: mongodb.url };
  // Read by `findEmbedded` while this process holds the lock of the folder.
  writeFileSync(urlsFile(dataDir), `${JSON.stringify(urls)}\n`, { mode: 0o600 });
  return { ...urls, stop };
}

/**
 * Returns the databases that another process has started on a data folder; undefined if none does. The returned `stop`
 * leaves them running.
 *
 * @throws Error if that process is still starting them
 */
export function findEmbedded(dataDir: string): EmbeddedDatabases | undefined {
  try {
    lockFolder(dataDir).release();
    return undefined;
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    if (!existsSync(urlsFile(dataDir))) {
      throw new Error(`The process ${error.pid} is starting the databases in ${dataDir}. Try again when it is ready.`);
    }
  }
  return { ...JSON.parse(readFileSync(urlsFile(dataDir), 'utf8')), stop: async () => {} };
}

/** The file with the addresses and passwords of running databases. */
const urlsFile = (dataDir: string): string => join(dataDir, 'databases.json');

async function external(url: string): Promise<RunningEngine> {
  return { url, stop: async () => {} };
}
