import { execFile } from 'node:child_process';
import { constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { access, chmod } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from '@trawl/embedded/cache-dir';
import type { Logger } from 'pino';

const run = promisify(execFile);

/** A program that the sandbox is made with. */
export type ToolName = 'bwrap' | 'nft';

export interface Tool {
  path: string;
  /** Variables that it needs to find its libraries. */
  environment: Record<string, string>;
}

interface Package {
  /** What the program is in, and what of its libraries a small system lacks. */
  packages: string[];
  /** Whether it is started with the libraries of these packages. */
  libraries: boolean;
  /** What a person installs. */
  name: string;
  program: string;
}

const PACKAGES: Record<ToolName, Package> = {
  // Its libraries are in every Debian: nothing that it is started with is to say where it is.
  bwrap: {
    packages: ['bubblewrap'],
    libraries: false,
    name: 'bubblewrap',
    program: 'usr/bin/bwrap',
  },
  nft: {
    packages: [
      ...['nftables', 'libnftables1', 'libnftnl11', 'libmnl0', 'libjansson4', 'libxtables12', 'libgmp10', 'libedit2'],
      'libbsd0',
    ],
    libraries: true,
    name: 'nftables',
    program: 'usr/sbin/nft',
  },
};

const TRIPLETS: Record<string, string> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };
/** Of system programs, which are not on the path of a plain user. */
const MORE_PATHS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
const SLOW_MS = 2_000;
const FETCH_MS = 120_000;

/**
 * Finds a program on the path, in the cache folder, or fetches it there with apt, which checks signature and hash;
 * nothing is installed and no right is needed.
 *
 * @throws Error that says why there is none, and how to get it
 */
export async function findTool(name: ToolName, log: Logger): Promise<Tool> {
  const { packages, libraries, name: title, program } = PACKAGES[name];
  const paths = (process.env.PATH ?? '').split(delimiter).concat(MORE_PATHS);
  for (const folder of paths) {
    const path = join(folder, name);
    if (folder.startsWith('/') && (await isProgram(path))) return { path, environment: {} };
  }
  const root = join(cacheDir(), `${name}-${process.arch}`);
  const path = join(root, program);
  if (!(await isProgram(path))) {
    const slow = setTimeout(() => log.info({ packages }, `fetching ${title} for the sandbox, once`), SLOW_MS);
    try {
      await fetchInto(root, packages);
    } catch (error) {
      throw new Error(`There is no ${name} on this machine: install the package ${title}. (${reasonOf(error)})`);
    } finally {
      clearTimeout(slow);
    }
  }
  const folders = ['usr/lib', 'lib'].map(folder => join(root, folder, TRIPLETS[process.arch] ?? ''));
  return { path, environment: libraries ? { LD_LIBRARY_PATH: folders.join(':') } : {} };
}

/** Works in a folder of its own that gets its name last, so that two workers that fetch at once do not meet. */
async function fetchInto(root: string, packages: string[]): Promise<void> {
  mkdirSync(cacheDir(), { recursive: true, mode: 0o755 });
  const work = mkdtempSync(`${root}.`);
  try {
    const options = { cwd: work, timeout: FETCH_MS };
    await download(packages, work);
    for (const file of readdirSync(work).filter(entry => entry.endsWith('.deb'))) {
      await run('dpkg', ['-x', file, 'root'], options);
    }
    await chmod(join(work, 'root'), 0o755);
    if (existsSync(root)) rmSync(root, { recursive: true, force: true });
    renameSync(join(work, 'root'), root);
  } catch (error) {
    if (!existsSync(root)) throw error; // else another worker was first
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(packages: string[], work: string): Promise<void> {
  const options = { cwd: work, timeout: FETCH_MS };
  // apt as root gives downloads to a user who cannot enter this folder.
  const plain = ['-o', 'APT::Sandbox::User=', '-qq'];
  const wanted = ['download', ...packages];
  try {
    await run('apt-get', [...plain, ...wanted], options);
  } catch {
    // Its lists are old, or were thrown away, as in an image for containers: lists of our own.
    for (const folder of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(work, folder), { recursive: true });
    const own = [...plain, '-o', `Dir::State::lists=${join(work, 'lists')}`, '-o', `Dir::Cache=${join(work, 'cache')}`];
    await run('apt-get', [...own, 'update'], options);
    await run('apt-get', [...own, ...wanted], options);
  }
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim() || message).split('\n').slice(-2).join(' ').slice(0, 200);
}
