import { createHash } from 'node:crypto';
import { CgroupsV1 } from './cgroups-v1.js';
import { CgroupsV2 } from './cgroups-v2.js';
import type { RunLimits } from './limits.js';

/** What the processes of a group have used since the group was made. */
export interface GroupUsage {
  cpuMs: number;
  /** How many of them were killed because the group was out of memory. */
  outOfMemory: number;
  /** How often a process or thread was refused because there were too many. */
  refusedProcesses: number;
}

/** How a process gets into a group. */
export type GroupEntrance =
  /** Its pid is written to this file. */
  | { by: 'pid'; file: string }
  /**
   * Who starts it is in the group meanwhile: its thread goes in by these files, and out by those. For the kernel that is
   * a tenth of a millisecond, and ten to move another process.
   */
  | { by: 'starter'; into: string[]; back: string[] };

/** The control group of one place. Everything here is done at once: the kernel's files answer without a disk. */
export interface RunGroup {
  readonly entrance: GroupEntrance;
  limit(limits: RunLimits): void;
  usage(): GroupUsage;
  /** @throws Error when it cannot be done; nothing is frozen then. */
  freeze(): Promise<void>;
  /** Also ends a freeze that is under way. */
  thaw(): void;
  isEmpty(): boolean;
}

/** The control groups of one worker, below a folder of its own in the kernel's tree. */
export interface Cgroups {
  /** The worker's own folders, which are removed when it ends. */
  readonly folders: string[];
  group(place: number): RunGroup;
}

/** Below `prefix` a worker finds what it had before; `name` begins with it and is of this start alone. */
export interface GroupNames {
  prefix: string;
  name: string;
}

/** @param boot of this start of the worker. */
export function groupNames(folder: string, boot: string): GroupNames {
  const prefix = `trawl-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}-`;
  return { prefix, name: prefix + boot.slice(0, 8) };
}

/**
 * Takes the control groups of this machine, of either version, and ends what an earlier worker left in them.
 *
 * @throws Error that says why there are none, and how to get them
 */
export async function openCgroups(names: GroupNames, root = '/sys/fs/cgroup'): Promise<Cgroups> {
  const reasons: string[] = [];
  for (const version of [CgroupsV1, CgroupsV2]) {
    try {
      return await version.open(names, root);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(reasons.join(' '));
}
