import { statfsSync } from 'node:fs';
import type { SandboxLimit } from '@trawl/contracts';
import type { RunGroup } from './cgroups.js';
import type { LimitReached, ProcessMark } from './executor.js';
import { limitReached, type RunLimits } from './limits.js';
import { usageOf } from './process-table.js';

/** Which limit has been reached; null when none. At once, and cheap: it is asked several times a second. */
export type LimitTest = () => SandboxLimit | null;

const LOOK_MS = 200;
/** With less than that free, what is written next does not fit. */
const FULL_BYTES = 64 * 1024;

/** Looks again and again whether a run has reached one of its limits. */
export class LimitWatch {
  readonly reached: Promise<LimitReached>;
  readonly #limits: RunLimits;
  readonly #makeTests: () => LimitTest[];
  #tests: LimitTest[];
  #say: (reached: LimitReached) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #begun = false;

  /** @param makeTests what is counted, is from the moment they are made */
  constructor(limits: RunLimits, makeTests: () => LimitTest[]) {
    this.#limits = limits;
    this.#makeTests = makeTests;
    this.#tests = makeTests();
    this.reached = new Promise(resolve => {
      this.#say = resolve;
    });
  }

  /** Also of another run on the same process, which has all its time again. */
  begin(): void {
    if (this.#begun) this.#tests = this.#makeTests();
    this.#begun = true;
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Looks once more: what a process ended of may have happened since the last time. */
  end(): void {
    clearInterval(this.#timer);
    this.look();
    this.#begun = false;
  }

  /** Which limit has been reached by now; null when none. */
  look(): LimitReached | null {
    if (!this.#begun) return null;
    for (const test of this.#tests) {
      const code = attempt(test);
      if (code === null) continue;
      clearInterval(this.#timer);
      const reached = limitReached(code, this.#limits);
      this.#say(reached);
      return reached;
    }
    return null;
  }
}

/** The kernel holds memory and processes down itself; what it did counts from now on. */
export function groupTest(group: RunGroup, { cpuS }: RunLimits): LimitTest {
  const before = group.usage();
  return () => {
    const now = group.usage();
    if (now.outOfMemory > before.outOfMemory) return 'memory_limit';
    if (now.refusedProcesses > before.refusedProcesses) return 'process_limit';
    return now.cpuMs - before.cpuMs > cpuS * 1_000 ? 'cpu_limit' : null;
  };
}

/** Where there are no control groups: what the processes that are seen in /proc have. */
export function processesTest(mark: ProcessMark, limits: RunLimits): LimitTest {
  const before = usageOf(mark);
  return () => {
    const { memoryBytes, threads, cpuMs } = usageOf(mark);
    if (memoryBytes > limits.memoryMb * 1024 * 1024) return 'memory_limit';
    if (threads > limits.processes) return 'process_limit';
    return cpuMs - before.cpuMs > limits.cpuS * 1_000 ? 'cpu_limit' : null;
  };
}

/** Of a file system that has the run's files and nothing else. */
export function diskTest(folder: string, { files, diskMb }: RunLimits): LimitTest {
  return () => {
    const disk = statfsSync(folder);
    const used = (disk.blocks - disk.bfree) * disk.bsize;
    if (used > diskMb * 1024 * 1024 - FULL_BYTES) return 'disk_limit';
    return disk.files - disk.ffree > files ? 'file_limit' : null;
  };
}

function attempt(test: LimitTest): SandboxLimit | null {
  try {
    return test();
  } catch {
    // The process, by which its disk is reached, or its group is gone.
    return null;
  }
}
