import { statfsSync } from 'node:fs';
import type { SandboxLimit } from '@trawl/contracts';
import type { RunGroup } from './cgroups.js';
import type { LimitReached, ProcessMark } from './executor.js';
import { limitReached, type RunLimits } from './limits.js';
import { type RunningProcess, readProcesses, usageOf } from './process-table.js';

/** All processes of the machine as one look sees them: read when the first test asks, and the same for the others. */
type Seen = () => RunningProcess[];

/** Which limit has been reached; null when none. At once, and cheap: it is asked several times a second. */
export type LimitTest = (seen: Seen) => SandboxLimit | null;

const LOOK_MS = 200;
/** With less than that free, what is written next does not fit. */
const FULL_BYTES = 64 * 1024;

/** All look in the same turn, so that what one of them reads of the machine serves the others. */
const watching = new Set<LimitWatch>();
let timer: NodeJS.Timeout | undefined;

/** Looks again and again whether a run has reached one of its limits. */
export class LimitWatch {
  readonly reached: Promise<LimitReached>;
  readonly #limits: RunLimits;
  readonly #makeTests: () => LimitTest[];
  #tests: LimitTest[];
  #say: (reached: LimitReached) => void = () => {};
  #begun = false;
  #isOver = false;

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
    if (this.#isOver) return;
    if (this.#begun) this.#tests = this.#makeTests();
    this.#begun = true;
    watching.add(this);
    timer ??= setInterval(lookAtAll, LOOK_MS).unref();
  }

  /** Looks once more: what a process ended of may have happened since the last time. */
  end(): void {
    this.look();
    this.#isOver = true;
    this.#begun = false;
    this.#stop();
  }

  /** Which limit has been reached by now; null when none. */
  look(seen = sight()): LimitReached | null {
    if (!this.#begun) return null;
    for (const test of this.#tests) {
      const code = attempt(test, seen);
      if (code === null) continue;
      this.#stop();
      const reached = limitReached(code, this.#limits);
      this.#say(reached);
      return reached;
    }
    return null;
  }

  #stop(): void {
    watching.delete(this);
    if (watching.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }
}

function lookAtAll(): void {
  const seen = sight();
  for (const watch of watching) watch.look(seen);
}

function sight(): Seen {
  let processes: RunningProcess[] | undefined;
  return () => {
    processes ??= readProcesses();
    return processes;
  };
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
  const before = usageOf(mark, readProcesses());
  return seen => {
    const { memoryBytes, threads, cpuMs } = usageOf(mark, seen());
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

function attempt(test: LimitTest, seen: Seen): SandboxLimit | null {
  try {
    return test(seen);
  } catch {
    // The process, by which its disk is reached, or its group is gone.
    return null;
  }
}
