import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder with its content, even if a run has taken away the permissions of folders inside it. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await unlock(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

async function unlock(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  // Symbolic links do not count as directories here, so the targets of links are never changed.
  const inner = (await readdir(folder, { withFileTypes: true })).filter(entry => entry.isDirectory());
  for (const { name } of inner) await unlock(join(folder, name));
}
