import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const SETTLED_MS = 60_000;
const STEADY_LOOKS = 10;

interface ProcessRow {
  pid: number;
  parent: number;
  uid: number;
}

/** A worker's share of its machine's processor and memory. */
export interface MachineUse {
  /** Number of open descriptors of the worker; `helperDescriptors` is that of its helper processes. */
  descriptors: number;
  helperDescriptors: number;
  /** Number of the worker's child processes and of processes with the user ids of runs, including zombies. */
  processes: number;
  /** Number of slots with processes. Without a run, these are the parked processes. */
  slots: number;
  /** Number of files and folders in the worker's own folder. */
  files: number;
  /** Cgroups of its runs. */
  groups: number;
}

/**
 * @param data the worker's data folder
 * @param users the user ids of its runs
 * @param groupPrefix prefix of the names of its cgroups
 */
export async function machineUse(
  pid: number,
  data: string,
  users: { first: number; last: number },
  groupPrefix: string,
): Promise<MachineUse> {
  const rows = processRows();
  const ofRuns = rows.filter(({ uid }) => uid >= users.first && uid <= users.last);
  const started = descendants(rows, pid);
  const helpers = started.filter(row => !ofRuns.includes(row));
  return {
    descriptors: descriptorsOf(pid),
    helperDescriptors: helpers.reduce((sum, helper) => sum + descriptorsOf(helper.pid), 0),
    processes: new Set([...started, ...ofRuns]).size,
    slots: new Set(ofRuns.map(({ uid }) => uid)).size,
    files: (await readdir(data, { recursive: true })).length,
    groups: groupsNamed('/sys/fs/cgroup', groupPrefix),
  };
}

/**
 * Resolves with what the worker uses, when `parked` slots have a process and nothing changes any more. On a busy machine
 * nothing may change for a while although a process is still being started.
 */
export async function steady(parked: number, look: () => Promise<MachineUse>): Promise<MachineUse> {
  let last = await look();
  for (let same = 0; same < STEADY_LOOKS; ) {
    await pause(200);
    const now = await look();
    same = now.slots === parked && isDeepStrictEqual(now, last) ? same + 1 : 0;
    last = now;
  }
  return last;
}

/** Resolves when the worker uses nothing more than it did in `before`. */
export async function backTo(before: MachineUse, look: () => Promise<MachineUse>): Promise<void> {
  const deadline = Date.now() + SETTLED_MS;
  for (;;) {
    const now = await look();
    const grown = Object.entries(now).filter(([name, value]) => value > before[name as keyof MachineUse]);
    if (grown.length === 0) return;
    if (Date.now() > deadline) throw new Error(`${JSON.stringify(now)} is more than ${JSON.stringify(before)}`);
    await pause(200);
  }
}

function processRows(): ProcessRow[] {
  return readdirSync('/proc').flatMap(name => {
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      const field = (field: string) => Number(status.match(new RegExp(`^${field}:\\t(\\d+)`, 'm'))?.[1]);
      return [{ pid: Number(name), parent: field('PPid'), uid: field('Uid') }];
    } catch {
      // Ignore the entry: it is not a process, or the process has ended.
      return [];
    }
  });
}

function descendants(rows: ProcessRow[], pid: number): ProcessRow[] {
  const children = rows.filter(({ parent }) => parent === pid);
  return children.flatMap(child => [child, ...descendants(rows, child.pid)]);
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    // It has ended.
    return 0;
  }
}

/** Counts the folders whose names begin with `prefix`, and all folders inside them. */
function groupsNamed(folder: string, prefix: string, within = false): number {
  let names: string[] = [];
  try {
    names = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    // Ignore the error: the folder does not exist, or it was removed in the meantime.
  }
  return names.reduce((sum, name) => {
    const counts = within || name.startsWith(prefix);
    return sum + (counts ? 1 : 0) + groupsNamed(`${folder}/${name}`, prefix, counts);
  }, 0);
}
