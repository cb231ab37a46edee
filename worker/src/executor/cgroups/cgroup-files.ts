import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CgroupEntry } from './cgroups.js';

const FREEZE_TIMEOUT_MS = 2_000;
const POLL_MS = 1;
const REMOVE_TIMEOUT_MS = 15_000;

/**
 * Reads the number of one field from a file in which each line has the form `name number`. Returns 0 if the file has no
 * such field.
 */
export function readField(file: string, name: string): number {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find(text => text.startsWith(`${name} `));
  return line ? Number(line.slice(name.length + 1)) : 0;
}

export function pidsOf(folder: string): number[] {
  const text = readFileSync(join(folder, 'cgroup.procs'), 'utf8');
  return text.split('\n').filter(Boolean).map(Number);
}

/**
 * Error: this thread could not leave a run's cgroup or network. Later processes would belong to this run, and the kernel
 * would freeze and kill the thread together with the run.
 */
export class LeaveError extends Error {}

/**
 * Calls `start` while this thread is in the run's cgroup, so that the process that `start` creates is in the cgroup
 * from its first instruction. If the entry is not by `spawner`, it only calls `start`.
 *
 * @throws LeaveError if this thread cannot leave the cgroup, even if `start` succeeded; otherwise the error of
 *   the kernel or of `start`
 */
export function startInCgroup<T>(entry: CgroupEntry | null, start: () => T): T {
  if (entry?.by !== 'spawner') return start();
  try {
    for (const file of entry.enter) writeFileSync(file, '0');
    return start();
  } finally {
    leave(entry.leave);
  }
}

function leave(files: string[]): void {
  const failures = files.flatMap(file => {
    try {
      writeFileSync(file, '0');
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
  if (failures.length > 0) throw new LeaveError(`The spawner cannot leave a run's cgroup: ${failures.join('; ')}`);
}

/**
 * Checks `condition` at once, and then every millisecond until it is true. Returns false if it is still false after
 * `timeoutMs`.
 */
export async function pollUntil(condition: () => boolean, timeoutMs = FREEZE_TIMEOUT_MS): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/**
 * Kills every process in these cgroups and in their child cgroups, and removes the cgroups. If a process does not die
 * in time, its cgroup is not removed.
 */
export async function removeCgroups(folders: string[]): Promise<void> {
  const groups = folders.filter(existsSync).flatMap(folder => {
    const inner = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory());
    return [...inner.map(({ name }) => join(folder, name)), folder];
  });
  await pollUntil(() => {
    for (const pid of groups.flatMap(group => attempt(() => pidsOf(group)) ?? [])) {
      attempt(() => process.kill(pid, 'SIGKILL'));
    }
    // Thaw the cgroups, because a frozen process cannot die. Version 1 and version 2 of cgroups have different files
    // for this, so write to both and ignore the error.
    for (const group of groups) {
      attempt(() => writeFileSync(join(group, 'freezer.state'), 'THAWED'));
      attempt(() => writeFileSync(join(group, 'cgroup.freeze'), '0'));
    }
    // Repeat the removal: the kernel refuses to remove a cgroup for a moment after its last process has ended.
    for (const group of groups) attempt(() => rmdirSync(group));
    return !groups.some(existsSync);
  }, REMOVE_TIMEOUT_MS);
}

/** Lists the cgroups in `folder` whose names begin with `prefix`. */
export const cgroupsWithPrefix = (folder: string, prefix: string): string[] =>
  readdirSync(folder)
    .filter(name => name.startsWith(prefix))
    .map(name => join(folder, name));

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    // Ignore the error: the process or the file is gone, or the file exists only in the other version of cgroups.
    return undefined;
  }
}
