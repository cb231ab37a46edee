import type { Chromium } from '../browser/find-chromium.js';

/** Where things are inside the sandbox; the worker's own paths are nobody's business there. */
export const INSIDE = {
  node: '/trawl/bin/node',
  runtime: '/trawl/runtime',
  libraries: '/trawl/libraries',
  chromium: '/trawl/chromium',
  home: '/home/run',
  temporary: '/home/run/tmp',
  sharedMemory: '/dev/shm',
} as const;

/** What a sandbox shows of the machine. */
export interface SandboxSources {
  /** Node's binary on this machine. */
  node: string;
  /** Folder of the runner and the stock libraries. */
  runtime: string;
  /** Holds a folder for each lock of npm libraries. */
  libraries: string;
  /** What the run has of a browser; null in an environment without one. */
  chromium: Pick<Chromium, 'home' | 'folders' | 'variables'> | null;
}

export interface SandboxOptions extends SandboxSources {
  /** The folder of `makeSandboxRoot`. */
  root: string;
  /** All that a run may keep in files, and as much again in shared memory; both are in memory. */
  diskBytes: number;
  /** Arguments that decide which network the sandbox has. */
  network: string[];
}

/** Where names are found, which changes while a worker runs, as a machine goes from one network to the next. */
export const LIVE = ['/etc/hosts', '/etc/resolv.conf'];

export interface SandboxMount {
  inside: string;
  /** Of the machine. */
  outside: string;
  /** Whether there can be no sandbox without it. */
  isNeeded: boolean;
}

/** All that is mounted read-only. */
export function sandboxMounts({ node, runtime, libraries, chromium }: SandboxSources): SandboxMount[] {
  const unseen = chromium?.folders.filter(folder => !folder.startsWith('/usr/')) ?? [];
  return [
    { inside: '/usr', outside: '/usr', isNeeded: true },
    { inside: INSIDE.node, outside: node, isNeeded: true },
    { inside: INSIDE.runtime, outside: runtime, isNeeded: true },
    { inside: INSIDE.libraries, outside: libraries, isNeeded: true },
    ...(chromium?.home ? [{ inside: INSIDE.chromium, outside: chromium.home, isNeeded: true }] : []),
    ...[...LIVE, ...unseen].map(path => ({ inside: path, outside: path, isNeeded: false })),
  ];
}

/**
 * What bubblewrap makes a sandbox of: its own users, processes, IPC and names, the machine's programs read-only, one
 * small writable folder. A temporary folder below the run's own has all that may be written under one size. Whatever is
 * mounted has its place in the root (`makeSandboxRoot`).
 */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { root, chromium, diskBytes, network } = options;
  return [
    ...['user', 'pid', 'ipc', 'uts'].map(name => `--unshare-${name}`),
    '--unshare-cgroup-try',
    '--disable-userns',
    ...['--hostname', 'run'],
    ...['--ro-bind', root, '/'],
    ...network,
    ...sandboxMounts(options).flatMap(({ inside, outside, isNeeded }) => [
      isNeeded ? '--ro-bind' : '--ro-bind-try',
      outside,
      inside,
    ]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(diskBytes), '--tmpfs', INSIDE.sharedMemory],
    ...['--perms', '0700', '--size', String(diskBytes), '--tmpfs', INSIDE.home],
    ...['--perms', '0700', '--dir', INSIDE.temporary],
    ...['--remount-ro', '/dev'],
    ...['--chdir', INSIDE.home, '--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', '/trawl/bin:/usr/local/bin:/usr/bin:/bin'],
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
