import { chmod, lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes this process's user the owner of all files in a folder, if that user is root. All users may read the files from
 * now on, and only the owner may write them. Follows no links.
 */
export async function readOnly(folder: string): Promise<void> {
  const own = async (path: string, mode: number | null) => {
    if (process.getuid?.() === 0) await lchown(path, 0, 0);
    if (mode !== null) await chmod(path, mode);
  };
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) await own(path, null);
    else if (entry.isDirectory()) await own(path, 0o755);
    else await own(path, ((await stat(path)).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
  await own(folder, 0o755);
}
