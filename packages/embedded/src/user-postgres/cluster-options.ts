import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import type { CappedLog } from '../host/capped-log.js';
import { availableBytes } from '../system/data-limit.js';

export interface ClusterOptions {
  binDir: string;
  /** Version of PostgreSQL in `binDir`. */
  version: string;
  /** Folder with a folder for each account's server. */
  root: string;
  /** Folder for socket files. Its path is short, because the system allows about 100 characters. */
  socketDir: string;
  hbaFile: string;
  durable: boolean;
  log: CappedLog;
  user?: { uid: number; gid: number } | undefined;
  /** Password of the superuser of all servers. */
  password: string;
  /** A server stops this long after its last connection. */
  idleMs: number;
  /** Memory of one server with all its sessions. */
  memoryBytes: number;
}

const MB = 1024 * 1024;

/** A quarter of the memory of the machine or the container, at most 2 GB. */
export const defaultMemoryBytes = (): number =>
  Math.max(512 * MB, Math.min(2048 * MB, Math.floor(availableBytes() / 4)));

/** Name of an account's server, and of the database and the role on it. */
export const CLUSTER_NAME = /^u_[0-9a-f]{32}$/;

/** Writes a file that PostgreSQL's user can read. */
export function writeFor(user: { uid: number; gid: number } | undefined, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  if (user) chownSync(path, user.uid, user.gid);
}

export function makeFolderFor(user: { uid: number; gid: number } | undefined, path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (user) chownSync(path, user.uid, user.gid);
}
