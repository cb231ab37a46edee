/** System calls that Node does not offer, through the C library. They need no program, which would be one more start. */
import { closeSync, openSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';
import { LeaveError } from '../cgroups/cgroup-files.js';
import type { SharedMounts } from './spawner-messages.js';

/** Numbers of `sys/resource.h` and `sched.h`. They are the same on all architectures that Trawl supports. */
const RESOURCES = { core: 4, openFiles: 7, lockedMemory: 8, nice: 13, realTimePriority: 14 } as const;
const CLONE_NEWNS = 0x2_0000;
/** Numbers of `linux/mount.h`, `fcntl.h` and `unistd.h`, which are the same on these architectures too. */
const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MS_SLAVE = 0x8_0000;
const MS_PRIVATE = 0x4_0000n;
const ATTRIBUTES = { readOnly: 1, noSetuid: 2, noDevices: 4 } as const;
const AT_FDCWD = -100;
const AT_RECURSIVE = 0x8000;
const MOUNT_SETATTR = 442;

// `null` stands for this program, which has loaded its C library: glibc or musl.
const library = koffi.load(null);
const callSetns = library.func('int setns(int fd, int type)');
const callUnshare = library.func('int unshare(int flags)');
const callMount = library.func('int mount(str source, str target, str type, unsigned long flags, void *data)');
// The C library has its own function for this call only since 2022, so call the kernel by number.
const callMountSetattr = library.func(
  'long syscall(long number, int folder, str path, unsigned int flags, void *attributes, size_t size)',
);
const getLimit = library.func('int getrlimit(int resource, _Out_ uint64_t *limit)');
const setLimit = library.func('int setrlimit(int resource, const uint64_t *limit)');

/** Error: the kernel refused a system call. */
export class RefusedError extends Error {}

const failure = (call: string): RefusedError =>
  new RefusedError(`The kernel refused ${call}: ${getSystemErrorName(-koffi.errno())}.`);

/**
 * Limits a resource of this process and of those that it starts, to `value` or to the limit that it has, whichever is
 * lower. None of them can raise the limit again.
 */
export function limitResource(resource: keyof typeof RESOURCES, value: number): void {
  const number = RESOURCES[resource];
  const limit = [0, 0];
  if (getLimit(number, limit) !== 0) throw failure(`to read the limit ${resource}`);
  const lowest = Math.min(value, Number(limit[1]));
  if (setLimit(number, [lowest, lowest]) !== 0) throw failure(`to set the limit ${resource}`);
}

const NAMESPACES = {
  network: { type: 0x4000_0000, own: openSync('/proc/self/ns/net', 'r') },
  mounts: { type: CLONE_NEWNS, own: openSync('/proc/self/ns/mnt', 'r') },
} as const;
type NamespaceKind = keyof typeof NAMESPACES;

/**
 * Calls `start` while this thread is in a namespace. A process that `start` creates is in it too.
 *
 * @param file the file of the namespace; null for the namespace of this process
 * @throws LeaveError if this thread cannot leave the namespace, even if `start` succeeded; otherwise the error of the
 *   kernel or of `start`
 */
export function inNamespace<T>(kind: NamespaceKind, file: string | null, start: () => T): T {
  if (file === null) return start();
  const { type } = NAMESPACES[kind];
  const entered = openSync(file, 'r');
  try {
    if (callSetns(entered, type) !== 0) throw failure(`to enter the ${kind} of ${file}`);
  } finally {
    closeSync(entered);
  }
  try {
    return start();
  } finally {
    leaveNamespace(kind);
  }
}

function leaveNamespace(kind: NamespaceKind): void {
  const { type, own } = NAMESPACES[kind];
  if (callSetns(own, type) === 0) return;
  const { message } = failure(`to enter the ${kind} of the worker`);
  throw new LeaveError(`The spawner cannot leave a run's ${kind}: ${message}`);
}

/**
 * Creates a mount namespace in which `root` has these mounts, read-only, and returns the namespace's file. This thread
 * stays in its own namespace. Needs root and Linux 5.12.
 */
export function mountOnce({ root, mounts }: SharedMounts): string {
  if (callUnshare(CLONE_NEWNS) !== 0) throw failure('a mount namespace');
  const namespace = openSync('/proc/self/ns/mnt', 'r');
  try {
    // Nothing that this thread mounts may appear outside, but unmounts of the machine must reach this namespace.
    if (callMount(null, '/', null, MS_REC | MS_SLAVE, null) !== 0) throw failure('to separate the mounts');
    bind(root, root, ATTRIBUTES.readOnly | ATTRIBUTES.noSetuid | ATTRIBUTES.noDevices);
    for (const { inside, outside, isDevice } of mounts) {
      bind(
        outside,
        `${root}${inside}`,
        ATTRIBUTES.readOnly | ATTRIBUTES.noSetuid | (isDevice ? 0 : ATTRIBUTES.noDevices),
      );
    }
    return `/proc/self/fd/${namespace}`;
  } catch (error) {
    closeSync(namespace);
    throw error;
  } finally {
    leaveNamespace('mounts');
  }
}

/** Shows `source` at `target`, with everything that is mounted below it. */
function bind(source: string, target: string, attributes: number): void {
  if (callMount(source, target, null, MS_BIND | MS_REC, null) !== 0) throw failure(`to mount ${source}`);
  // Private, so that nothing that the machine mounts there later appears, which would be writable.
  const set = new BigUint64Array([BigInt(attributes), 0n, MS_PRIVATE, 0n]);
  if (callMountSetattr(MOUNT_SETATTR, AT_FDCWD, target, AT_RECURSIVE, set, set.byteLength) !== 0) {
    throw failure(`to protect the mount of ${source}`);
  }
}
