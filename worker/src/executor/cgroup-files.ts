import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupEntrance } from './cgroups.js';

const STAND_MS = 2_000;
const LOOK_AGAIN_MS = 1;
const END_MS = 15_000;

/** The number behind a name in a file of `name number` lines; 0 when it is not there. */
export function fieldIn(file: string, name: string): number {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find(text => text.startsWith(`${name} `));
  return line ? Number(line.slice(name.length + 1)) : 0;
}

export function membersOf(folder: string): number[] {
  const text = readFileSync(join(folder, 'cgroup.procs'), 'utf8');
  return text.split('\n').filter(Boolean).map(Number);
}

/** This thread is still in the group of a run, and is frozen and ended with it. */
export class NotOutOfGroup extends Error {}

/**
 * Calls `start` so that what it starts is in the group from its first instant, where that can be.
 *
 * @throws NotOutOfGroup, also when something was started; whatever the kernel or `start` says when nothing was.
 */
export function startInside<T>(entrance: GroupEntrance | null, start: () => T): T {
  if (entrance?.by !== 'starter') return start();
  try {
    for (const file of entrance.into) writeFileSync(file, '0');
    return start();
  } finally {
    leave(entrance.back);
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
  if (failures.length > 0) throw new NotOutOfGroup(`The control group of a run cannot be left: ${failures.join('; ')}`);
}

/** Asks at once, then every millisecond. False when it did not become so. */
export async function untilIs(isSo: () => boolean, withinMs = STAND_MS): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > deadline) return false;
    await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return true;
}

/**
 * Ends every process in these groups and in those below them, and removes the groups. What cannot be ended keeps its
 * group.
 */
export async function endGroups(folders: string[]): Promise<void> {
  const groups = folders.filter(existsSync).flatMap(folder => {
    const inner = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory());
    return [...inner.map(({ name }) => join(folder, name)), folder];
  });
  await untilIs(() => {
    for (const pid of groups.flatMap(group => attempt(() => membersOf(group)) ?? [])) {
      attempt(() => process.kill(pid, 'SIGKILL'));
    }
    // What is frozen cannot end. One of the two files is there, or none.
    for (const group of groups) {
      attempt(() => writeFileSync(join(group, 'freezer.state'), 'THAWED'));
      attempt(() => writeFileSync(join(group, 'cgroup.freeze'), '0'));
    }
    // A group is kept busy for a moment by what has just ended in it.
    for (const group of groups) attempt(() => rmdirSync(group));
    return !groups.some(existsSync);
  }, END_MS);
}

/** What stands below `folder` with a name that begins so. */
export const groupsNamed = (folder: string, prefix: string): string[] =>
  readdirSync(folder)
    .filter(name => name.startsWith(prefix))
    .map(name => join(folder, name));

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    // Gone meanwhile, or not of this kind.
    return undefined;
  }
}
