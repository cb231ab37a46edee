import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { postgresUser, RUN_UID, succeedsAs } from './system/engine-user.js';
import { errnoOf } from './system/errno.js';

export interface PlacedDataDir {
  /** Absolute path of the folder to use; it exists. */
  dataDir: string;
  /** The folder that was requested, when `dataDir` is another one. */
  movedFrom?: string;
  /** Why the folder moved, as text that can follow the word "because". */
  reason?: string;
}

const HOME_OF_MOVED_FOLDERS = '/var/lib/trawl';

/**
 * Chooses the data folder and creates it. When root starts Trawl, PostgreSQL and the runs get their own users, who
 * cannot enter a folder below /root. The data folder then moves to /var/lib/trawl, and a symbolic link at the requested
 * path leads to it, so that the next start and the user can find it.
 *
 * @throws Error that says what to do when neither folder is usable
 */
export function placeDataDir(requested: string): PlacedDataDir {
  const asked = resolve(requested);
  const user = postgresUser();
  const dataDir = existsSync(asked) ? realpathSync(asked) : asked;
  const existed = existsSync(dataDir);
  prepareDataDir(dataDir);
  const reason = user && whyUnreachable(dataDir, user);
  if (!reason) {
    if (dataDir === asked || !isMoved(dataDir)) return { dataDir };
    return { dataDir, movedFrom: asked, reason: `the users of the databases and the runs cannot reach ${asked}` };
  }

  if (existsSync(join(dataDir, 'postgres'))) {
    throw new Error(
      `The data folder ${dataDir} holds databases, but ${reason}. ` +
        `Open the folders above it (chmod o+x), or move it and set TRAWL_DATA_DIR to its new place.`,
    );
  }
  const moved = movedPath(asked);
  mkdirSync(HOME_OF_MOVED_FOLDERS, { recursive: true, mode: 0o711 });
  prepareDataDir(moved);
  const stillUnreachable = whyUnreachable(moved, user);
  if (stillUnreachable) {
    throw new Error(
      `Neither ${dataDir} nor ${moved} can hold the databases: ${stillUnreachable}. ` +
        `Set TRAWL_DATA_DIR to a folder that the user "${user.name}" can reach.`,
    );
  }
  if (!existed) {
    rmdirSync(dataDir);
    symlinkSync(moved, asked);
  }
  return { dataDir: moved, movedFrom: asked, reason };
}

/**
 * Creates the data folder. If root starts Trawl, other users can enter the folder but cannot list its files. Otherwise
 * they cannot even enter it.
 */
export function prepareDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}

function isMoved(dataDir: string): boolean {
  return dataDir.startsWith(`${HOME_OF_MOVED_FOLDERS}/`);
}

function movedPath(asked: string): string {
  const name = basename(asked) === '.trawl' ? basename(dirname(asked)) : basename(asked);
  const hash = createHash('sha256').update(asked).digest('hex').slice(0, 8);
  return join(HOME_OF_MOVED_FOLDERS, `${name.replace(/[^\w.-]/g, '_')}-${hash}`);
}

function whyUnreachable(dataDir: string, user: { name: string; uid: number; gid: number }): string | undefined {
  const probe = mkdtempSync(join(dataDir, '.probe-'));
  try {
    chownSync(probe, user.uid, user.gid);
    if (!succeedsAs(user, 'cd "$1" && : > "$1/file"', probe)) return `the user "${user.name}" cannot reach ${dataDir}`;
    const run = { uid: RUN_UID, gid: RUN_UID };
    chownSync(probe, run.uid, run.gid);
    if (!succeedsAs(run, 'cd "$1"', probe)) return `the users of the runs cannot reach ${dataDir}`;
    return undefined;
  } catch (error) {
    if (errnoOf(error) === 'EPERM') {
      return `the file system of ${dataDir} cannot give files to the user "${user.name}"`;
    }
    throw error;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}
