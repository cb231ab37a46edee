import { randomBytes } from 'node:crypto';
import { copyFile, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileBytes, fileText } from '@trawl/contracts';
import { Failure } from '../failure.js';
import { isSameJson } from './compare.js';
import { type Hashes, hashOfText } from './hashes.js';
import { BACKUPS, FROM_PLATFORM, isSafePath } from './names.js';

/** Names of files by what a download does with them. */
export interface WritePlan {
  /** Missing here. */
  added: string[];
  /** Deleted only here. */
  restored: string[];
  /** Different here, and replaced. */
  changed: string[];
  /** Deleted on the platform, and unchanged here since. */
  deleted: string[];
  /** Changed only here, and kept. */
  kept: string[];
  /**
   * Different on both sides: the local file stays, and the platform's goes to a folder beside it. A conflict of an
   * earlier download is one until the next upload.
   */
  conflicts: string[];
}

/**
 * Compares texts from the platform with a folder. Changes nothing.
 *
 * @param synced hashes of what both had in common before
 * @param force whether to replace every local file that differs
 * @throws {Failure} if a name would lead out of the folder, or through a link in it
 */
export async function planWrites(
  folder: string,
  texts: ReadonlyMap<string, string>,
  synced: Hashes,
  force: boolean,
): Promise<WritePlan> {
  const plan: WritePlan = { added: [], restored: [], changed: [], deleted: [], kept: [], conflicts: [] };
  for (const [name, text] of texts) {
    await checkPath(folder, name);
    const local = await readIfThere(join(folder, name));
    if (local === null) plan[synced.has(name) ? 'restored' : 'added'].push(name);
    else if (local !== text && !(name.endsWith('.json') && isSameJson(local, text))) {
      const before = synced.get(name);
      if (force || before === hashOfText(name, local)) plan.changed.push(name);
      else if (before === hashOfText(name, text) && !(await isInConflict(folder, name))) plan.kept.push(name);
      else plan.conflicts.push(name);
    }
  }
  for (const [name, before] of synced) {
    if (texts.has(name) || !isSafePath(name)) continue;
    await checkPath(folder, name);
    const local = await readIfThere(join(folder, name));
    if (local !== null && before === hashOfText(name, local)) plan.deleted.push(name);
  }
  return plan;
}

/** Returns whether an earlier download has put the platform's file beside the local one. */
export const isInConflict = async (folder: string, name: string): Promise<boolean> =>
  (await readIfThere(join(folder, FROM_PLATFORM, name))) !== null;

/** Removes the platform's files of earlier downloads, which would be taken for its latest ones. */
export const endConflicts = (folder: string): Promise<void> =>
  rm(join(folder, FROM_PLATFORM), { recursive: true, force: true });

/** Carries out a plan. Copies files that it replaces or deletes to a folder, and returns its name; null if there are none. */
export async function writeFiles(
  folder: string,
  texts: ReadonlyMap<string, string>,
  { added, restored, changed, deleted, conflicts }: WritePlan,
): Promise<string | null> {
  const backup = join(BACKUPS, new Date().toISOString().replaceAll(':', '-'));
  for (const name of [...changed, ...deleted]) {
    const copy = join(folder, backup, name);
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(join(folder, name), copy);
  }
  for (const name of [...added, ...restored, ...changed]) await writeText(join(folder, name), texts.get(name) ?? '');
  for (const name of deleted) await rm(join(folder, name));
  await endConflicts(folder);
  for (const name of conflicts) await writeText(join(folder, FROM_PLATFORM, name), texts.get(name) ?? '');
  return changed.length + deleted.length > 0 ? backup : null;
}

/** Writes a new file under another name first: an interrupted download then leaves no half file. */
async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(temporary, fileBytes(text), { flag: 'wx' });
  await rename(temporary, path);
}

async function checkPath(folder: string, name: string): Promise<void> {
  if (!isSafePath(name)) {
    throw new Failure(`The platform sent a file with the name ${JSON.stringify(name)}, which is not safe to write.`);
  }
  const parts = name.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const path = join(folder, ...parts.slice(0, length));
    const found = await lstat(path).catch(() => null);
    if (found === null) return;
    const isExpected = length < parts.length ? found.isDirectory() : found.isFile();
    if (!isExpected)
      throw new Failure(`${path} is a link or of another kind, so ${JSON.stringify(name)} is not written.`);
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return fileText(await readFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
