import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { chown, copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The user that owns the copies; undefined means the user of this process. */
export type Owner = { uid: number; gid: number } | undefined;

export async function makeFolder(path: string, owner: Owner): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (owner) await chown(path, owner.uid, owner.gid);
}

/** Copies a file. Where the file system can, the copy shares the data of the original until one of them changes. */
export async function copyFileFor(source: string, target: string, owner: Owner): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  if (owner) await chown(target, owner.uid, owner.gid);
}

/**
 * Copies a folder with the files and folders in it.
 * @param isWanted decides about what is directly in the folder
 */
export async function copyFolder(
  source: string,
  target: string,
  owner: Owner,
  isWanted: (name: string) => boolean = () => true,
): Promise<void> {
  await makeFolder(target, owner);
  const entries = await readdir(source, { withFileTypes: true });
  await Promise.all(
    entries.map(async entry => {
      if (!isWanted(entry.name)) return;
      const [from, to] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) await copyFolder(from, to, owner);
      else if (entry.isFile()) await copyFileFor(from, to, owner);
    }),
  );
}

/**
 * Writes everything in a folder to the disk: the whole file system at once, because a server has about 1,000 files, and
 * each would wait for the disk on its own.
 */
export async function syncFolder(folder: string): Promise<void> {
  // Not every system's program knows the option `-f`. Without it, the program writes all file systems.
  await run('sync', ['-f', folder]).catch(() => run('sync', []));
}

const run = promisify(execFile);
