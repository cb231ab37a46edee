import { type ChildProcess, spawn } from 'node:child_process';
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endGroups, membersOf, NotOutOfGroup, startInside } from '../src/executor/cgroup-files.js';
import { type Cgroups, type GroupEntrance, groupNames, openCgroups, type RunGroup } from '../src/executor/cgroups.js';
import { CgroupsV2, GroupV2 } from '../src/executor/cgroups-v2.js';
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
    writeFileSync(join(group, 'cgroup.procs'), String(child.pid));
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

/**
 * A group of version 2 whose processes the worker has to move before it can limit any, with what is left of an earlier
 * start in it. The folders are real; the kernel's part is played for what is written below `root` and asked about oneself.
 *
 * @param appearing processes that appear in the group, one with each move
 */
function busyGroup(own: string, appearing: number[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'trawl-tree-'));
  writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory pids\n');
  writeFileSync(join(root, 'cgroup.type'), 'domain\n');
  const above = join(root, 'service');
  mkdirSync(join(above, 'trawl-old-1'), { recursive: true });
  mkdirSync(join(above, 'trawl-beside'));
  const [inGroup, beside] = [[41, 42], [] as number[]];
  const [read, write] = [fs.readFileSync, fs.writeFileSync];
  jest.spyOn(fs, 'readFileSync').mockImplementation(((file: string, ...rest: [BufferEncoding]) => {
    if (file === '/proc/self/cgroup') return `4:memory:/\n0::${own}\n`;
    if (file === join(above, 'cgroup.procs')) return inGroup.map(pid => `${pid}\n`).join('');
    return read(file, ...rest);
  }) as typeof read);
  jest.spyOn(fs, 'writeFileSync').mockImplementation(((file: string, text: string) => {
    const refusedWith = (code: string) => Object.assign(new Error(`${code}: ${file}`), { code });
    if (!file.startsWith(root)) return write(file, text);
    if (file === join(above, 'trawl-beside', 'cgroup.procs')) {
      inGroup.splice(inGroup.indexOf(Number(text)), 1);
      inGroup.push(...appearing.splice(0, 1));
      // It ended between the list and the move.
      if (text === '41') throw refusedWith('ESRCH');
      beside.push(Number(text));
    } else if (file === join(above, 'cgroup.subtree_control')) {
      if (inGroup.length > 0) throw refusedWith('EBUSY');
    } else if (!file.endsWith('cgroup.subtree_control')) throw refusedWith('ENOENT');
  }) as typeof write);
  return { root, above, inGroup, beside };
}

const NAMES = { prefix: 'trawl-old-', name: 'trawl-old-2' };

describe('a group of version 2 with processes of its own', () => {
  let tree: ReturnType<typeof busyGroup>;
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(tree.root, { recursive: true });
  });

  test.each(['/service', '/service/trawl-beside', '/service/trawl-beside/trawl-beside'])(
    'is the same one after a restart, and what was left in it is ended: %s',
    async own => {
      tree = busyGroup(own);
      const { folders } = await CgroupsV2.open(NAMES, tree.root);
      expect(folders).toEqual([join(tree.above, 'trawl-old-2')]);
      expect(fs.readdirSync(tree.above).sort()).toEqual(['trawl-beside', 'trawl-old-2']);
      expect(fs.readdirSync(join(tree.above, 'trawl-beside'))).toEqual([]);
    },
  );

  test('is emptied of them, also when one ends and others appear meanwhile', async () => {
    tree = busyGroup('/service', [43, 44]);
    await CgroupsV2.open(NAMES, tree.root);
    expect(tree.beside.sort()).toEqual([42, 43, 44]);
  });

  test('that always has another is given up, with the reason', async () => {
    tree = busyGroup(
      '/service',
      Array.from({ length: 1_000 }, (_, n) => 100 + n),
    );
    await expect(CgroupsV2.open(NAMES, tree.root)).rejects.toThrow(/below .*EBUSY.*Delegate=yes/);
  });
});

const VERSION_1 = '/sys/fs/cgroup/freezer/tasks';
const onVersion1 = existsSync(VERSION_1) && process.getuid?.() === 0 ? describe : describe.skip;

onVersion1('groups of version 1', () => {
  const names = groupNames(`test ${process.pid}`, String(process.pid));
  let groups: Cgroups;
  let group: RunGroup;
  let child: ChildProcess;

  beforeEach(async () => {
    groups = await openCgroups(names);
    group = groups.group(0);
    group.limit(limitsOf('nodejs', {}));
    child = startInside(group.entrance, () => spawn('sleep', ['60'], { stdio: 'ignore' }));
  });

  afterEach(async () => {
    await endGroups(groups.folders);
    await gone(child.pid as number);
  });

  const ofPlace = () => groups.folders.map(folder => membersOf(join(folder, '0')));

  test('have what is started inside, and no longer who started it', () => {
    expect(ofPlace()).toEqual(groups.folders.map(() => [child.pid]));
    expect(readFileSync('/proc/self/cgroup', 'utf8')).not.toContain(names.name);
  });

  test('are left also when nothing could be started', () => {
    const start = () => {
      throw new Error('none');
    };
    expect(() => startInside(group.entrance, start)).toThrow('none');
    expect(readFileSync('/proc/self/cgroup', 'utf8')).not.toContain(names.name);
  });

  test('are left as far as can be, and it is told when that is not all', () => {
    const entrance = group.entrance as Extract<GroupEntrance, { by: 'starter' }>;
    const back = [join(groups.folders[0] as string, 'none', 'tasks'), ...entrance.back.slice(1)];
    expect(() => startInside({ ...entrance, back }, () => {})).toThrow(NotOutOfGroup);
    writeFileSync(entrance.back[0] as string, '0');
    expect(readFileSync('/proc/self/cgroup', 'utf8')).not.toContain(names.name);
  });

  test('stand still, and go on also while they are being brought to a stand', async () => {
    const freezer = groups.folders.find(folder => folder.includes('/freezer/')) as string;
    const state = () => readFileSync(join(freezer, '0', 'freezer.state'), 'utf8').trim();
    await group.freeze();
    expect(state()).toBe('FROZEN');
    group.thaw();
    expect(state()).toBe('THAWED');
    const standing = group.freeze();
    group.thaw();
    await standing;
    expect(state()).toBe('THAWED');
  });
});
