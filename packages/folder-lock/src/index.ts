import { spawnSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** open(2) of macOS takes the same lock at once with this flag, which Node has no name for. */
const DARWIN_O_EXLOCK = 0x20;
/** Of libuv, for Windows: nobody else can open the file meanwhile. Node has no name for it either. */
const WINDOWS_EXLOCK = 0x10000000;
const LOCK_FILE = 'lock';

/** What is held is held until `release` or this process's end, however that comes. */
export interface FolderLock {
  release(): void;
}

/**
 * Takes a folder for this process alone, by a lock of the kernel on the file `lock` in it: no crash leaves one behind.
 * The file itself stays, with the process id of who had it last.
 * @param folder absolute; it exists
 * @throws Error that names the process when another one has the folder, and says what to do
 */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, LOCK_FILE);
  const file = openLocked(path);
  if (file === null) throw new Error(inUse(folder, path));
  ftruncateSync(file);
  writeSync(file, `${process.pid}\n`, 0);
  return { release: () => closeSync(file) };
}

/** The descriptor, which no child process inherits; null when another process has the lock. */
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
  // The lock belongs to what was opened here, not to the program that asks for it: it outlives that, and ends with us.
  const { status, error, stderr } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    encoding: 'utf8',
  });
  if (status === 0) return file;
  closeSync(file);
  if (error) throw new Error(`The program "flock" (of util-linux) is needed to lock ${path}: ${error.message}.`);
  if (status === 1 && stderr === '') return null;
  throw new Error(`${path} cannot be locked: ${stderr.trim() || `flock ended with ${status}`}.`);
}

function inUse(folder: string, path: string): string {
  const pid = ownerNamedIn(path);
  const who = pid ? `another Trawl (process ${pid})` : 'another Trawl';
  return `The folder ${folder} is in use by ${who}. Stop that one, or set TRAWL_DATA_DIR to another folder.`;
}

function ownerNamedIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // Windows lets nobody read it either.
    return '';
  }
}
