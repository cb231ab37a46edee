import { spawnSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** O_EXLOCK of macOS, which locks the file in open(2); Node has no constant for it. */
const DARWIN_O_EXLOCK = 0x20;
/** libuv's UV_FS_O_EXLOCK for Windows, which opens the file exclusively; Node has no constant for it. */
const WINDOWS_EXLOCK = 0x10000000;
const LOCK_FILE = 'lock';

/** Another process holds the lock of a folder. The message names it, and says what to do. */
export class FolderInUseError extends Error {
  constructor(
    folder: string,
    /** Id of the process that holds the lock; empty if it is unknown. */
    readonly pid: string,
  ) {
    const who = pid ? `another Trawl (process ${pid})` : 'another Trawl';
    super(`The folder ${folder} is in use by ${who}. Stop that one, or set TRAWL_DATA_DIR to another folder.`);
  }
}

/** A lock that lasts until `release` is called or this process ends. A kill of this process also ends the lock. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks a folder for this process, with a kernel lock on the file `lock` in it. After a crash the folder is not locked.
 * Only the file remains, with the id of the last process that had the lock.
 *
 * @param folder absolute path of an existing folder
 * @throws {FolderInUseError} if another process holds the lock
 */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, LOCK_FILE);
  const file = openLocked(path);
  if (file === null) throw new FolderInUseError(folder, ownerNamedIn(path));
  ftruncateSync(file);
  writeSync(file, `${process.pid}\n`, 0);
  return { release: () => closeSync(file) };
}

/**
 * Returns the descriptor of the locked file; null if another process has the lock. Child processes do not inherit the
 * descriptor.
 */
function openLocked(path: string): number | null {
  const { O_RDWR, O_CREAT, O_NONBLOCK } = constants;
  const own = { darwin: O_NONBLOCK | DARWIN_O_EXLOCK, win32: WINDOWS_EXLOCK }[process.platform as string];
  if (own !== undefined) {
    try {
      return openSync(path, O_RDWR | O_CREAT | own, 0o600);
    } catch (error) {
      if (['EAGAIN', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
      throw error;
    }
  }
  const file = openSync(path, O_RDWR | O_CREAT, 0o600);
  // `flock` locks the file that this process has open. So the file stays locked after `flock` has ended, until this
  // process ends.
  const { status, error, stderr } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    encoding: 'utf8',
  });
  if (status === 0) return file;
  closeSync(file);
  if (error) throw new Error(`Trawl needs the program "flock" of util-linux to lock ${path}: ${error.message}.`);
  if (status === 1 && stderr === '') return null;
  throw new Error(`Trawl cannot lock ${path}: ${stderr.trim() || `flock ended with ${status}`}.`);
}

function ownerNamedIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // On Windows nobody else can read a locked file.
    return '';
  }
}
