import { access, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The runtime of the worker, which the build copies here: the runner and the built-in libraries. */
export const RUNTIME = join(dirname(fileURLToPath(import.meta.url)), 'runtime');

/**
 * The folders in which a run finds libraries: those of the skript's own node_modules, and the built-in ones where Node
 * looks next. They are links in a temporary folder.
 */
export interface RunLibraries {
  /** Null if the skript has no node_modules. */
  path: string | null;
  remove(): Promise<void>;
}

export async function linkLibraries(folder: string): Promise<RunLibraries> {
  const own = join(folder, 'node_modules');
  if (!(await isThere(own))) return { path: null, remove: async () => {} };
  const parent = await mkdtemp(join(tmpdir(), 'trawl-'));
  const path = join(parent, 'skript');
  await mkdir(path);
  await symlink(own, join(path, 'node_modules'), 'junction');
  await symlink(join(RUNTIME, 'node_modules'), join(parent, 'node_modules'), 'junction');
  return { path, remove: () => rm(parent, { recursive: true, force: true }) };
}

export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
