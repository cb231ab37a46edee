/** Messages between the worker and its spawner. They use Node's IPC channel, which the code of users cannot reach. */

import type { CgroupEntry } from '../cgroups/cgroups.js';

/** Descriptors that only bubblewrap uses. bubblewrap closes them before the run begins. */
export const ARGUMENTS_FD = 5;
export const FILTER_FD = 6;
export const INFO_FD = 7;
export const BLOCK_FD = 8;

/**
 * Descriptors in the run's process: stdout, stderr, commands, messages. The spawner sends the other ends of these pipes
 * to the worker.
 */
export const PIPES = [1, 2, 3, 4] as const;
export type PipeFd = (typeof PIPES)[number];

/** Mounts that every sandbox has, which the spawner makes once. A mount costs each start about 0.3 ms. */
export interface SharedMounts {
  /** The folder that becomes the root of sandboxes. */
  root: string;
  mounts: { inside: string; outside: string; isDevice: boolean }[];
}

export type ToSpawner =
  | {
      t: 'start';
      /** Number of the process, unique for this worker. */
      n: number;
      program: string;
      args: string[];
      /** File of the network namespace of the slot. Null if the process starts in the worker's network. */
      network: string | null;
      /** User id of the process, which is also its group id. Null if the process has the worker's ids. */
      uid: number | null;
      /**
       * The spawner opens these two files. bubblewrap reads them from the descriptors `ARGUMENTS_FD` and `FILTER_FD`.
       */
      argumentsFile: string;
      filterFile: string;
      /** How the process enters its cgroup before its first instruction; null if the process has no cgroup. */
      entry: CgroupEntry | null;
    }
  /** The worker has received all pipes, so the process may begin now. */
  | { t: 'go'; n: number }
  /** The worker no longer waits for this start, so the spawner must kill the process. */
  | { t: 'drop'; n: number }
  /** Cgroups that the spawner must remove when the worker has ended. */
  | { t: 'groups'; folders: string[] };

export type FromSpawner =
  /** Sent once, before any other message: whether processes start with the `SharedMounts`. */
  | { t: 'mounts'; areShared: boolean }
  /** One pipe of the process, sent as a handle with this message. */
  | { t: 'pipe'; n: number; fd: PipeFd }
  /** The spawner has sent all pipes. */
  | { t: 'piped'; n: number }
  /** Pids of bubblewrap's own process (`outer`) and of the first process in the sandbox (`inner`). */
  | { t: 'started'; n: number; outer: number; inner: number }
  | { t: 'failed'; n: number; text: string }
  | { t: 'ended'; n: number; code: number | null; signal: NodeJS.Signals | null; hasUsedNetwork: boolean };
