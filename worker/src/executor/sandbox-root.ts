import { realpathSync, statSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROXY_FOLDER } from '../egress/proxy-protocol.js';
import { INSIDE, type SandboxSources, sandboxMounts } from './sandbox-arguments.js';

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
  for (const [inside, outside] of sandboxMounts(sources)) {
    if (isFolder(outside)) await makeFolder(root, inside);
    else await makeFile(root, inside);
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
  try {
    await cp(realpathSync(source), copy, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      filter: async from => {
        const stats = await lstat(from);
        const needed = stats.isDirectory() ? READABLE_FOLDER : READABLE_FILE;
        return stats.isSymbolicLink() || (stats.mode & needed) === needed;
      },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** What is not there counts as a folder: nothing is mounted on it then. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
