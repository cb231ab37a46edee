import { readdir, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { Failure } from '../failure.js';

/**
 * Refuses links that lead out of a skript's folder. Somebody else may have made the folder, and this program, which
 * reads the files for a run and keeps files of its own beside them, could read, replace or delete any file of the user.
 *
 * @param paths files and folders; those outside the folder and those that do not exist are not checked
 * @throws {Failure} that names the link
 */
export async function refuseLinksOut(folder: string, paths: readonly string[]): Promise<void> {
  const root = await realpath(folder).catch(() => folder);
  for (const path of paths.map(name => resolve(folder, name))) {
    if (!path.startsWith(resolve(folder) + sep)) continue;
    const real = await realpath(path).catch(() => null);
    if (real === null || real.startsWith(root + sep)) continue;
    throw new Failure(`${relative(folder, path)} is a link that leads out of the skript. Replace it by a copy.`);
  }
}

/** Returns the path of a folder and of all that is in it. */
export async function withContent(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return [folder, ...entries.map(name => join(folder, name))];
}
