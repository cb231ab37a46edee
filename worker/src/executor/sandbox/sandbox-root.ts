import { cpSync, existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROXY_FOLDER } from '../../protocol/proxy-protocol.js';
import { DEVICES, INSIDE, MOUNTED_ETC_FILES, type SandboxSources, sandboxMounts } from './sandbox-arguments.js';

/** Files and folders that programs need to start, to resolve names and to check certificates. */
const COPIES = [
  '/etc/alternatives',
  '/etc/ca-certificates.conf',
  '/etc/gai.conf',
  '/etc/host.conf',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/pki',
  '/etc/ssl',
  '/usr/share/ca-certificates',
];

/** Links of /dev to the files that a process has open. */
const DEVICE_LINKS = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
};

/**
 * Links to manual pages, by far the most links of /etc/alternatives. Runs do not read them, and creating hundreds of
 * links takes a tenth of a second of processor time.
 */
const MANUAL_LINK = /^\/etc\/alternatives\/.*\.gz$/;

/**
 * Permission bit of a file that every user may read. Only files with this bit are copied, so others, such as private
 * keys of certificates, stay hidden from runs.
 */
const READABLE_FILE = 0o004;
const READABLE_FOLDER = 0o005;
const COPY_TRIES = 5;

/**
 * Creates the folder that is the read-only root of all sandboxes: links, copies of the machine's configuration, and an
 * empty mount point for each mount. Files are copied where possible, because each mount costs 0.2 ms for every process.
 */
export async function makeSandboxRoot(root: string, sources: SandboxSources): Promise<void> {
  await rm(root, { recursive: true, force: true });
  for (const path of ['/etc', '/usr/share', '/proc', INSIDE.sharedMemory, PROXY_FOLDER, INSIDE.home]) {
    await makeFolder(root, path);
  }
  for (const device of DEVICES) await makeFile(root, device);
  for (const [name, path] of Object.entries(DEVICE_LINKS)) await symlink(path, join(root, 'dev', name));
  for (const name of ['bin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name));
  await symlink(INSIDE.temporary, join(root, 'tmp'));
  for (const path of COPIES) await copyReadable(path, join(root, path));
  for (const { inside, outside } of sandboxMounts(sources)) {
    if (isFile(outside)) await makeFile(root, inside);
    else await makeFolder(root, inside);
  }
}

async function makeFolder(root: string, path: string): Promise<void> {
  await mkdir(join(root, path), { recursive: true });
  // Set the modes of the folder and its parents explicitly, because `mkdir` applies the umask.
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
      // This needs a third of the processor time of `cp`, and nothing else waits for this process yet.
      cpSync(realpathSync(source), copy, {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
        filter: path => !MANUAL_LINK.test(path) && isReadable(path),
      });
      return;
    } catch (error) {
      // Copy again if a file disappeared during the copy, for example because the machine is being upgraded.
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

/** The mounted files of /etc count as files even if they are missing now, because they may appear later. */
const isFile = (path: string): boolean =>
  MOUNTED_ETC_FILES.includes(path) || statSync(path, { throwIfNoEntry: false })?.isFile() === true;
