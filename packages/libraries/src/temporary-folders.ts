import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^trawl-lock-(\d+)-\w+$/;

/**
 * Creates a folder for one resolution. It is in the folder of the system for temporary files, because the user `nobody`
 * cannot reach most others. Its name has the id of this process.
 */
export const makeTemporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `trawl-lock-${process.pid}-`));

/** Removes the folders of processes that were killed. */
export async function removeLeftFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined) continue;
    const folder = join(tmpdir(), name);
    // Another user may own a folder of this name.
    if (await isLeft(folder, Number(pid))) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function isLeft(folder: string, pid: number): Promise<boolean> {
  if (pid !== process.pid) return !isAlive(pid);
  // In a container, each backend may have the same id.
  const found = await stat(folder).catch(() => null);
  return found !== null && found.mtimeMs < Date.now() - process.uptime() * 1_000;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
