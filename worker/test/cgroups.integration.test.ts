import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endGroups } from '../src/executor/cgroup-files.js';
import { GroupV2 } from '../src/executor/cgroups-v2.js';
import { limitsOf } from '../src/executor/limits.js';
import { gone } from './left-processes.js';

const TREES = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'];

/** A group of version 2, which has a freezer without any controller; null where the tests may make none. */
function madeGroup(): string | null {
  const tree = TREES.find(path => existsSync(join(path, 'cgroup.controllers')));
  if (!tree || process.getuid?.() !== 0) return null;
  const folder = join(tree, `trawl-test-${process.pid}`);
  mkdirSync(folder);
  return folder;
}

const folder = madeGroup();
afterAll(() => folder && existsSync(folder) && rmdirSync(folder));

const cpuOf = (group: string) => Number(/^usage_usec (\d+)/m.exec(readFileSync(join(group, 'cpu.stat'), 'utf8'))?.[1]);

(folder ? test : test.skip)(
  'a group of version 2 stands still as a whole, goes on, and is ended while it is frozen',
  async () => {
    const group = folder as string;
    // It begins when it is in the group, and its child with it.
    const child = spawn('/bin/sh', ['-c', 'read -r go; while :; do :; done & wait'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    for (const file of new GroupV2(group).members) writeFileSync(file, String(child.pid));
    child.stdin.write('go\n');
    const frozen = new GroupV2(group);
    await frozen.freeze();
    const before = cpuOf(group);
    for (let n = 0; n < 3e8; n += 1);
    expect(cpuOf(group)).toBe(before);
    frozen.thaw();
    await frozen.freeze();
    expect(frozen.isEmpty()).toBe(false);
    await endGroups([group]);
    await gone(child.pid as number);
    expect(existsSync(group)).toBe(false);
  },
);

test('limits and use of version 2 are written and read as the kernel words them', () => {
  const files = mkdtempSync(join(tmpdir(), 'trawl-group-'));
  writeFileSync(join(files, 'cpu.stat'), 'usage_usec 2500000\nuser_usec 1\n');
  writeFileSync(join(files, 'memory.events'), 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n');
  writeFileSync(join(files, 'pids.events'), 'max 7\n');
  writeFileSync(join(files, 'memory.swap.max'), 'max\n');
  const group = new GroupV2(files);
  const limits = limitsOf('nodejs', { memoryMb: 100, diskMb: 28, processes: 50 });
  group.limit(limits);
  expect(readFileSync(join(files, 'memory.max'), 'utf8')).toBe(String(128 * 1024 * 1024));
  expect(readFileSync(join(files, 'memory.swap.max'), 'utf8')).toBe('0');
  expect(readFileSync(join(files, 'pids.max'), 'utf8')).toBe('50');
  expect(group.usage()).toEqual({ cpuMs: 2_500, outOfMemory: 2, refusedProcesses: 7 });
  rmSync(files, { recursive: true });
});
