import { createHash } from 'node:crypto';
import type { CgroupNames, Cgroups } from './cgroups.js';
import { CgroupsV1 } from './cgroups-v1.js';
import { CgroupsV2 } from './cgroups-v2.js';

/** @param boot id of this start of the worker */
export function cgroupNames(folder: string, boot: string): CgroupNames {
  const prefix = `trawl-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}-`;
  return { prefix, name: prefix + boot.slice(0, 8) };
}

/**
 * Creates the worker's cgroups, in version 1 if possible, else in version 2. Also kills the processes that are left in
 * the cgroups of an earlier start of this worker.
 *
 * @throws Error that says why the worker cannot use cgroups on this machine, and how to change that
 */
export async function openCgroups(names: CgroupNames, root = '/sys/fs/cgroup'): Promise<Cgroups> {
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
