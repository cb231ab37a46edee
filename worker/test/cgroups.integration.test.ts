import { type ChildProcess, spawn } from 'node:child_process';
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeaveError, pidsOf, removeCgroups, startInCgroup } from '../src/executor/cgroups/cgroup-files.js';
import type { Cgroup, CgroupEntry, Cgroups } from '../src/executor/cgroups/cgroups.js';
import { CgroupsV2, CgroupV2 } from '../src/executor/cgroups/cgroups-v2.js';
import { CPU_PERIOD_US, runQuotaUs } from '../src/executor/cgroups/cpu-shares.js';
import { cgroupNames, openCgroups } from '../src/executor/cgroups/open-cgroups.js';
import { limitsOf } from '../src/executor/limits/limit-settings.js';
import { gone } from './left-processes.js';

const TREES = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'];

/**
 * Creates a version 2 cgroup. It can be frozen even if no controller is enabled. Returns null if the tests may not
 * create cgroups here.
 */
function createCgroup(): string | null {
  const tree = TREES.find(path => existsSync(join(path, 'cgroup.controllers')));
  if (!tree || process.getuid?.() !== 0) return null;
  const folder = join(tree, `trawl-test-${process.pid}`);
  mkdirSync(folder);
  return folder;
}

const folder = createCgroup();
afterAll(() => folder && existsSync(folder) && rmdirSync(folder));

const cpuOf = (group: string) => Number(/^usage_usec (\d+)/m.exec(readFileSync(join(group, 'cpu.stat'), 'utf8'))?.[1]);

