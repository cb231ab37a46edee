import { existsSync } from 'node:fs';
import type { Chromium } from '../port/chromium.js';
import type { SharedMounts } from '../spawner/spawner-messages.js';

/** Paths inside the sandbox, which hide the worker's own paths from runs. */
export const INSIDE = {
  node: '/trawl/bin/node',
  runtime: '/trawl/runtime',
  libraries: '/trawl/libraries',
  chromium: '/trawl/chromium',
  home: '/home/run',
  temporary: '/home/run/tmp',
  sharedMemory: '/dev/shm',
} as const;

/** Files and folders of the machine that a sandbox shows. */
export interface SandboxSources {
  /** Path of Node's binary. */
  node: string;
  /** Folder of the runner and the built-in libraries. */
  runtime: string;
  /** The folders below `INSIDE.libraries`. */
  libraries: SandboxMount[];
  /** The run's browser; null in an environment without one. */
  chromium: Pick<Chromium, 'home' | 'folders' | 'variables'> | null;
}

export interface SandboxOptions extends SandboxSources {
  /** The folder that `makeSandboxRoot` created. */
  root: string;
  /** Maximum size of the run's file system, and also of its shared memory. Both are kept in the machine's memory. */
  diskBytes: number;
  /** bubblewrap's arguments for the sandbox's network. */
  network: string[];
  /** Whether the process starts where `root` has the `sharedMounts` already. */
  hasSharedMounts: boolean;
}

/** Files for name resolution. They can change while a worker runs, so sandboxes mount them instead of a copy. */
export const MOUNTED_ETC_FILES = ['/etc/hosts', '/etc/resolv.conf'];

export interface SandboxMount {
  /** Path in the sandbox. */
  inside: string;
  /** Path on the machine. */
  outside: string;
  /** Whether the sandbox cannot start without this mount. */
  isNeeded: boolean;
}

/**
 * Folders of the machine with programs, their libraries and time zones. The others in /usr, such as /usr/local, /usr/src
 * and most of /usr/share, hold what the machine's owner has installed, and stay hidden.
 */
const SYSTEM_FOLDERS = ['/usr/bin', '/usr/lib', '/usr/lib64', '/usr/share/zoneinfo'];

/** Devices that hold nothing of the machine. There are no terminals, because their number on a machine is limited. */
export const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'].map(name => `/dev/${name}`);

/** Whether every sandbox shows this path of the machine at the same place. */
export const isInSystemFolder = (path: string): boolean =>
  SYSTEM_FOLDERS.some(folder => path === folder || path.startsWith(`${folder}/`));

/** Lists the files and folders of the machine that a sandbox mounts read-only. */
export function sandboxMounts({ node, runtime, libraries, chromium }: SandboxSources): SandboxMount[] {
  const ofChromium = chromium?.folders.filter(folder => !isInSystemFolder(folder)) ?? [];
  return [
    { inside: INSIDE.node, outside: node, isNeeded: true },
    { inside: INSIDE.runtime, outside: runtime, isNeeded: true },
    ...libraries,
    ...(chromium?.home ? [{ inside: INSIDE.chromium, outside: chromium.home, isNeeded: true }] : []),
    ...[...SYSTEM_FOLDERS, ...MOUNTED_ETC_FILES, ...ofChromium].map(path => ({
      inside: path,
      outside: path,
      isNeeded: false,
    })),
  ];
}

/**
 * Returns the mounts that all sandboxes of a worker have. The others depend on the run, or are files of the machine that
 * may be replaced or appear later.
 */
export function sharedMounts(root: string, sources: SandboxSources): SharedMounts {
  const mounts = sandboxMounts(sources).filter(mount => isShared(mount) && existsSync(mount.outside));
  return {
    root,
    mounts: [
      ...mounts.map(({ inside, outside }) => ({ inside, outside, isDevice: false })),
      ...DEVICES.map(path => ({ inside: path, outside: path, isDevice: true })),
    ],
  };
}

const isShared = ({ inside, isNeeded }: SandboxMount): boolean =>
  SYSTEM_FOLDERS.includes(inside) || (isNeeded && inside !== INSIDE.node && inside !== INSIDE.chromium);

/**
 * Builds bubblewrap's arguments for a sandbox: its own user, PID, IPC and UTS namespaces, the machine's programs
 * read-only, and one small writable folder. The temporary folder is inside the run's own folder, so one size limits
 * both. `makeSandboxRoot` has created a mount point for each mount.
 */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { root, chromium, diskBytes, network, hasSharedMounts } = options;
  const mounts = sandboxMounts(options).filter(mount => !(hasSharedMounts && isShared(mount)));
  return [
    ...['user', 'pid', 'ipc', 'uts'].map(name => `--unshare-${name}`),
    '--unshare-cgroup-try',
    '--disable-userns',
    ...['--hostname', 'run'],
    // The shared mounts are read-only already. `--ro-bind` would take the devices away.
    ...[hasSharedMounts ? '--dev-bind' : '--ro-bind', root, '/'],
    ...network,
    ...mounts.flatMap(({ inside, outside, isNeeded }) => [isNeeded ? '--ro-bind' : '--ro-bind-try', outside, inside]),
    ...['--proc', '/proc'],
    ...(hasSharedMounts ? [] : DEVICES.flatMap(device => ['--dev-bind', device, device])),
    ...['--size', String(diskBytes), '--tmpfs', INSIDE.sharedMemory],
    ...['--perms', '0700', '--size', String(diskBytes), '--tmpfs', INSIDE.home],
    ...['--perms', '0700', '--dir', INSIDE.temporary],
    ...['--chdir', INSIDE.home, '--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', '/trawl/bin:/usr/bin:/bin'],
    ...['--setenv', 'HOME', INSIDE.home],
    ...['--setenv', 'TMPDIR', INSIDE.temporary],
    ...['--setenv', 'LANG', 'C.UTF-8'],
    ...(chromium ? chromiumVariables(chromium) : []),
  ];
}

type ChromiumParts = NonNullable<SandboxOptions['chromium']>;

function chromiumVariables({ home, variables }: ChromiumParts): string[] {
  const inside = (text: string) => (home === null ? text : text.replaceAll(home, INSIDE.chromium));
  return Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, inside(value)]);
}
