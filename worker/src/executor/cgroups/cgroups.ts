import type { RunLimits } from '../../process/run-process.js';

/** Resources that the processes of a cgroup have used since it was created. */
export interface CgroupUsage {
  cpuMs: number;
  /** Number of processes that the kernel killed because the cgroup was out of memory. */
  oomKills: number;
  /** Number of times that the kernel refused a new process or thread because of `pids.max`. */
  pidsLimitHits: number;
}

/** How a process enters a cgroup. */
export type CgroupEntry =
  /** The spawner writes the pid of the process to `file`, so that the kernel moves the process into the cgroup. */
  | { by: 'pid'; file: string }
  /**
   * The spawner's own thread joins the cgroup before the fork, by writing to `enter`, and leaves it afterwards, by
   * writing to `leave`. That takes the kernel 0.1 ms; to move another process takes it 10 ms.
   */
  | { by: 'spawner'; enter: string[]; leave: string[] };

/**
 * The cgroup of one slot. All methods except `freeze` are synchronous: they use files of the kernel, which are not on a
 * disk.
 */
export interface Cgroup {
  readonly entry: CgroupEntry;
  limit(limits: RunLimits): void;
  /** Sets the slot's part of the time that all runs get, as `RunProcess.share` does. */
  share(share: number): void;
  usage(): CgroupUsage;
  /** Returns the processor time of `usage`, and reads nothing else. */
  cpuMs(): number;
  /** Returns the memory in use, with the files that the run has written. Leaves out what the kernel has only cached. */
  memoryBytes(): number;
  /** @throws Error when the processes do not all freeze in time; the cgroup is then thawed. */
  freeze(): Promise<void>;
  /** Lets the processes of the cgroup continue. Also aborts a freeze that is in progress. */
  thaw(): void;
  /** Lists the processes of the cgroup. */
  pids(): number[];
}

/** The cgroups of one worker, below its own folders in the kernel's tree. */
export interface Cgroups {
  /** The worker's own folders; the spawner removes them when the worker ends. */
  readonly folders: string[];
  /** The reason why the kernel does not share the processors between runs; null if it does. */
  readonly unshared: string | null;
  /** The folders of the cgroup for work in the background; the spawner removes them, too. */
  readonly backgroundFolders: string[];
  /** Creates the cgroup for work in the background. Returns the files through which a process enters it. */
  background(): string[];
  /** Returns the cgroup of a slot and creates it the first time. */
  group(slotIndex: number): Cgroup;
}

/**
 * Names of the worker's cgroups. `name` is the name in this start of the worker and begins with `prefix`. The names in
 * earlier starts begin with the same `prefix`.
 */
export interface CgroupNames {
  prefix: string;
  name: string;
}
