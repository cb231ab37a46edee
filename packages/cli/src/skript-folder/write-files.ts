import { randomBytes } from 'node:crypto';
import { copyFile, lstat, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileBytes, fileText } from '@trawl/contracts';
import { Failure } from '../failure.js';
import { isSameJson } from './compare.js';
import { BACKUPS, isSafePath } from './names.js';

/** The files that a download writes. */
export interface WritePlan {
  added: string[];
  /** Local files whose text differs from the platform's. */
  changed: string[];
}

/**
 * Compares texts from the platform with a folder. Changes nothing.
 *
 * @throws {Failure} if a name would lead out of the folder, or through a link in it
 */
export async function planWrites(folder: string, texts: ReadonlyMap<string, string>): Promise<WritePlan> {
  const plan: WritePlan = { added: [], changed: [] };
  for (const [name, text] of texts) {
    await checkPath(folder, name);
    const local = await readIfThere(join(folder, name));
    const isSame = local === text || (local !== null && name.endsWith('.json') && isSameJson(local, text));
    if (local === null) plan.added.push(name);
    else if (!isSame) plan.changed.push(name);
  }
  return plan;
}

/** Writes the files of a plan. Copies those that it replaces to a folder, and returns its name; null if there are none. */
export async function writeFiles(
  folder: string,
  texts: ReadonlyMap<string, string>,
  { added, changed }: WritePlan,
): Promise<string | null> {
  const backup = join(BACKUPS, new Date().toISOString().replaceAll(':', '-'));
  for (const name of changed) {
    const copy = join(folder, backup, name);
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(join(folder, name), copy);
  }
  for (const name of [...added, ...changed]) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    // A new file under another name first: an interrupted download then leaves no half file.
    const temporary = `${path}.${randomBytes(4).toString('hex')}`;
    await writeFile(temporary, fileBytes(texts.get(name) ?? ''), { flag: 'wx' });
    await rename(temporary, path);
  }
  return changed.length > 0 ? backup : null;
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
