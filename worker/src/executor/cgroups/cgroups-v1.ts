import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { RunLimits } from '../../process/run-process.js';
import { cgroupsWithPrefix, pidsOf, pollUntil, readField, removeCgroups } from './cgroup-files.js';
import type { Cgroup, CgroupEntry, CgroupNames, Cgroups, CgroupUsage } from './cgroups.js';

const CONTROLLERS = ['memory', 'pids', 'freezer', 'cpuacct'] as const;
type Controller = (typeof CONTROLLERS)[number];

const NO_LIMIT = '-1';
/** Number of bubblewrap's own processes in a run's cgroup. They do not count towards the run's limit. */
const BUBBLEWRAP_PROCESSES = 1;

/** Cgroups in version 1 of the kernel's interface, which has a separate tree of cgroups for each controller. */
export class CgroupsV1 implements Cgroups {
  readonly #root: string;
  readonly #name: string;
  /** A thread writes to these `tasks` files to return to the worker's own cgroups. */
  readonly #workerTasks: string[];
  readonly #groups = new Map<number, CgroupV1>();

  private constructor(root: string, name: string, workerTasks: string[]) {
    this.#root = root;
    this.#name = name;
    this.#workerTasks = workerTasks;
  }

  static async open({ prefix, name }: CgroupNames, root: string): Promise<CgroupsV1> {
    const missing = CONTROLLERS.filter(controller => !existsSync(join(root, controller, 'cgroup.procs')));
    if (missing.length > 0) throw new Error(`This machine has no version 1 cgroups for ${missing.join(', ')}.`);
    await removeCgroups(CONTROLLERS.flatMap(controller => cgroupsWithPrefix(join(root, controller), prefix)));
    const workerTasks = findWorkerTasks(root);
    try {
      // Before any thread enters a run's cgroup, check that a thread may enter the worker's cgroups. This thread is
      // already in them, so writing changes nothing.
      for (const file of workerTasks) writeFileSync(file, '0');
      for (const controller of CONTROLLERS) mkdirSync(join(root, controller, name));
    } catch (error) {
      throw new Error(`The worker may not create cgroups below ${root}: ${error}.`);
    }
    return new CgroupsV1(root, name, workerTasks);
  }

  get folders(): string[] {
    return CONTROLLERS.map(controller => join(this.#root, controller, this.#name));
  }

  group(slotIndex: number): Cgroup {
    const known = this.#groups.get(slotIndex);
    if (known) return known;
    const folders = Object.fromEntries(
      CONTROLLERS.map(controller => [controller, join(this.#root, controller, this.#name, String(slotIndex))]),
    ) as Record<Controller, string>;
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
    const group = new CgroupV1(folders, this.#workerTasks);
    this.#groups.set(slotIndex, group);
    return group;
  }
}

function findWorkerTasks(root: string): string[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8');
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return CONTROLLERS.map(controller => {
    const path = new RegExp(`^\\d+:(?:.*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(own)?.[1] ?? '/';
    const folder = realpathSync(join(root, controller));
    // A container may see only a part of the tree, but the path in /proc/self/cgroup begins at the top of the whole
    // tree. So find out which part is mounted.
    const [, , , shown = '/'] = mounts.map(line => line.split(' ')).find(fields => fields[4] === folder) ?? [];
    const tasks = join(folder, relative(shown, path), 'tasks');
    return existsSync(tasks) ? tasks : join(folder, 'tasks');
  });
}

class CgroupV1 implements Cgroup {
  readonly entry: CgroupEntry;
  readonly #folders: Record<Controller, string>;
  #limits: RunLimits | undefined;
  #wanted: 'FROZEN' | 'THAWED' = 'THAWED';

  /** @param workerTasks files that a thread writes to when it leaves the cgroup */
  constructor(folders: Record<Controller, string>, workerTasks: string[]) {
    this.#folders = folders;
    const enter = Object.values(folders).map(folder => join(folder, 'tasks'));
    this.entry = { by: 'spawner', enter, leave: workerTasks };
  }

  limit(limits: RunLimits): void {
    if (limits === this.#limits) return;
    // A run's files are in memory, so they count towards the cgroup's memory.
    const bytes = String((limits.memoryMb + limits.diskMb) * 1024 * 1024);
    const withSwap = join(this.#folders.memory, 'memory.memsw.limit_in_bytes');
    // The kernel refuses a limit for memory and swap together that is below the limit for memory. So remove the limit
    // with swap before the limit for memory is set.
    if (existsSync(withSwap)) writeFileSync(withSwap, NO_LIMIT);
    writeFileSync(join(this.#folders.memory, 'memory.limit_in_bytes'), bytes);
    if (existsSync(withSwap)) writeFileSync(withSwap, bytes);
    writeFileSync(join(this.#folders.pids, 'pids.max'), String(limits.processes + BUBBLEWRAP_PROCESSES));
    this.#limits = limits;
  }

  usage(): CgroupUsage {
    return {
      cpuMs: Number(readFileSync(join(this.#folders.cpuacct, 'cpuacct.usage'), 'utf8')) / 1e6,
      oomKills: readField(join(this.#folders.memory, 'memory.oom_control'), 'oom_kill'),
      pidsLimitHits: readField(join(this.#folders.pids, 'pids.events'), 'max'),
    };
  }

  async freeze(): Promise<void> {
    this.#wanted = 'FROZEN';
    // Request the freeze again with each poll: the kernel misses a process that is just beginning to wait for its
    // child, as in `vfork`.
    if (await pollUntil(() => this.#requestState())) return;
    this.thaw();
    throw new Error("The kernel did not freeze all of the run's processes in time.");
  }

  thaw(): void {
    this.#wanted = 'THAWED';
    this.#requestState();
  }

  /** Requests the state in `#wanted`, frozen or thawed, and returns whether the cgroup has reached it. */
  #requestState(): boolean {
    const file = join(this.#folders.freezer, 'freezer.state');
    writeFileSync(file, this.#wanted);
    return readFileSync(file, 'utf8').trim() === this.#wanted;
  }

  isEmpty(): boolean {
    return pidsOf(this.#folders.pids).length === 0;
  }
}
