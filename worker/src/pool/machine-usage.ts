import { cpus } from 'node:os';
import type { MachineUsage } from '@trawl/contracts';
import type { DiskSpace } from './disk-space.js';
import type { MachineMemory } from './machine-memory.js';

interface CpuTimes {
  idle: number;
  total: number;
}

/** Measures the share of the machine's processor time that is in use. */
export class CpuMeter {
  #last = cpuTimes();
  #share = 0;

  /** Returns the share since the last call, from 0 to 1. */
  read(): number {
    const now = cpuTimes();
    const total = now.total - this.#last.total;
    // The kernel counts in steps of 10 ms, so between two quick calls nothing may have been counted.
    if (total > 0) this.#share = Math.min(1, Math.max(0, 1 - (now.idle - this.#last.idle) / total));
    this.#last = now;
    return this.#share;
  }
}

/** Measures how busy the worker's machine is. */
export class UsageMeter {
  readonly #cpu = new CpuMeter();

  constructor(
    private readonly memory: MachineMemory,
    private readonly disk: Pick<DiskSpace, 'state'>,
  ) {}

  /** Returns the memory in use now, the disk at its last check, and the CPU's share since the last call. */
  read(): MachineUsage {
    const disk = this.disk.state;
    const memoryTotal = this.memory.total;
    return {
      cpu: Math.round(this.#cpu.read() * 1_000) / 1_000,
      memory_used: Math.max(0, Math.round(memoryTotal - this.memory.free)),
      memory_total: memoryTotal,
      ...(disk && { disk_free: disk.free, disk_total: disk.total }),
    };
  }
}

function cpuTimes(): CpuTimes {
  const sums = { idle: 0, total: 0 };
  for (const { times } of cpus()) {
    sums.idle += times.idle;
    sums.total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return sums;
}
