import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { readField } from '../executor/cgroups/cgroup-files.js';

/**
 * For each version of control groups: a pattern that finds a process's group, and the names of the files with a group's
 * limit and usage.
 */
const VERSIONS = [
  {
    own: /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(\/.*)$/m,
    tree: 'memory',
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    files: ['total_inactive_file', 'total_active_file'],
  },
  {
    own: /^0::(\/.*)$/m,
    tree: '.',
    limit: 'memory.max',
    usage: 'memory.current',
    files: ['inactive_file', 'active_file'],
  },
];

interface LimitedGroup {
  folder: string;
  limit: number;
  version: (typeof VERSIONS)[number];
}

/**
 * The memory that the worker and its runs may use, in bytes. This is the machine's memory, or less if the worker is in
 * a control group with a limit, for example that of a container or a service. Node's `availableMemory` is not used,
 * because it checks only the nearest group and counts the file cache as used, although the kernel frees it on demand.
 */
export class MachineMemory {
  readonly #limited: LimitedGroup[];
  readonly #pressureFile: string;

  /** @param system folder that contains `proc` and `sys` */
  constructor(system = '/') {
    this.#pressureFile = join(system, 'proc/pressure/memory');
    const ownGroups = contentOf(join(system, 'proc/self/cgroup'));
    this.#limited = VERSIONS.flatMap(version => {
      const tree = join(system, 'sys/fs/cgroup', version.tree);
      return ancestors(version.own.exec(ownGroups)?.[1])
        .map(path => join(tree, path))
        .map(folder => ({ folder, version, limit: Number(contentOf(join(folder, version.limit)) || 'max') }))
        .filter(({ limit }) => limit < totalmem());
    });
  }

  get total(): number {
    return Math.min(totalmem(), ...this.#limited.map(({ limit }) => limit));
  }

  get free(): number {
    return Math.min(freemem(), ...this.#limited.map(freeIn));
  }

  /**
   * The share of the last 10 s, in percent, in which some process of the machine had to wait for memory. Always 0 on a
   * kernel that does not measure it.
   */
  get pressure(): number {
    return Number(/^some avg10=([\d.]+)/.exec(contentOf(this.#pressureFile))?.[1] ?? 0);
  }
}

/** Returns the path of a group and the paths of all its ancestors. */
function ancestors(path: string | undefined): string[] {
  if (path === undefined) return [];
  return path === '/' ? [path] : [path, ...ancestors(dirname(path))];
}

function freeIn({ folder, limit, version }: LimitedGroup): number {
  try {
    const usage = Number(readFileSync(join(folder, version.usage), 'utf8'));
    const files = version.files.map(name => readField(join(folder, 'memory.stat'), name));
    return limit - usage + files.reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    // The group is gone because the worker was moved to another group. So its limit no longer applies.
    return Number.POSITIVE_INFINITY;
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
