import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/**
 * Bounds the memory of processes together, by a control group of Linux. When they reach the limit, the kernel kills one of
 * them. `undefined` on machines where this process may not make such groups, as in most containers.
 */
export class MemoryGroup {
  private constructor(private readonly folder: string) {}

  /** @param prefix of the names of groups that one owner makes, from `groupPrefix` */
  static make(prefix: string, name: string, bytes: number): MemoryGroup | undefined {
    const parent = findParent();
    if (!parent) return undefined;
    const folder = join(parent.folder, prefix + name);
    try {
      mkdirSync(folder, { recursive: true });
      for (const [file, value] of parent.limits(bytes)) {
        if (existsSync(join(folder, file))) writeFileSync(join(folder, file), value);
      }
      return new MemoryGroup(folder);
    } catch {
      return undefined;
    }
  }

  /** Removes the groups that a killed owner has left behind, unless processes are in them. */
  static tidy(prefix: string): void {
    const parent = findParent()?.folder;
    if (!parent) return;
    for (const name of readdirSync(parent)) if (name.startsWith(prefix)) new MemoryGroup(join(parent, name)).remove();
  }

  /** Puts a process into the group, with all that it starts from now on. */
  add(pid: number): void {
    writeFileSync(join(this.folder, 'cgroup.procs'), String(pid));
  }

  /** Does nothing while processes are in the group. The next group of this name is then the same. */
  remove(): void {
    try {
      rmdirSync(this.folder);
    } catch {
      // `tidy` tries again.
    }
  }
}

export const groupPrefix = (owner: string): string =>
  `trawl-postgres-${createHash('sha256').update(owner).digest('hex').slice(0, 12)}-`;

interface Parent {
  folder: string;
  limits(bytes: number): [file: string, value: string][];
}

/** Returns the group below which this process may make groups with a limit of memory. */
function findParent(): Parent | undefined {
  if (process.platform !== 'linux') return undefined;
  const own = read('/proc/self/cgroup');
  const ofV1 = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(own)?.[1];
  if (ofV1 !== undefined) {
    // A container may see only a part of the tree.
    const folder = [join(ROOT, 'memory', ofV1), join(ROOT, 'memory')].find(existsSync);
    return folder === undefined
      ? undefined
      : {
          folder,
          limits: bytes => [
            ['memory.limit_in_bytes', String(bytes)],
            ['memory.memsw.limit_in_bytes', String(bytes)],
          ],
        };
  }
  // In version 2, a group with processes has no groups with limits below it, except the one at the top.
  const isTop = existsSync(join(ROOT, 'cgroup.controllers')) && !existsSync(join(ROOT, 'cgroup.type'));
  if (!isTop || !/\bmemory\b/.test(read(join(ROOT, 'cgroup.subtree_control')))) return undefined;
  return {
    folder: ROOT,
    limits: bytes => [
      ['memory.max', String(bytes)],
      ['memory.swap.max', '0'],
    ],
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
