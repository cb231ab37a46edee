import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '@trawl/folder-lock';
import type { CappedLog } from '../host/capped-log.js';
import type { HostedEngine } from '../host/run-host.js';
import { type ClusterOptions, defaultMemoryBytes, makeFolderFor, writeFor } from './cluster-options.js';
import { Clusters } from './clusters.js';
import { Router } from './router.js';
import { scramVerifier } from './scram-server.js';
import { SharedServer } from './shared-server.js';

export interface UserPostgresOptions {
  binDir: string;
  /** Version of PostgreSQL in `binDir`. */
  version: string;
  /** Folder with a folder for each account's server. */
  root: string;
  /** Folders in which earlier versions kept one server for all accounts. The data in them moves. */
  sharedFolders: string[];
  /** Address on which the router listens. */
  host: string;
  port: number;
  password: string;
  durable: boolean;
  /** A server stops this long after its last connection. */
  idleMs: number;
  lostSessionMs?: number | undefined;
  /** Memory of one server with all its sessions. */
  memoryBytes?: number | undefined;
  log: CappedLog;
  user?: { uid: number; gid: number } | undefined;
}

/** What a running host says of itself in the file `host.json` of its folder. */
export interface HostNote {
  pid: number;
  port: number;
  socketDir: string;
}

/**
 * Starts the servers of accounts: each account's server starts at its first connection and stops when nobody uses it.
 * The returned `stop` stops all of them.
 */
export async function startServersOfUsers(options: UserPostgresOptions): Promise<HostedEngine> {
  const { root, sharedFolders, user, log } = options;
  setAside(root);
  makeFolderFor(user, root);
  const lock = lockFolder(root);
  removeSocketsOf(readNote(root));
  const socketDir = mkdtempSync(join(tmpdir(), 'trawl-pg-'));
  makeFolderFor(user, socketDir);
  chmodSync(socketDir, 0o700);
  const hbaFile = join(socketDir, 'pg_hba.conf');
  writeFor(user, hbaFile, 'local all all scram-sha-256\n');

  const { memoryBytes = defaultMemoryBytes() } = options;
  const clusterOptions: ClusterOptions = { ...options, socketDir, hbaFile, memoryBytes };
  let shared: SharedServer | undefined;
  for (const folder of [...sharedFolders, asideOf(root)]) shared ??= await SharedServer.open(folder, clusterOptions);
  const clusters = new Clusters(clusterOptions, shared);
  await clusters.tidy();
  const router = new Router({
    clusters,
    log,
    version: options.version,
    verifier: scramVerifier(options.password),
    lostSessionMs: options.lostSessionMs,
  });
  await router.listen(options.port, options.host);
  clusters.prepare();
  const note: HostNote = { pid: process.pid, port: options.port, socketDir };
  writeFileSync(noteOf(root), JSON.stringify(note), { mode: 0o600 });

  return {
    exited: new Promise(() => {}),
    async stop() {
      router.close();
      await clusters.close();
      rmSync(noteOf(root), { force: true });
      rmSync(socketDir, { recursive: true, force: true });
      lock.release();
    },
  };
}

/** Earlier versions kept the folder of the shared server where the folders of all servers are now. */
function setAside(root: string): void {
  if (existsSync(join(root, 'PG_VERSION'))) renameSync(root, asideOf(root));
}

const asideOf = (root: string): string => `${root}-shared`;

const noteOf = (root: string): string => join(root, 'host.json');

/** Returns the note of the last host on a folder, which may have ended. */
export function readNote(root: string): HostNote | undefined {
  try {
    return JSON.parse(readFileSync(noteOf(root), 'utf8')) as HostNote;
  } catch {
    return undefined;
  }
}

/** A killed host has left its folder in the folder for temporary files. */
function removeSocketsOf(note: HostNote | undefined): void {
  if (note?.socketDir.startsWith(join(tmpdir(), 'trawl-pg-'))) rmSync(note.socketDir, { recursive: true, force: true });
}
