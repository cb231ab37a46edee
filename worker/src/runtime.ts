import { createHash, randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'runtime-';

/**
 * Copies the runtime of runs, that is, the runner and the built-in libraries, from the checkout to the worker's folder,
 * where runs may read it. Does not copy it if this version is already there. Returns the path of the copy.
 */
export async function installRuntime(built: string, folder: string): Promise<string> {
  const name = `${PREFIX}${await hashOf(built)}`;
  const installed = join(folder, name);
  if (!(await exists(installed))) {
    // Copy it under another name and rename it, so that a worker that is killed meanwhile does not leave a copy that
    // only looks complete.
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
 * Copies the built-in libraries next to the folders of locks. If a lock does not contain a module, Node looks for it
 * there. A symbolic link would not work, because runs see both folders at other paths.
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
