/** System calls that Node does not offer, through the C library. They need no program, which would be one more start. */
import { closeSync, openSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';
import { LeaveError } from '../cgroups/cgroup-files.js';

/** Numbers of `sys/resource.h` and `sched.h`. They are the same on all architectures that Trawl supports. */
const RESOURCES = { core: 4, openFiles: 7, lockedMemory: 8, nice: 13, realTimePriority: 14 } as const;
const CLONE_NEWNET = 0x4000_0000;

// `null` stands for this program, which has loaded its C library: glibc or musl.
const library = koffi.load(null);
const callSetns = library.func('int setns(int fd, int type)');
const getLimit = library.func('int getrlimit(int resource, _Out_ uint64_t *limit)');
const setLimit = library.func('int setrlimit(int resource, const uint64_t *limit)');

const failure = (call: string): Error =>
  new Error(`The kernel refused ${call}: ${getSystemErrorName(-koffi.errno())}.`);

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

const own = openSync('/proc/self/ns/net', 'r');

/**
 * Calls `start` while this thread is in a network namespace, so that the process that `start` creates is in it.
 *
 * @param file the file of the namespace; null for the network of this process
 * @throws LeaveError if this thread cannot leave the namespace, even if `start` succeeded; otherwise the error of the
 *   kernel or of `start`
 */
export function startInNetwork<T>(file: string | null, start: () => T): T {
  if (file === null) return start();
  const network = openSync(file, 'r');
  try {
    if (callSetns(network, CLONE_NEWNET) !== 0) throw failure(`to enter the network ${file}`);
  } finally {
    closeSync(network);
  }
  try {
    return start();
  } finally {
    if (callSetns(own, CLONE_NEWNET) !== 0) {
      const { message } = failure('to enter the network of the worker');
      // biome-ignore lint/correctness/noUnsafeFinally: this error is worse than any of `start`.
      throw new LeaveError(`The spawner cannot leave a run's network: ${message}`);
    }
  }
}
