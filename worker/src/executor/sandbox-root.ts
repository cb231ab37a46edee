import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { chmod, cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROXY_FOLDER } from '../egress/proxy-protocol.js';
import { INSIDE, LIVE, type SandboxSources, sandboxMounts } from './sandbox-arguments.js';

/** Of the machine's configuration, what programs need to start, find names and check certificates. */
const ETC = [
  'alternatives',
  'ca-certificates.conf',
  'gai.conf',
  'host.conf',
  'ld.so.cache',
  'localtime',
  'nsswitch.conf',
  'pki',
  'ssl',
];

/** For all users to read: what of these is not is nobody's business in a run, such as private keys of certificates. */
const READABLE_FILE = 0o004;
const READABLE_FOLDER = 0o005;
const COPY_TRIES = 5;

/**
 * Makes the folder that all sandboxes have as their root, read-only: links, copies of the machine's configuration as it is
 * now, and an empty place for each thing that is mounted. One folder, because every mount of its own takes a fifth of a
 * millisecond of each process.
 */
export async function makeSandboxRoot(root: string, sources: SandboxSources): Promise<void> {
  await rm(root, { recursive: true, force: true });
  for (const path of ['/etc', '/proc', '/dev', PROXY_FOLDER, INSIDE.home]) await makeFolder(root, path);
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name));
  await symlink(INSIDE.temporary, join(root, 'tmp'));
  for (const name of ETC) await copyReadable(`/etc/${name}`, join(root, 'etc', name));
  for (const { inside, outside } of sandboxMounts(sources)) {
    if (isFile(outside)) await makeFile(root, inside);
    else await makeFolder(root, inside);
  }
}

async function makeFolder(root: string, path: string): Promise<void> {
  await mkdir(join(root, path), { recursive: true });
  // Whatever the worker's umask is, and each one on the way.
  for (let folder = path; ; folder = dirname(folder)) {
    await chmod(join(root, folder), 0o755);
    if (folder === '/') return;
  }
}

async function makeFile(root: string, path: string): Promise<void> {
  await makeFolder(root, dirname(path));
  await writeFile(join(root, path), '');
  await chmod(join(root, path), 0o644);
}

async function copyReadable(source: string, copy: string): Promise<void> {
  if (!existsSync(source)) return;
  for (let tries = 1; ; tries += 1) {
    try {
      await cp(realpathSync(source), copy, {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
        filter: isReadable,
      });
      return;
    } catch (error) {
      // Something went while it was being copied, as when the machine is being upgraded.
      if (tries === COPY_TRIES || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await rm(copy, { recursive: true, force: true });
    }
  }
}

function isReadable(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  if (stats.isDirectory()) return (stats.mode & READABLE_FOLDER) === READABLE_FOLDER;
  return stats.isSymbolicLink() || (stats.isFile() && (stats.mode & READABLE_FILE) === READABLE_FILE);
}

/** Those that may come later are files. */
const isFile = (path: string): boolean =>
  LIVE.includes(path) || statSync(path, { throwIfNoEntry: false })?.isFile() === true;
