import { createHash, randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'runtime-';

/**
 * Copies what runs consist of (the runner, the stock libraries) out of the checkout to where a run may read it, once
 * for each version, and gives that folder's path.
 */
export async function installRuntime(built: string, folder: string): Promise<string> {
  const name = `${PREFIX}${await hashOf(built)}`;
  const installed = join(folder, name);
  if (!(await exists(installed))) {
    // Copied beside and renamed, so that a worker killed midway leaves nothing that looks complete.
    const copy = join(folder, `copy-${randomUUID()}`);
    await cp(built, copy, { recursive: true });
    await readableByAll(copy);
    await rename(copy, installed);
  }
  for (const other of await readdir(folder)) {
    const outdated = other.startsWith('copy-') || (other.startsWith(PREFIX) && other !== name);
    if (outdated) await rm(join(folder, other), { recursive: true, force: true });
  }
  return installed;
}

/**
 * Puts the stock libraries beside the folders of locks, where Node looks for what a lock does not have. A copy, because a
 * run sees both folders at other paths.
 */
export async function shareStock(runtime: string, libraries: string): Promise<void> {
  const shared = join(libraries, 'node_modules');
  await rm(shared, { recursive: true, force: true });
  await cp(join(runtime, 'node_modules'), shared, { recursive: true });
  await readableByAll(shared);
}

async function hashOf(built: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await filesOf(built)) {
    hash.update(`${file}\0`);
    hash.update(await readFile(join(built, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = files.filter(file => file.isFile()).map(file => join(file.parentPath, file.name));
    if (names.length === 0) throw new Error('the folder is empty');
    return names.map(name => name.slice(folder.length + 1)).sort();
  } catch (error) {
    throw new Error(
      `The worker's runtime is missing at ${folder}; build it with: npm run build:runtime -w @trawl/worker`,
      {
        cause: error,
      },
    );
  }
}

async function readableByAll(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
