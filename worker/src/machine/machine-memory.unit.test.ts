import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MachineMemory } from './machine-memory.js';

const MIB = 1024 * 1024;
const NO_LIMIT_V1 = '9223372036854771712\n';

let system: string;
beforeEach(() => {
  system = mkdtempSync(join(tmpdir(), 'trawl-memory-'));
  jest.spyOn(os, 'totalmem').mockReturnValue(1_000 * MIB);
  jest.spyOn(os, 'freemem').mockReturnValue(500 * MIB);
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(system, { recursive: true });
});

/** @param files contents of files, by their path relative to the root of the simulated machine */
function machine(files: Record<string, string>): MachineMemory {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(system, path)), { recursive: true });
    writeFileSync(join(system, path), text);
  }
  return new MachineMemory(system);
}

test('without a limit of its control group, the worker uses the memory of the machine', () => {
  for (const memory of [
    machine({}),
    machine({
      'proc/self/cgroup': '4:memory:/own\n0::/own\n',
      'sys/fs/cgroup/memory/own/memory.limit_in_bytes': NO_LIMIT_V1,
      'sys/fs/cgroup/own/memory.max': 'max\n',
    }),
  ]) {
    expect([memory.total, memory.free]).toEqual([1_000 * MIB, 500 * MIB]);
  }
});

test('the worker respects the memory limit of a version 2 cgroup, and counts the file cache as free', () => {
  const memory = machine({
    'proc/self/cgroup': '0::/\n',
    'sys/fs/cgroup/memory.max': String(100 * MIB),
    'sys/fs/cgroup/memory.current': String(95 * MIB),
    'sys/fs/cgroup/memory.stat': `anon 1\ninactive_file ${20 * MIB}\nactive_file ${10 * MIB}\n`,
  });
  expect([memory.total, memory.free]).toEqual([100 * MIB, 35 * MIB]);
});

test('the worker respects the memory limit of a version 1 cgroup in a container, which sees only its own cgroup', () => {
  const memory = machine({
    'proc/self/cgroup': '9:name=systemd:/docker/1\n5:cpu,memory:/docker/1\n0::/\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': String(100 * MIB),
    'sys/fs/cgroup/memory/memory.usage_in_bytes': String(95 * MIB),
    'sys/fs/cgroup/memory/memory.stat': `inactive_file 7\ntotal_inactive_file ${MIB}\ntotal_active_file ${MIB}\n`,
  });
  expect([memory.total, memory.free]).toEqual([100 * MIB, 7 * MIB]);
});

test('the worker reads the memory pressure of the machine, or takes 0 where the kernel does not measure it', () => {
  expect(machine({}).pressure).toBe(0);
  const file = 'some avg10=12.50 avg60=1.00 avg300=0.00 total=9\nfull avg10=3.00 avg60=0.00 avg300=0.00 total=1\n';
  expect(machine({ 'proc/pressure/memory': file }).pressure).toBe(12.5);
});

test('the worker respects the smallest memory limit of all cgroups above it, and the next one if a cgroup is gone', () => {
  const group = 'sys/fs/cgroup/service';
  const memory = machine({
    'proc/self/cgroup': '0::/service/trawl-beside\n',
    [`${group}/trawl-beside/memory.max`]: 'max\n',
    [`${group}/memory.max`]: String(64 * MIB),
    [`${group}/memory.current`]: String(60 * MIB),
    [`${group}/memory.stat`]: 'inactive_file 0\nactive_file 0\n',
    'sys/fs/cgroup/memory.max': String(80 * MIB),
    'sys/fs/cgroup/memory.current': String(61 * MIB),
    'sys/fs/cgroup/memory.stat': 'inactive_file 0\nactive_file 0\n',
  });
  expect([memory.total, memory.free]).toEqual([64 * MIB, 4 * MIB]);
  rmSync(join(system, group), { recursive: true });
  expect(memory.free).toBe(19 * MIB);
});
