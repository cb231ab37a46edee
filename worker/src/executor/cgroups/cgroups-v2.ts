import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const CONTROLLERS = ['memory', 'pids'];
/** Weight of a cgroup that nobody has configured. */
const DEFAULT_WEIGHT = 100;
const MAX_WEIGHT = 10_000;
/**
 * Name of the cgroup into which the worker moves itself and all other processes of the cgroup in which it was started.
 */
const BESIDE = 'trawl-beside';
/**
 * The worker repeats the move of processes this many times, because new processes may appear during a move. Then it
 * gives up.
 */
const MAX_MOVES = 10;
const REMEDY = 'Give the service its own cgroups (systemd: Delegate=yes), or start the worker as root.';

/**
 * Cgroups in version 2 of the kernel's interface, which has a single tree of cgroups. Only leaves of the tree can
 * contain processes.
 */
export class CgroupsV2 implements Cgroups {
  readonly unshared: string | null;
  readonly #folder: string;
  readonly #groups = new Map<number, CgroupV2>();

  private constructor(folder: string, unshared: string | null) {
    this.#folder = folder;
    this.unshared = unshared;
  }

  static async open({ prefix, name }: CgroupNames, root: string): Promise<CgroupsV2> {
    const parent = findParent(root);
    const folder = join(parent, name);
    try {
      await removeCgroups(cgroupsWithPrefix(parent, prefix));
      enableInParent(parent);
      mkdirSync(folder);
      enableControllers(folder);
    } catch (error) {
      throw new Error(`The worker may not create version 2 cgroups below ${parent}: ${error}. ${REMEDY}`);
    }
    const unshared = trySharing(() => {
      for (const group of [parent, folder]) writeFileSync(join(group, 'cgroup.subtree_control'), '+cpu');
      writeFileSync(join(folder, 'cpu.weight'), String(runsWeight(DEFAULT_WEIGHT, MAX_WEIGHT)));
      makeGroup(folder, 0, true);
    });
    return new CgroupsV2(folder, unshared);
  }

  get folders(): string[] {
    return [this.#folder];
  }

  get backgroundFolders(): string[] {
    return [this.#folder + BACKGROUND];
  }

  background(): string[] {
    const folder = this.#folder + BACKGROUND;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'memory.max'), String(BACKGROUND_MEMORY_BYTES));
    writeFileSync(join(folder, 'pids.max'), String(BACKGROUND_PROCESSES));
    if (this.unshared === null) writeFileSync(join(folder, 'cpu.weight'), String(backgroundWeight(DEFAULT_WEIGHT)));
    return [join(folder, 'cgroup.procs')];
  }

  group(slotIndex: number): Cgroup {
    const known = this.#groups.get(slotIndex);
    if (known) return known;
    const isShared = this.unshared === null;
    const group = new CgroupV2(makeGroup(this.#folder, slotIndex, isShared), isShared);
    this.#groups.set(slotIndex, group);
    return group;
  }
}

/** Creates the cgroup of a slot, and returns its folder. */
function makeGroup(parent: string, slotIndex: number, isShared: boolean): string {
  const folder = join(parent, String(slotIndex));
  mkdirSync(folder, { recursive: true });
  if (isShared) {
    writeFileSync(join(folder, 'cpu.max'), `${runQuotaUs()} ${CPU_PERIOD_US}`);
    writeFileSync(join(folder, 'cpu.weight'), String(slotWeight(1)));
  }
  return folder;
}

/** Returns the root of the tree if the worker is root and sees the whole tree; otherwise the worker's own cgroup. */
function findParent(root: string): string {
  const controllers = contentOf(join(root, 'cgroup.controllers'));
  const missing = CONTROLLERS.filter(name => !controllers.split(/\s+/).includes(name));
  if (missing.length > 0) throw new Error(`The version 2 cgroups of this machine lack ${missing.join(' and ')}.`);
  // The root of the tree has no file `cgroup.type`; all other cgroups have it.
  const isTop = !existsSync(join(root, 'cgroup.type'));
  if (isTop && process.getuid?.() === 0) return root;
  const own = /^0::(.*)$/m.exec(contentOf('/proc/self/cgroup'))?.[1] ?? '/';
  // Remove the leaf cgroup's name from the path: an earlier start may have moved the worker and its supervisor into
  // that cgroup.
  return join(root, own.replace(new RegExp(`(/${BESIDE})+$`), ''));
}

function enableInParent(parent: string): void {
  for (let moves = 0; ; moves += 1) {
    try {
      enableControllers(parent);
      return;
    } catch (error) {
      if (codeOf(error) !== 'EBUSY' || moves === MAX_MOVES) throw error;
    }
    moveToLeaf(parent);
  }
}

/**
 * Moves the processes of `parent` one level down: a cgroup that contains processes cannot have children with limits.
 */
function moveToLeaf(parent: string): void {
  const leaf = join(parent, BESIDE);
  mkdirSync(leaf, { recursive: true });
  for (const pid of pidsOf(parent)) {
    try {
      writeFileSync(join(leaf, 'cgroup.procs'), String(pid));
    } catch (error) {
      // ESRCH means that the process has ended in the meantime.
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

const enableControllers = (folder: string): void =>
  writeFileSync(join(folder, 'cgroup.subtree_control'), CONTROLLERS.map(name => `+${name}`).join(' '));

const contentOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

export class CgroupV2 implements Cgroup {
  readonly entry: CgroupEntry;
  readonly #folder: string;
  readonly #isShared: boolean;
  #share = 1;
  #limits: RunLimits | undefined;

  constructor(folder: string, isShared: boolean) {
    this.#folder = folder;
    this.#isShared = isShared;
    this.entry = { by: 'pid', file: join(folder, 'cgroup.procs') };
  }

  limit(limits: RunLimits): void {
    if (limits === this.#limits) return;
    // A run's files are in memory, so they count towards the cgroup's memory.
    const bytes = (limits.memoryMb + limits.diskMb) * 1024 * 1024;
    writeFileSync(join(this.#folder, 'memory.max'), String(bytes));
    const swap = join(this.#folder, 'memory.swap.max');
    if (existsSync(swap)) writeFileSync(swap, '0');
    writeFileSync(join(this.#folder, 'pids.max'), String(limits.processes));
    this.#limits = limits;
  }

  share(share: number): void {
    if (!this.#isShared || share === this.#share) return;
    writeFileSync(join(this.#folder, 'cpu.weight'), String(slotWeight(share)));
    this.#share = share;
  }

  usage(): CgroupUsage {
    return {
      cpuMs: this.cpuMs(),
      oomKills: readField(join(this.#folder, 'memory.events'), 'oom_kill'),
      pidsLimitHits: readField(join(this.#folder, 'pids.events'), 'max'),
    };
  }

  cpuMs(): number {
    return readField(join(this.#folder, 'cpu.stat'), 'usage_usec') / 1_000;
  }

  memoryBytes(): number {
    const file = join(this.#folder, 'memory.stat');
    return readField(file, 'anon') + readField(file, 'shmem');
  }

  async freeze(): Promise<void> {
    writeFileSync(join(this.#folder, 'cgroup.freeze'), '1');
    const events = join(this.#folder, 'cgroup.events');
    if (await pollUntil(() => readField(events, 'frozen') === 1)) return;
    this.thaw();
    throw new Error("The kernel did not freeze all of the run's processes in time.");
  }

  thaw(): void {
    writeFileSync(join(this.#folder, 'cgroup.freeze'), '0');
  }

  pids(): number[] {
    return pidsOf(this.#folder);
  }
}
