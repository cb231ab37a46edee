import { execFile } from 'node:child_process';
import { constants, existsSync, statSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_RUN_NODE, RUN_NODES, type RunNode } from '@trawl/contracts';
import type { Logger } from 'pino';

/** The oldest version of Node with which skripts run without a warning. */
const OLDEST_MAJOR = 22;
const FOLDER = 'node';
const READ_AND_EXECUTE = constants.S_IROTH | constants.S_IXOTH;

/** The binaries of Node for runs. */
export interface NodeBinaries {
  /** Path of the binary with which runs start. */
  default: string;
  /** Paths of the binaries of other versions. Runs that want a missing version get the default. */
  others: Partial<Record<RunNode, string>>;
  /** Versions of these binaries, that of the default first. */
  versions: string[];
}

/** The Node of this process runs skripts, as on a laptop. */
export const ownNode = (version = process.versions.node): NodeBinaries => ({
  default: process.execPath,
  others: {},
  versions: [version],
});

/**
 * Finds the binaries from npm, of which the worker depends on those for Linux. Where they are missing or do not start,
 * the Node of this process runs all skripts.
 *
 * @param folder the worker's own folder. It gets links to binaries that the users of runs cannot reach, such as those of
 *   a checkout below /root.
 */
export async function findRunNodes(
  folder: string,
  log: Logger,
  { platform, own } = { platform: process.platform, own: process.versions.node },
): Promise<NodeBinaries> {
  const found = new Map<RunNode, string>();
  await removeOlder(join(folder, FOLDER));
  for (const major of platform === 'linux' ? ([24, 22] as const) : []) {
    const path = await binaryOf(major, join(folder, FOLDER), log);
    if (path !== null) found.set(major, path);
  }
  const standard = found.get(DEFAULT_RUN_NODE);
  if (standard !== undefined) {
    found.delete(DEFAULT_RUN_NODE);
    const versions = [DEFAULT_RUN_NODE, ...found.keys()].map(major => RUN_NODES[major]);
    return { default: standard, others: Object.fromEntries(found), versions };
  }
  if (Number.parseInt(own, 10) < OLDEST_MAJOR) {
    log.warn(
      { node: own, wanted: RUN_NODES[DEFAULT_RUN_NODE] },
      'skripts run with the Node of this worker, which gets no more security fixes; install the optional dependencies of the worker, or start it with a newer Node',
    );
  }
  return ownNode(own);
}

/** Returns the path of the binary that npm installed for a version; null if it did not. */
export function runNodePath(major: RunNode): string | null {
  const name = `${major === DEFAULT_RUN_NODE ? 'node' : `node-${major}`}-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    return null;
  }
}

/** Returns the path of the binary of a version; null if it is not installed or does not start on this machine. */
async function binaryOf(major: RunNode, folder: string, log: Logger): Promise<string | null> {
  try {
    const path = runNodePath(major);
    if (path === null) throw new Error('npm did not install it');
    // This also finds a C library for which there is no binary.
    const { stdout } = await promisify(execFile)(path, ['--version'], { env: {} });
    if (stdout.trim() !== `v${RUN_NODES[major]}`) throw new Error(`${path} is ${stdout.trim()}`);
    return isReachable(path) ? path : await reachableCopy(path, join(folder, RUN_NODES[major]));
  } catch (error) {
    log.warn({ node: RUN_NODES[major], reason: String(error) }, 'a Node for runs is missing');
    return null;
  }
}

/** Whether every user may execute the file. */
export function isReachable(path: string): boolean {
  if ((statSync(path).mode & READ_AND_EXECUTE) !== READ_AND_EXECUTE) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & constants.S_IXOTH) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Puts a link or a copy of the binary into a folder that every user may enter. */
export async function reachableCopy(path: string, folder: string): Promise<string> {
  const copy = join(folder, 'node');
  if (existsSync(copy)) return copy;
  await mkdir(folder, { recursive: true });
  for (const one of [dirname(folder), folder]) await chmod(one, 0o755);
  const unfinished = join(folder, 'copy');
  await rm(unfinished, { force: true });
  // A link needs no space, but works only on the same file system.
  await link(path, unfinished).catch(() => copyFile(path, unfinished));
  await chmod(unfinished, 0o755);
  await rename(unfinished, copy);
  return copy;
}

async function removeOlder(folder: string): Promise<void> {
  const current: string[] = Object.values(RUN_NODES);
  for (const name of existsSync(folder) ? await readdir(folder) : []) {
    if (!current.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
