import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderInUseError, lockFolder } from '@trawl/folder-lock';
import { removeFolder } from '../process/remove-folder.js';

/** A folder that is younger than this may not be locked by its process yet. */
const LOCKED_AFTER_MS = 60_000;

export interface OwnFolder {
  path: string;
  remove(): Promise<void>;
}

/**
 * Creates a folder for this process, in a folder of the cache, and locks it. Removes the folders that killed processes
 * have left.
 */
export async function makeOwnFolder(cache: string): Promise<OwnFolder> {
  const all = join(cache, 'local-runs');
  const path = join(all, randomUUID());
  await mkdir(path, { recursive: true });
  // The user of a run must be able to pass through these folders to its own folder, but not to list them.
  for (const folder of [all, path]) await chmod(folder, 0o711);
  const lock = lockFolder(path);
  for (const name of await readdir(all)) await removeIfLeft(join(all, name));
  const remove = () => {
    // Windows cannot remove a locked file.
    lock.release();
    return removeFolder(path);
  };
  return { path, remove };
}

async function removeIfLeft(folder: string): Promise<void> {
  // Another process may remove the folder meanwhile.
  const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  if (Date.now() - mtimeMs < LOCKED_AFTER_MS) return;
  try {
    lockFolder(folder).release();
  } catch (error) {
    const isUsed = error instanceof FolderInUseError || (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isUsed) return;
    throw error;
  }
  await removeFolder(folder);
}
