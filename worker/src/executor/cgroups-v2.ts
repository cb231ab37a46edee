import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endGroups, fieldIn, groupsNamed, membersOf, untilIs } from './cgroup-files.js';
import type { Cgroups, GroupEntrance, GroupNames, GroupUsage, RunGroup } from './cgroups.js';
import type { RunLimits } from './limits.js';

const NEEDED = ['memory', 'pids'];
/** Below a group that has processes of its own, the one that they are moved into. */
const BESIDE = 'trawl-beside';
/** How often they are moved before it is given up: others appear meanwhile, which stay behind. */
const MOST_MOVES = 10;
const HOW = 'Give the service its own control groups (systemd: Delegate=yes), or start the worker as root.';

/** Version 2: one tree, in which processes are in leaves only. */
export class CgroupsV2 implements Cgroups {
  readonly #folder: string;
  readonly #groups = new Map<number, GroupV2>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open({ prefix, name }: GroupNames, root: string): Promise<CgroupsV2> {
    const above = homeOf(root);
    const folder = join(above, name);
    try {
      await endGroups(groupsNamed(above, prefix));
      enableBelow(above);
      mkdirSync(folder);
      enable(folder);
    } catch (error) {
      throw new Error(`The worker may not make control groups of version 2 below ${above}: ${error}. ${HOW}`);
    }
    return new CgroupsV2(folder);
  }

  get folders(): string[] {
    return [this.#folder];
  }

  group(place: number): RunGroup {
    const known = this.#groups.get(place);
    if (known) return known;
    const folder = join(this.#folder, String(place));
    mkdirSync(folder, { recursive: true });
    const group = new GroupV2(folder);
    this.#groups.set(place, group);
    return group;
  }
}

/** The top of the tree where the worker sees it all, as root of the machine does, else the group that it is in. */
function homeOf(root: string): string {
  const controllers = contentOf(join(root, 'cgroup.controllers'));
  const missing = NEEDED.filter(name => !controllers.split(/\s+/).includes(name));
  if (missing.length > 0) throw new Error(`Control groups of version 2 do not offer ${missing.join(' and ')}.`);
  // Only groups below the top have a type.
  const isTop = !existsSync(join(root, 'cgroup.type'));
  if (isTop && process.getuid?.() === 0) return root;
  const own = /^0::(.*)$/m.exec(contentOf('/proc/self/cgroup'))?.[1] ?? '/';
  // An earlier start of this worker may have moved it, and with it who starts it again.
  return join(root, own.replace(new RegExp(`(/${BESIDE})+$`), ''));
}

function enableBelow(above: string): void {
  for (let moves = 0; ; moves += 1) {
    try {
      enable(above);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EBUSY' || moves === MOST_MOVES) throw error;
    }
    moveBeside(above);
  }
}

/** A group that has processes of its own can have no groups with limits: they go one level down. */
function moveBeside(above: string): void {
  const beside = join(above, BESIDE);
  mkdirSync(beside, { recursive: true });
  for (const pid of membersOf(above)) {
    try {
      writeFileSync(join(beside, 'cgroup.procs'), String(pid));
    } catch (error) {
      // One that has ended meanwhile needs no place.
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

const enable = (folder: string): void =>
  writeFileSync(join(folder, 'cgroup.subtree_control'), NEEDED.map(name => `+${name}`).join(' '));

const contentOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

export class GroupV2 implements RunGroup {
  readonly entrance: GroupEntrance;
  readonly #folder: string;
  #limits: RunLimits | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.entrance = { by: 'pid', file: join(folder, 'cgroup.procs') };
  }

  limit(limits: RunLimits): void {
    if (limits === this.#limits) return;
    // What a run keeps in files is in memory as well.
    const bytes = (limits.memoryMb + limits.diskMb) * 1024 * 1024;
    writeFileSync(join(this.#folder, 'memory.max'), String(bytes));
    const swap = join(this.#folder, 'memory.swap.max');
    if (existsSync(swap)) writeFileSync(swap, '0');
    writeFileSync(join(this.#folder, 'pids.max'), String(limits.processes));
    this.#limits = limits;
  }

  usage(): GroupUsage {
    return {
      cpuMs: fieldIn(join(this.#folder, 'cpu.stat'), 'usage_usec') / 1_000,
      outOfMemory: fieldIn(join(this.#folder, 'memory.events'), 'oom_kill'),
      refusedProcesses: fieldIn(join(this.#folder, 'pids.events'), 'max'),
    };
  }

  async freeze(): Promise<void> {
    writeFileSync(join(this.#folder, 'cgroup.freeze'), '1');
    const events = join(this.#folder, 'cgroup.events');
    if (await untilIs(() => fieldIn(events, 'frozen') === 1)) return;
    this.thaw();
    throw new Error('The processes of the run could not all be brought to a stand.');
  }

  thaw(): void {
    writeFileSync(join(this.#folder, 'cgroup.freeze'), '0');
  }

  isEmpty(): boolean {
    return membersOf(this.#folder).length === 0;
  }
}
