import type { Environment, RunNode, SandboxLayer, SandboxLevel } from '@trawl/contracts';
import type { RunProcess } from '../../process/run-process.js';

/** Starts the processes of runs. There is one implementation with a sandbox and one without. */
export interface Executor {
  readonly level: SandboxLevel;
  readonly layers: SandboxLayer[];
  /**
   * Creates the cgroup of processes that work in the background: they get a processor after everything else. Returns the
   * files to which the worker writes the pid of such a process; none if the worker cannot use cgroups.
   */
  background(): string[];
  /**
   * Starts a process that waits for a bundle.
   *
   * @param slotIndex index from 0 that no other live process has; user id and cgroup of the process follow from it
   * @param node version of Node of the process; without it, or if the worker lacks it, the default
   * @param isOffline whether the process gets no network; without a sandbox it has the network of the machine all the same
   * @throws Error when the process does not start
   */
  start(slotIndex: number, environment: Environment, node?: RunNode, isOffline?: boolean): Promise<RunProcess>;
  /** Whether the worker has this version of Node besides the default one. */
  hasOther(node: RunNode): boolean;
  /**
   * Kills the processes that an earlier run left in a slot, so that the slot can be used again.
   *
   * @throws Error when a process cannot be killed
   */
  clear(slotIndex: number): Promise<void>;
}
