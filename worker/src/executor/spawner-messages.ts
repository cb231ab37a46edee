/** What the worker and its spawner say to each other, over Node's own channel: no code of a user ever sees it. */

import type { GroupEntrance } from './cgroups.js';

/** Descriptors that bubblewrap gets besides those of the run; it closes them before the run begins. */
export const ARGUMENTS_FD = 5;
export const FILTER_FD = 6;
export const INFO_FD = 7;
export const BLOCK_FD = 8;

/** The run's own, of which each is handed to the worker: stdout, stderr, commands, messages. */
export const PIPES = [1, 2, 3, 4] as const;
export type PipeFd = (typeof PIPES)[number];

export type ToSpawner =
  | {
      t: 'start';
      /** Tells one process from all others that this worker has had. */
      n: number;
      program: string;
      args: string[];
      /** Of the user and the group; null for the worker's own. */
      uid: number | null;
      /** Files that are opened for `ARGUMENTS_FD` and `FILTER_FD`. */
      argumentsFile: string;
      filterFile: string;
      /** To the control group that the process is in before it does anything; null where there is none. */
      entrance: GroupEntrance | null;
    }
  /** All pipes have come: the process may go on. */
  | { t: 'go'; n: number }
  /** Nobody waits for it any more: what there is of it is ended. */
  | { t: 'drop'; n: number }
  /** Control groups that are to be removed when the worker is gone. */
  | { t: 'groups'; folders: string[] };

export type FromSpawner =
  /** Comes with the pipe. */
  | { t: 'pipe'; n: number; fd: PipeFd }
  | { t: 'piped'; n: number }
  /** `outer` is bubblewrap's own process, `inner` the first one in the sandbox. */
  | { t: 'started'; n: number; outer: number; inner: number }
  | { t: 'failed'; n: number; text: string }
  | { t: 'ended'; n: number; code: number | null; signal: NodeJS.Signals | null };
