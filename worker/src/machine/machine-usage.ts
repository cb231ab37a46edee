import { cpus } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
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

/** How often the delay of the event loop is measured. A block that begins so soon after a reading is not counted. */
const SAMPLE_MS = 20;

/** Measures how busy the worker's machine and its event loop are. */
export class UsageMeter {
  readonly #cpu = new CpuMeter();
  readonly #delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });

  constructor(
    private readonly memory: MachineMemory,
    private readonly disk: Pick<DiskSpace, 'state'>,
  ) {
    this.#delay.enable();
  }

  /**
   * Returns the memory in use now, the disk at its last check, and since the last call the CPU's share and the longest time
   * for which the event loop was blocked.
   */
  read(): MachineUsage {
    const disk = this.disk.state;
    const memoryTotal = this.memory.total;
    const blockedMs = Math.max(0, Math.round(this.#delay.max / 1e6) - SAMPLE_MS);
    this.#delay.reset();
    return {
      cpu: Math.round(this.#cpu.read() * 1_000) / 1_000,
      memory_used: Math.max(0, Math.round(memoryTotal - this.memory.free)),
      memory_total: memoryTotal,
      ...(disk && { disk_free: disk.free, disk_total: disk.total }),
      event_loop_ms: blockedMs,
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
