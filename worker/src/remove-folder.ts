import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder and all that is in it, also what a run has locked by taking the right to open it away. */
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
  // A link to a folder is none: what it leads to is never touched.
  const inner = (await readdir(folder, { withFileTypes: true })).filter(entry => entry.isDirectory());
  for (const { name } of inner) await unlock(join(folder, name));
}
