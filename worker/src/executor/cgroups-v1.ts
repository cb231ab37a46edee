import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { endGroups, fieldIn, groupsNamed, membersOf, untilIs } from './cgroup-files.js';
import type { Cgroups, GroupEntrance, GroupNames, GroupUsage, RunGroup } from './cgroups.js';
import type { RunLimits } from './limits.js';

const CONTROLLERS = ['memory', 'pids', 'freezer', 'cpuacct'] as const;
type Controller = (typeof CONTROLLERS)[number];

const NO_LIMIT = '-1';
/** bubblewrap's own process is in the group, too, and not the run's. */
const BESIDE_THE_RUN = 1;

/** Version 1: a tree of its own for each controller. */
export class CgroupsV1 implements Cgroups {
  readonly #root: string;
  readonly #name: string;
  /** Files by which a thread goes back to where the worker is. */
  readonly #home: string[];
  readonly #groups = new Map<number, GroupV1>();

  private constructor(root: string, name: string, home: string[]) {
    this.#root = root;
    this.#name = name;
    this.#home = home;
  }

  static async open({ prefix, name }: GroupNames, root: string): Promise<CgroupsV1> {
    const missing = CONTROLLERS.filter(controller => !existsSync(join(root, controller, 'cgroup.procs')));
    if (missing.length > 0) throw new Error(`Control groups of version 1 are not there for ${missing.join(', ')}.`);
    await endGroups(CONTROLLERS.flatMap(controller => groupsNamed(join(root, controller), prefix)));
    const home = tasksOfWorker(root);
    try {
      // Whoever goes into a group must be able to come back; where it is already, nothing changes.
      for (const file of home) writeFileSync(file, '0');
      for (const controller of CONTROLLERS) mkdirSync(join(root, controller, name));
    } catch (error) {
      throw new Error(`The worker may not make control groups below ${root}: ${error}.`);
    }
    return new CgroupsV1(root, name, home);
  }

  get folders(): string[] {
    return CONTROLLERS.map(controller => join(this.#root, controller, this.#name));
  }

  group(place: number): RunGroup {
    const known = this.#groups.get(place);
    if (known) return known;
    const folders = Object.fromEntries(
      CONTROLLERS.map(controller => [controller, join(this.#root, controller, this.#name, String(place))]),
    ) as Record<Controller, string>;
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
    const group = new GroupV1(folders, this.#home);
    this.#groups.set(place, group);
    return group;
  }
}

function tasksOfWorker(root: string): string[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8');
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return CONTROLLERS.map(controller => {
    const path = new RegExp(`^\\d+:(?:.*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(own)?.[1] ?? '/';
    const folder = realpathSync(join(root, controller));
    // A container may be shown a part of the tree, and told its path from the top of all of it.
    const [, , , shown = '/'] = mounts.map(line => line.split(' ')).find(fields => fields[4] === folder) ?? [];
    const tasks = join(folder, relative(shown, path), 'tasks');
    return existsSync(tasks) ? tasks : join(folder, 'tasks');
  });
}

class GroupV1 implements RunGroup {
  readonly entrance: GroupEntrance;
  readonly #folders: Record<Controller, string>;
  #limits: RunLimits | undefined;
  #wanted: 'FROZEN' | 'THAWED' = 'THAWED';

  /** @param home files by which a thread leaves the group */
  constructor(folders: Record<Controller, string>, home: string[]) {
    this.#folders = folders;
    const into = Object.values(folders).map(folder => join(folder, 'tasks'));
    this.entrance = { by: 'starter', into, back: home };
  }

  limit(limits: RunLimits): void {
    if (limits === this.#limits) return;
    // What a run keeps in files is in memory as well.
    const bytes = String((limits.memoryMb + limits.diskMb) * 1024 * 1024);
    const withSwap = join(this.#folders.memory, 'memory.memsw.limit_in_bytes');
    // Never below the one without swap, at any moment.
    if (existsSync(withSwap)) writeFileSync(withSwap, NO_LIMIT);
    writeFileSync(join(this.#folders.memory, 'memory.limit_in_bytes'), bytes);
    if (existsSync(withSwap)) writeFileSync(withSwap, bytes);
    writeFileSync(join(this.#folders.pids, 'pids.max'), String(limits.processes + BESIDE_THE_RUN));
    this.#limits = limits;
  }

  usage(): GroupUsage {
    return {
      cpuMs: Number(readFileSync(join(this.#folders.cpuacct, 'cpuacct.usage'), 'utf8')) / 1e6,
      outOfMemory: fieldIn(join(this.#folders.memory, 'memory.oom_control'), 'oom_kill'),
      refusedProcesses: fieldIn(join(this.#folders.pids, 'pids.events'), 'max'),
    };
  }

  async freeze(): Promise<void> {
    this.#wanted = 'FROZEN';
    // Asked for at each look: what begins to wait for its child just then, as `vfork` does, was passed over before.
    if (await untilIs(() => this.#isAsWanted())) return;
    this.thaw();
    throw new Error('The processes of the run could not all be brought to a stand.');
  }

  thaw(): void {
    this.#wanted = 'THAWED';
    this.#isAsWanted();
  }

  #isAsWanted(): boolean {
    const file = join(this.#folders.freezer, 'freezer.state');
    writeFileSync(file, this.#wanted);
    return readFileSync(file, 'utf8').trim() === this.#wanted;
  }

  isEmpty(): boolean {
    return membersOf(this.#folders.pids).length === 0;
  }
}
