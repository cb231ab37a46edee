import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fieldIn } from './executor/cgroup-files.js';

/** Where each version of control groups says which group a process is in, and what a group may take and has taken. */
const VERSIONS = [
  {
    own: /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(\/.*)$/m,
    tree: 'memory',
    limit: 'memory.limit_in_bytes',
    taken: 'memory.usage_in_bytes',
    files: ['total_inactive_file', 'total_active_file'],
  },
  {
    own: /^0::(\/.*)$/m,
    tree: '.',
    limit: 'memory.max',
    taken: 'memory.current',
    files: ['inactive_file', 'active_file'],
  },
];

interface LimitedGroup {
  folder: string;
  limit: number;
  version: (typeof VERSIONS)[number];
}

/**
 * The memory that the worker and its runs may take, in bytes: the machine's, or less where a container or a service has
 * a limit, which is one of a control group above them. Node's own `availableMemory` looks at no group but the
 * nearest, and takes for used what the kernel keeps of files and gives back when it is needed.
 */
export class MachineMemory {
  readonly #limited: LimitedGroup[];

  /** @param system holds `proc` and `sys` */
  constructor(system = '/') {
    const owned = contentOf(join(system, 'proc/self/cgroup'));
    this.#limited = VERSIONS.flatMap(version => {
      const tree = join(system, 'sys/fs/cgroup', version.tree);
      return upwards(version.own.exec(owned)?.[1])
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
}

/** A group and all above it, to the top of what is seen of the tree. */
function upwards(path: string | undefined): string[] {
  if (path === undefined) return [];
  return path === '/' ? [path] : [path, ...upwards(dirname(path))];
}

function freeIn({ folder, limit, version }: LimitedGroup): number {
  try {
    const taken = Number(readFileSync(join(folder, version.taken), 'utf8'));
    const files = version.files.map(name => fieldIn(join(folder, 'memory.stat'), name));
    return limit - taken + files.reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    // The worker was moved and the group is gone: it holds nobody any more.
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
