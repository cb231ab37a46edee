import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import type { ProcessIdentity } from '../../process/process-identity.js';
import { identify } from '../../process/process-table.js';
import type { LimitKind } from '../../process/run-process.js';
import type { Cgroup } from '../cgroups/cgroups.js';
import { limitsOf } from './limit-settings.js';
import { cgroupUse, type LimitTest, LimitWatch, processesTest, processesUse } from './limit-watch.js';

const onLinux = process.platform === 'linux' ? test : test.skip;
const LIMITS = limitsOf('nodejs', { memoryMb: 150 });

const children: ChildProcess[] = [];
const watches: LimitWatch[] = [];

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
});

afterEach(() => {
  for (const watch of watches.splice(0)) watch.end();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  jest.restoreAllMocks();
  jest.useRealTimers();
});

function watchOf(...tests: LimitTest[]): LimitWatch {
  const watch = new LimitWatch(LIMITS, () => tests);
  watches.push(watch);
  return watch;
}

/** Starts a process that allocates `mb` megabytes in addition to the memory that it needs itself. */
async function identityWith(mb: number): Promise<ProcessIdentity> {
  const holds = `const held = Buffer.alloc(${mb}e6, 1); console.log('held'); setInterval(() => held, 1_000);`;
  const child = spawn(process.execPath, ['-e', holds], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout, 'data');
  return identify(child.pid as number, null);
}

const processWith = async (mb: number) => watchOf(processesTest(await identityWith(mb), LIMITS));

onLinux('one reading of /proc checks the limits of all runs, each against its own memory', async () => {
  const [small, large, other] = [await processWith(0), await processWith(200), await processWith(0)];
  for (const watch of [small, other]) {
    watch.begin();
    jest.advanceTimersByTime(70);
  }
  const reads = jest.spyOn(fs, 'readdirSync');
  jest.advanceTimersByTime(1_000);
  expect(reads).toHaveBeenCalledTimes(5);
  large.begin();
  jest.advanceTimersByTime(200);
  expect(reads).toHaveBeenCalledTimes(6);
  expect(await large.reached).toMatchObject({ code: 'memory_limit' });
  expect([small.look(), other.look()]).toEqual([null, null]);
});

test('each explicit check of a run’s limits reads /proc again', () => {
  const reads = jest.spyOn(fs, 'readdirSync');
  const watch = watchOf(seen => {
    seen();
    return null;
  });
  watch.begin();
  for (const _time of [1, 2]) watch.look();
  expect(reads).toHaveBeenCalledTimes(2);
});

test('limit polling skips runs that have ended or reached a limit', () => {
  const looks = [0, 0, 0];
  const [ended, reached, other] = looks.map((_count, at) =>
    watchOf(() => {
      looks[at] = (looks[at] ?? 0) + 1;
      return at === 1 ? 'cpu_limit' : null;
    }),
  ) as [LimitWatch, LimitWatch, LimitWatch];
  for (const watch of [ended, reached, other]) watch.begin();
  ended.end();
  expect(looks).toEqual([1, 0, 0]);
  ended.begin(); // by a run that has not heard of the end yet
  jest.advanceTimersByTime(1_000);
  expect(looks).toEqual([1, 1, 5]);
  other.end();
  expect(jest.getTimerCount()).toBe(0);
});

test('limit polling skips runs that used no processor time; an explicit check does not skip them', () => {
  let cpuMs = 5;
  const limitTest = jest.fn((): LimitKind | null => null);
  const watch = new LimitWatch(
    LIMITS,
    () => [limitTest],
    () => cpuMs,
  );
  watches.push(watch);
  watch.begin();
  jest.advanceTimersByTime(1_000);
  expect(limitTest).toHaveBeenCalledTimes(1);
  cpuMs = 6;
  jest.advanceTimersByTime(1_000);
  expect(limitTest).toHaveBeenCalledTimes(2);
  limitTest.mockReturnValue('disk_limit');
  expect(watch.look()).toMatchObject({ code: 'disk_limit' });
});

onLinux('one reading of /proc tells what several runs without a cgroup use', async () => {
  const [small, large] = [await identityWith(0), await identityWith(200)];
  const reads = jest.spyOn(fs, 'readdirSync');
  const megabytes = [small, large].map(identity => (processesUse(identity)?.memoryBytes ?? 0) / 1024 / 1024);
  expect(reads).toHaveBeenCalledTimes(1);
  expect((megabytes[1] ?? 0) - (megabytes[0] ?? 0)).toBeGreaterThan(150);
  expect(processesUse({ pid: 2 ** 30, started: null, boot: null, uid: null })).toBeNull();
});

test('what a run uses is unknown if its cgroup is gone', () => {
  const gone = () => {
    throw new Error('ENOENT');
  };
  expect(cgroupUse({ cpuMs: gone, memoryBytes: gone } as unknown as Cgroup)).toBeNull();
});
