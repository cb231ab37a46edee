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

export interface SandboxOptions {
  /** Node's binary on this machine. */
  node: string;
  /** Folder of the runner and the stock libraries. */
  runtime: string;
  /** Holds a folder for each lock of npm libraries. */
  libraries: string;
  /** What the run has of a browser; null in an environment without one. */
  chromium: Pick<Chromium, 'home' | 'folders' | 'variables'> | null;
  /** All that a run may keep in files, and as much again in shared memory; both are in memory. */
  diskBytes: number;
  /** Arguments that decide which network the sandbox has. */
  network: string[];
}

/** Of the machine's configuration, what programs need to start, find names and check certificates. */
const ETC = [
  'alternatives',
  'ca-certificates.conf',
  'gai.conf',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'localtime',
  'nsswitch.conf',
  'pki',
  'resolv.conf',
  'ssl',
];

/**
 * What bubblewrap makes a sandbox of: its own users, processes, IPC and names, the machine's programs read-only, one
 * small writable folder. A temporary folder below the run's own has all that may be written under one size.
 */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { node, runtime, libraries, chromium, diskBytes, network } = options;
  return [
    ...['user', 'pid', 'ipc', 'uts'].map(name => `--unshare-${name}`),
    '--unshare-cgroup-try',
    ...network,
    '--disable-userns',
    ...['--hostname', 'run'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap(name => ['--symlink', `usr/${name}`, `/${name}`]),
    ...ETC.flatMap(name => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(diskBytes), '--tmpfs', INSIDE.sharedMemory],
    ...['--ro-bind', node, INSIDE.node],
    ...['--ro-bind', runtime, INSIDE.runtime],
    ...['--ro-bind', libraries, INSIDE.libraries],
    ...(chromium ? chromiumBinds(chromium) : []),
    ...['--perms', '0700', '--size', String(diskBytes), '--tmpfs', INSIDE.home],
    ...['--perms', '0700', '--dir', INSIDE.temporary],
    ...['--symlink', INSIDE.temporary, '/tmp'],
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', INSIDE.home, '--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', '/trawl/bin:/usr/local/bin:/usr/bin:/bin'],
    ...['--setenv', 'HOME', INSIDE.home],
    ...['--setenv', 'TMPDIR', INSIDE.temporary],
    ...['--setenv', 'LANG', 'C.UTF-8'],
    ...(chromium ? chromiumVariables(chromium) : []),
  ];
}

type ChromiumParts = NonNullable<SandboxOptions['chromium']>;

function chromiumBinds({ home, folders }: ChromiumParts): string[] {
  const unseen = folders.filter(folder => !folder.startsWith('/usr/'));
  return [
    ...(home === null ? [] : ['--ro-bind', home, INSIDE.chromium]),
    ...unseen.flatMap(folder => ['--ro-bind-try', folder, folder]),
  ];
}

function chromiumVariables({ home, variables }: ChromiumParts): string[] {
  const inside = (text: string) => (home === null ? text : text.replaceAll(home, INSIDE.chromium));
  return Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, inside(value)]);
}
