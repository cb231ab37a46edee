import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { RunLimits } from '../../process/run-process.js';
import { cgroupsWithPrefix, pidsOf, pollUntil, readField, removeCgroups } from './cgroup-files.js';
import type { Cgroup, CgroupEntry, CgroupNames, Cgroups, CgroupUsage } from './cgroups.js';
import {
  BACKGROUND,
  BACKGROUND_MEMORY_BYTES,
  BACKGROUND_PROCESSES,
  backgroundWeight,
  CPU_PERIOD_US,
  runQuotaUs,
  runsWeight,
  slotWeight,
  trySharing,
} from './cpu-shares.js';

const CONTROLLERS = ['memory', 'pids', 'freezer', 'cpuacct'] as const;
const BACKGROUND_CONTROLLERS: readonly string[] = ['memory', 'pids'];
type Controller = (typeof CONTROLLERS)[number];
/** This controller shares the processors between runs. The worker also works without it. */
const CPU = 'cpu';
/** Shares of a program or cgroup that nobody has configured. */
const DEFAULT_SHARES = 1_024;
const MAX_SHARES = 262_144;

const NO_LIMIT = '-1';
/** Number of bubblewrap's own processes in a run's cgroup. They do not count towards the run's limit. */
const BUBBLEWRAP_PROCESSES = 1;

/** Cgroups in version 1 of the kernel's interface, which has a separate tree of cgroups for each controller. */
export class CgroupsV1 implements Cgroups {
  readonly unshared: string | null;
  readonly #root: string;
  readonly #name: string;
  readonly #controllers: string[];
  /** A thread writes to these `tasks` files to return to the worker's own cgroups. */
  readonly #workerTasks: string[];
  readonly #groups = new Map<number, CgroupV1>();

  private constructor(root: string, name: string, unshared: string | null) {
    this.#root = root;
    this.#name = name;
    this.unshared = unshared;
    this.#controllers = unshared === null ? [...CONTROLLERS, CPU] : [...CONTROLLERS];
    this.#workerTasks = findWorkerTasks(root, this.#controllers);
  }

  static async open({ prefix, name }: CgroupNames, root: string): Promise<CgroupsV1> {
    const missing = CONTROLLERS.filter(controller => !existsSync(join(root, controller, 'cgroup.procs')));
    if (missing.length > 0) throw new Error(`This machine has no version 1 cgroups for ${missing.join(', ')}.`);
    const trees = [...CONTROLLERS, CPU].map(controller => join(root, controller)).filter(existsSync);
    await removeCgroups(trees.flatMap(tree => cgroupsWithPrefix(tree, prefix)));
    try {
      // Before any thread enters a run's cgroup, check that a thread may enter the worker's cgroups. This thread is
      // already in them, so writing changes nothing.
      for (const file of findWorkerTasks(root, CONTROLLERS)) writeFileSync(file, '0');
      for (const controller of CONTROLLERS) mkdirSync(join(root, controller, name));
    } catch (error) {
      throw new Error(`The worker may not create cgroups below ${root}: ${error}.`);
    }
    const unshared = trySharing(() => {
      for (const file of findWorkerTasks(root, [CPU])) writeFileSync(file, '0');
      const folder = join(root, CPU, name);
      // Some systems have the controllers `cpu` and `cpuacct` in one tree. The folder exists then.
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'cpu.shares'), String(runsWeight(DEFAULT_SHARES, MAX_SHARES)));
      makeCpuGroup(folder, 0);
    });
    return new CgroupsV1(root, name, unshared);
  }

  get folders(): string[] {
    return this.#controllers.map(controller => join(this.#root, controller, this.#name));
  }

  get backgroundFolders(): string[] {
    const controllers = this.unshared === null ? [...BACKGROUND_CONTROLLERS, CPU] : BACKGROUND_CONTROLLERS;
    return controllers.map(controller => join(this.#root, controller, this.#name + BACKGROUND));
  }

  background(): string[] {
    const limits: Record<string, number> = {
      'memory.limit_in_bytes': BACKGROUND_MEMORY_BYTES,
      'pids.max': BACKGROUND_PROCESSES,
      'cpu.shares': backgroundWeight(DEFAULT_SHARES),
    };
    return this.backgroundFolders.map(folder => {
      mkdirSync(folder, { recursive: true });
      for (const [file, value] of Object.entries(limits)) {
        if (existsSync(join(folder, file))) writeFileSync(join(folder, file), String(value));
      }
      return join(folder, 'cgroup.procs');
    });
  }

  group(slotIndex: number): Cgroup {
    const known = this.#groups.get(slotIndex);
    if (known) return known;
    const folders = Object.fromEntries(
      CONTROLLERS.map(controller => [controller, join(this.#root, controller, this.#name, String(slotIndex))]),
    ) as Record<Controller, string>;
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
    const cpu = this.unshared === null ? makeCpuGroup(join(this.#root, CPU, this.#name), slotIndex) : null;
    const enter = [...Object.values(folders), ...(cpu ? [cpu] : [])].map(folder => join(folder, 'tasks'));
    const group = new CgroupV1(folders, cpu, { by: 'spawner', enter, leave: this.#workerTasks });
    this.#groups.set(slotIndex, group);
    return group;
  }
}

/** Creates the cgroup that bounds the processor time of a slot, and returns its folder. */
function makeCpuGroup(parent: string, slotIndex: number): string {
  const folder = join(parent, String(slotIndex));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cpu.cfs_period_us'), String(CPU_PERIOD_US));
  writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(runQuotaUs()));
  writeFileSync(join(folder, 'cpu.shares'), String(slotWeight(1)));
  return folder;
}

function findWorkerTasks(root: string, controllers: readonly string[]): string[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8');
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return controllers.map(controller => {
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
  readonly #cpuFolder: string | null;
  #share = 1;
  #limits: RunLimits | undefined;
  #wanted: 'FROZEN' | 'THAWED' = 'THAWED';

  constructor(folders: Record<Controller, string>, cpuFolder: string | null, entry: CgroupEntry) {
    this.#folders = folders;
    this.#cpuFolder = cpuFolder;
    this.entry = entry;
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

  share(share: number): void {
    if (this.#cpuFolder === null || share === this.#share) return;
    writeFileSync(join(this.#cpuFolder, 'cpu.shares'), String(slotWeight(share)));
    this.#share = share;
  }

  usage(): CgroupUsage {
    return {
      cpuMs: this.cpuMs(),
      oomKills: readField(join(this.#folders.memory, 'memory.oom_control'), 'oom_kill'),
      pidsLimitHits: readField(join(this.#folders.pids, 'pids.events'), 'max'),
    };
  }

  cpuMs(): number {
    return Number(readFileSync(join(this.#folders.cpuacct, 'cpuacct.usage'), 'utf8')) / 1e6;
  }

  memoryBytes(): number {
    const file = join(this.#folders.memory, 'memory.stat');
    return readField(file, 'total_rss') + readField(file, 'total_shmem');
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

  pids(): number[] {
    return pidsOf(this.#folders.pids);
  }
}
