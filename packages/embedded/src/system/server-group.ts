import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/**
 * Bounds the memory of processes together, by a control group of Linux. When they reach the limit, the kernel kills one of
 * them. While others want the processors, they also share the time of one process. `undefined` on machines where this
 * process may not make such groups, as in most containers.
 */
export class ServerGroup {
  private constructor(private readonly folders: string[]) {}

  /** @param prefix of the names of groups that one owner makes, from `groupPrefix` */
  static make(prefix: string, name: string, bytes: number): ServerGroup | undefined {
    const parents = findParents();
    if (!parents) return undefined;
    try {
      const folder = join(parents.memory, prefix + name);
      mkdirSync(folder, { recursive: true });
      for (const [file, value] of parents.limits(bytes)) {
        if (existsSync(join(folder, file))) writeFileSync(join(folder, file), value);
      }
      return new ServerGroup([folder, ...processorGroup(parents.processors, prefix + name)]);
    } catch {
      return undefined;
    }
  }

  /** Removes the groups that a killed owner has left behind, unless processes are in them. */
  static tidy(prefix: string): void {
    const parents = findParents();
    for (const parent of [parents?.memory, parents?.processors]) {
      if (parent === undefined) continue;
      for (const name of readdirSync(parent)) if (name.startsWith(prefix)) removeGroup(join(parent, name));
    }
  }

  /** Puts a process into the group, with all that it starts from now on. */
  add(pid: number): void {
    for (const folder of this.folders) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  }

  /** Does nothing while processes are in the group. The next group of this name is then the same. */
  remove(): void {
    for (const folder of this.folders) removeGroup(folder);
  }
}

function removeGroup(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // `tidy` tries again.
  }
}

/** Makes the group of version 1 that shares the processors. It is missing where only memory can be bounded. */
function processorGroup(parent: string | undefined, name: string): string[] {
  if (parent === undefined) return [];
  try {
    mkdirSync(join(parent, name), { recursive: true });
    return [join(parent, name)];
  } catch {
    return [];
  }
}

export const groupPrefix = (owner: string): string =>
  `trawl-postgres-${createHash('sha256').update(owner).digest('hex').slice(0, 12)}-`;

interface Parents {
  /** The group below which this process may make groups with a limit of memory. */
  memory: string;
  limits(bytes: number): [file: string, value: string][];
  /** The same for groups that share the processors, if these are separate: in version 1. */
  processors?: string;
}

function findParents(): Parents | undefined {
  if (process.platform !== 'linux') return undefined;
  const memory = ownGroupOfV1('memory');
  if (memory !== undefined) {
    const limits: Parents['limits'] = bytes => [
      ['memory.limit_in_bytes', String(bytes)],
      ['memory.memsw.limit_in_bytes', String(bytes)],
    ];
    const processors = ownGroupOfV1('cpu');
    return { memory, limits, ...(processors === undefined ? {} : { processors }) };
  }
  // In version 2, a group with processes has no groups with limits below it, except the one at the top.
  const isTop = existsSync(join(ROOT, 'cgroup.controllers')) && !existsSync(join(ROOT, 'cgroup.type'));
  if (!isTop || !/\bmemory\b/.test(read(join(ROOT, 'cgroup.subtree_control')))) return undefined;
  return {
    memory: ROOT,
    limits: bytes => [
      ['memory.max', String(bytes)],
      ['memory.swap.max', '0'],
    ],
  };
}

/** Returns the folder of this process's group of version 1. A container may see only a part of the tree. */
function ownGroupOfV1(controller: string): string | undefined {
  const lines = read('/proc/self/cgroup').split('\n');
  const own = lines
    .map(line => line.split(':'))
    .find(([, controllers]) => controllers?.split(',').includes(controller));
  if (!own) return undefined;
  return [join(ROOT, controller, own.slice(2).join(':')), join(ROOT, controller)].find(existsSync);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