(folder ? test : test.skip)(
  'a version 2 cgroup freezes as a whole, thaws, and can be killed while frozen',
  async () => {
    const group = folder as string;
    // The shell starts its child only when the test has moved the shell into the cgroup, so that the child is in the
    // cgroup too.
    const child = spawn('/bin/sh', ['-c', 'read -r go; while :; do :; done & wait'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    writeFileSync(join(group, 'cgroup.procs'), String(child.pid));
    child.stdin.write('go\n');
    const frozen = new CgroupV2(group, false);
    await frozen.freeze();
    const before = cpuOf(group);
    for (let n = 0; n < 3e8; n += 1);
    expect(cpuOf(group)).toBe(before);
    frozen.thaw();
    await frozen.freeze();
    expect(frozen.pids()).toContain(child.pid);
    await removeCgroups([group]);
    await gone(child.pid as number);
    expect(existsSync(group)).toBe(false);
  },
);

test('the limits and usage of a version 2 cgroup use the file formats of the kernel', () => {
  const files = mkdtempSync(join(tmpdir(), 'trawl-group-'));
  writeFileSync(join(files, 'cpu.stat'), 'usage_usec 2500000\nuser_usec 1\n');
  writeFileSync(join(files, 'memory.events'), 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n');
  writeFileSync(join(files, 'pids.events'), 'max 7\n');
  writeFileSync(join(files, 'memory.swap.max'), 'max\n');
  const group = new CgroupV2(files, false);
  const limits = limitsOf('nodejs', { memoryMb: 100, diskMb: 28, processes: 50 });
  group.limit(limits);
  expect(readFileSync(join(files, 'memory.max'), 'utf8')).toBe(String(128 * 1024 * 1024));
  expect(readFileSync(join(files, 'memory.swap.max'), 'utf8')).toBe('0');
  expect(readFileSync(join(files, 'pids.max'), 'utf8')).toBe('50');
  expect(group.usage()).toEqual({ cpuMs: 2_500, oomKills: 2, pidsLimitHits: 7 });
  rmSync(files, { recursive: true });
});

const NAMES = { prefix: 'trawl-old-', name: 'trawl-old-2' };

/**
 * Creates a version 2 cgroup whose processes the worker must move before it can set limits, and a cgroup that an
 * earlier start has left. The folders are real. Mocks replace the kernel for writes below `root` and for
 * /proc/self/cgroup.
 *
 * @param appearing pids of new processes; with each move of a process, one of them appears in the cgroup
 * @param hasCpu whether the kernel allows the controller `cpu`
 */
function busyGroup(own: string, appearing: number[] = [], hasCpu = true) {
  const root = mkdtempSync(join(tmpdir(), 'trawl-tree-'));
  writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory pids\n');
  writeFileSync(join(root, 'cgroup.type'), 'domain\n');
  const above = join(root, 'service');
  mkdirSync(join(above, 'trawl-old-1'), { recursive: true });
  mkdirSync(join(above, 'trawl-beside'));
  const [inGroup, beside] = [[41, 42], [] as number[]];
  const shares: Record<string, string> = {};
  const [read, write] = [fs.readFileSync, fs.writeFileSync];
  jest.spyOn(fs, 'readFileSync').mockImplementation(((file: string, ...rest: [BufferEncoding]) => {
    if (file === '/proc/self/cgroup') return `4:memory:/\n0::${own}\n`;
    if (file === join(above, 'cgroup.procs')) return inGroup.map(pid => `${pid}\n`).join('');
    return read(file, ...rest);
  }) as typeof read);
  jest.spyOn(fs, 'writeFileSync').mockImplementation(((file: string, text: string) => {
    const refusedWith = (code: string) => Object.assign(new Error(`${code}: ${file}`), { code });
    if (!file.startsWith(root)) return write(file, text);
    if (text === '+cpu' && !hasCpu) throw refusedWith('EINVAL');
    if (file === join(above, 'trawl-beside', 'cgroup.procs')) {
      inGroup.splice(inGroup.indexOf(Number(text)), 1);
      inGroup.push(...appearing.splice(0, 1));
      // The process ended between the listing and the move.
      if (text === '41') throw refusedWith('ESRCH');
      beside.push(Number(text));
    } else if (file === join(above, 'cgroup.subtree_control')) {
      if (inGroup.length > 0) throw refusedWith('EBUSY');
    } else if (file.startsWith(join(above, NAMES.name)) && /\/cpu\.(weight|max)$/.test(file)) {
      shares[file.slice(above.length + NAMES.name.length + 2)] = text;
    } else if (!file.endsWith('cgroup.subtree_control')) throw refusedWith('ENOENT');
  }) as typeof write);
  return { root, above, inGroup, beside, shares };
}

describe('a version 2 cgroup that contains processes', () => {
  let tree: ReturnType<typeof busyGroup>;
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(tree.root, { recursive: true });
  });

  test.each(['/service', '/service/trawl-beside', '/service/trawl-beside/trawl-beside'])(
    'is used again by a restarted worker, which kills the processes left in it: %s',
    async own => {
      tree = busyGroup(own);
      const { folders } = await CgroupsV2.open(NAMES, tree.root);
      expect(folders).toEqual([join(tree.above, 'trawl-old-2')]);
      expect(fs.readdirSync(tree.above).sort()).toEqual(['trawl-beside', 'trawl-old-2']);
      expect(fs.readdirSync(join(tree.above, 'trawl-beside'))).toEqual([]);
    },
  );

  test('gets one weight for all runs together, and a quota for each', async () => {
    tree = busyGroup('/service');
    const groups = await CgroupsV2.open(NAMES, tree.root);
    expect(groups.unshared).toBeNull();
    groups.group(7).share(1 / 4);
    const quota = `${runQuotaUs()} ${CPU_PERIOD_US}`;
    expect(tree.shares).toEqual({
      'cpu.weight': String(50 * availableParallelism()),
      '0/cpu.max': quota,
      '0/cpu.weight': '10000',
      '7/cpu.max': quota,
      '7/cpu.weight': '2500',
    });
  });

  test('limits runs even if the kernel cannot divide processor time, and reports the reason', async () => {
    tree = busyGroup('/service', [], false);
    const groups = await CgroupsV2.open(NAMES, tree.root);
    expect(groups.unshared).toMatch(/EINVAL/);
    groups.group(7).share(1 / 4);
    expect(tree.shares).toEqual({});
  });

  test('is emptied by the worker, even if a process ends and others appear meanwhile', async () => {
    tree = busyGroup('/service', [43, 44]);
    await CgroupsV2.open(NAMES, tree.root);
    expect(tree.beside.sort()).toEqual([42, 43, 44]);
  });

  test('makes the start fail with the reason if new processes keep appearing in it', async () => {
    tree = busyGroup(
      '/service',
      Array.from({ length: 1_000 }, (_, n) => 100 + n),
    );
    await expect(CgroupsV2.open(NAMES, tree.root)).rejects.toThrow(/below .*EBUSY.*Delegate=yes/);
  });
});

const VERSION_1 = '/sys/fs/cgroup/freezer/tasks';
const onVersion1 = existsSync(VERSION_1) && process.getuid?.() === 0 ? describe : describe.skip;

onVersion1('version 1 cgroups', () => {
  const names = cgroupNames(`test ${process.pid}`, String(process.pid));
  let groups: Cgroups;
  let group: Cgroup;
  let child: ChildProcess;

  beforeEach(async () => {
    groups = await openCgroups(names);
    group = groups.group(0);
    group.limit(limitsOf('nodejs', {}));
    child = startInCgroup(group.entry, () => spawn('sleep', ['60'], { stdio: 'ignore' }));
  });

  afterEach(async () => {
    await removeCgroups([...groups.folders, ...groups.backgroundFolders]);
    await gone(child.pid as number);
  });

  const ofPlace = () => groups.folders.map(folder => pidsOf(join(folder, '0')));

  test('contain a started process of a run, and no longer the process that started it', () => {
    expect(ofPlace()).toEqual(groups.folders.map(() => [child.pid]));
    expect(readFileSync('/proc/self/cgroup', 'utf8')).not.toContain(names.name);
  });

  test('give all runs together one weight of processor time, and each run a quota', () => {
    expect(groups.unshared).toBeNull();
    const folder = groups.folders.find(path => path.includes('/cpu/')) as string;
    const value = (file: string) => Number(readFileSync(join(folder, file), 'utf8'));
    expect(value('cpu.shares')).toBe(512 * availableParallelism());
    expect(value('0/cpu.shares')).toBe(10_000);
    group.share(1 / 4);
    expect(value('0/cpu.shares')).toBe(2_500);
    expect(value('0/cpu.cfs_quota_us') / value('0/cpu.cfs_period_us')).toBe(availableParallelism() - 0.25);
  });

  test('give background work a quarter of a program’s processor weight, and a memory limit', () => {
    for (const file of groups.background()) writeFileSync(file, String(child.pid));
    const valuesOf = (file: string) =>
      groups.backgroundFolders
        .map(path => join(path, file))
        .filter(existsSync)
        .map(path => Number(readFileSync(path, 'utf8')));
    expect([valuesOf('cpu.shares'), valuesOf('memory.limit_in_bytes')]).toEqual([[256], [2 * 1024 ** 3]]);
    expect(groups.backgroundFolders.map(pidsOf)).toEqual(groups.backgroundFolders.map(() => [child.pid]));
  });

  test('do not keep the starting process, even if the start fails', () => {
    const start = () => {
      throw new Error('none');
    };
    expect(() => startInCgroup(group.entry, start)).toThrow('none');
    expect(readFileSync('/proc/self/cgroup', 'utf8')).not.toContain(names.name);
  });

  test('report an error when the starting process cannot leave one of them, after it left the others', () => {
    const entry = group.entry as Extract<CgroupEntry, { by: 'spawner' }>;
    const leave = [join(groups.folders[0] as string, 'none', 'tasks'), ...entry.leave.slice(1)];
    expect(() => startInCgroup({ ...entry, leave }, () => {})).toThrow(LeaveError);
    writeFileSync(entry.leave[0] as string, '0');
    expect(readFileSync('/proc/self/cgroup', 'utf8')).not.toContain(names.name);
  });

  test('freeze a run, and thaw it even while a freeze is in progress', async () => {
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
