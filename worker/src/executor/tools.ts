import { rmSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';
import type { Logger } from 'pino';

/** Name of a program that sandboxes or network rules need. */
export type ToolName = 'bwrap' | 'ip' | 'nft' | 'nsenter';

export interface Tool {
  path: string;
  /** Environment variables with which the program finds its libraries. */
  environment: Record<string, string>;
}

interface Package {
  /** The package of the program, and the packages of its libraries that may be missing on a small system. */
  packages: string[];
  /** Whether the program must be started with the libraries from these packages. */
  libraries: boolean;
  /** The package that a person must install to get the program. */
  name: string;
  program: string;
}

const PACKAGES: Record<ToolName, Package> = {
  // bwrap needs only libraries that every Debian has. So it needs no environment variable with the path of its
  // libraries.
  bwrap: {
    packages: ['bubblewrap'],
    libraries: false,
    name: 'bubblewrap',
    program: 'usr/bin/bwrap',
  },
  ip: {
    packages: [
      ...['iproute2', 'libbpf1', 'libbsd0', 'libcap2', 'libdb5.3', 'libelf1', 'libmnl0', 'libtirpc3'],
      'libxtables12',
    ],
    libraries: true,
    name: 'iproute2',
    program: 'usr/sbin/ip',
  },
  nsenter: { packages: ['util-linux'], libraries: false, name: 'util-linux', program: 'usr/bin/nsenter' },
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
/** Folders of system programs. They are usually missing from the `PATH` of an ordinary user. */
const SYSTEM_PATHS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
const SLOW_MS = 2_000;
const FETCH_MS = 120_000;

/**
 * Finds a program on the `PATH` or in the cache folder, or downloads it there with apt.
 *
 * @throws Error that says why the program is missing and how to install it
 */
export async function findTool(name: ToolName, log: Logger): Promise<Tool> {
  const { packages, libraries, name: title, program } = PACKAGES[name];
  const paths = (process.env.PATH ?? '').split(delimiter).concat(SYSTEM_PATHS);
  for (const folder of paths) {
    const path = join(folder, name);
    if (folder.startsWith('/') && (await isProgram(path))) return { path, environment: {} };
  }
  const root = join(cacheDir(), `${name}-${process.arch}`);
  const path = join(root, program);
  if (!(await isProgram(path))) {
    const slow = setTimeout(() => log.info({ packages }, `downloading ${title} for the sandbox`), SLOW_MS);
    try {
      rmSync(root, { recursive: true, force: true });
      await fetchDebianPackages({ folder: root, packages, timeoutMs: FETCH_MS });
    } catch (error) {
      const reason = (error as Error).message.slice(0, 200);
      throw new Error(`This machine has no ${name}: install the package ${title}. (${reason})`);
    } finally {
      clearTimeout(slow);
    }
  }
  const folders = ['usr/lib', 'lib'].map(folder => join(root, folder, TRIPLETS[process.arch] ?? ''));
  return { path, environment: libraries ? { LD_LIBRARY_PATH: folders.join(':') } : {} };
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
