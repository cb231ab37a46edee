import { statfsSync, statSync } from 'node:fs';
import type { ProcessIdentity } from '../../process/process-identity.js';
import { type RunningProcess, readProcesses, usageOf } from '../../process/process-table.js';
import type { LimitKind, LimitReached, RunLimits, RunUse } from '../../process/run-process.js';
import type { Cgroup } from '../cgroups/cgroups.js';
import { limitReached, openFilesInAll } from './limit-settings.js';

/** Lists the machine's processes. The first call of a poll reads /proc; later calls return the same list. */
type ProcessSnapshot = () => RunningProcess[];

/** Returns the limit that a run has reached, or null. The function must be fast, because each poll calls it. */
export type LimitTest = (snapshot: ProcessSnapshot) => LimitKind | null;

const POLL_MS = 200;
/** A disk with less free space than this, in bytes, counts as full, because the next write may not fit. */
const FULL_BYTES = 64 * 1024;

/** The watches that are active. One timer polls all of them, so that /proc is read only once per poll. */
const watching = new Set<LimitWatch>();
let timer: NodeJS.Timeout | undefined;

/** Polls whether a run has reached one of its limits. */
export class LimitWatch {
  readonly reached: Promise<LimitReached>;
  readonly #limits: RunLimits;
  readonly #makeTests: () => LimitTest[];
  readonly #cpuMs: () => number;
  /** Processor time of the run at the latest poll. */
  #cpuMsAtPoll = Number.NaN;
  #tests: LimitTest[];
  #report: (reached: LimitReached) => void = () => {};
  #isWatching = false;
  #hasEnded = false;

  /**
   * @param makeTests creates the tests, which count the usage from the moment of their creation
   * @param cpuMs returns the processor time of the run if that is faster to read than the tests are
   */
  constructor(limits: RunLimits, makeTests: () => LimitTest[], cpuMs = () => Number.NaN) {
    this.#limits = limits;
    this.#makeTests = makeTests;
    this.#cpuMs = cpuMs;
    this.#tests = makeTests();
    this.reached = new Promise(resolve => {
      this.#report = resolve;
    });
  }

  /** Starts the watch. Call it again for the next run on a warm process: the run's usage then counts from zero. */
  begin(): void {
    if (this.#hasEnded) return;
    if (this.#isWatching) this.#tests = this.#makeTests();
    this.#isWatching = true;
    watching.add(this);
    timer ??= setInterval(pollAll, POLL_MS).unref();
  }

  /**
   * Polls for the last time and ends the watch. The process may have ended because of a limit that it reached after the
   * previous poll.
   */
  end(): void {
    this.look();
    this.#hasEnded = true;
    this.#isWatching = false;
    this.#stop();
  }

  /** Checks whether the run has reached a limit, unless the run did nothing since the previous poll, as while it waits. */
  poll(snapshot: ProcessSnapshot): void {
    const cpuMs = attempt(this.#cpuMs) ?? Number.NaN;
    if (cpuMs === this.#cpuMsAtPoll) return;
    this.#cpuMsAtPoll = cpuMs;
    this.look(snapshot);
  }

  /** Checks now whether the run has reached a limit. Returns that limit, or null. */
  look(snapshot = processSnapshot()): LimitReached | null {
    if (!this.#isWatching) return null;
    for (const test of this.#tests) {
      const code = attempt(() => test(snapshot));
      if (code === null) continue;
      this.#stop();
      const reached = limitReached(code, this.#limits);
      this.#report(reached);
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

function pollAll(): void {
  const snapshot = processSnapshot();
  for (const watch of watching) watch.poll(snapshot);
}

let shared: ProcessSnapshot | undefined;

/** Returns what a run without a cgroup uses. Calls in the same turn of the event loop read /proc only once. */
export function processesUse(identity: ProcessIdentity): RunUse | null {
  if (!shared) {
    shared = processSnapshot();
    setImmediate(() => {
      shared = undefined;
    });
  }
  const { threads, ...use } = usageOf(identity, shared());
  return threads === 0 ? null : use;
}

/** Returns what a run with a cgroup uses. */
export const cgroupUse = (group: Cgroup): RunUse | null =>
  attempt(() => ({ cpuMs: group.cpuMs(), memoryBytes: group.memoryBytes() }));

function processSnapshot(): ProcessSnapshot {
  let processes: RunningProcess[] | undefined;
  return () => {
    processes ??= readProcesses();
    return processes;
  };
}

/**
 * Creates the test for a run with a cgroup, where the kernel enforces the limits and counts how often a run exceeded
 * them.
 */
export function cgroupTest(group: Cgroup, { cpuS }: RunLimits): LimitTest {
  const before = group.usage();
  return () => {
    const now = group.usage();
    if (now.oomKills > before.oomKills) return 'memory_limit';
    if (now.pidsLimitHits > before.pidsLimitHits) return 'process_limit';
    return now.cpuMs - before.cpuMs > cpuS * 1_000 ? 'cpu_limit' : null;
  };
}

/**
 * Creates the test for the open files of all processes of a run. The kernel shows the number of a process's open files
 * as the size of its folder `fd`, from version 6.2; before that, the size is 0 and the run cannot reach this limit.
 */
export function openFilesTest(group: Pick<Cgroup, 'pids'>, limits: RunLimits): LimitTest {
  return () => {
    let open = 0;
    for (const pid of group.pids()) open += statSync(`/proc/${pid}/fd`, { throwIfNoEntry: false })?.size ?? 0;
    return open > openFilesInAll(limits) ? 'open_files' : null;
  };
}

/** Creates the test for a run without a cgroup. It reads from /proc what the run's processes use. */
export function processesTest(identity: ProcessIdentity, limits: RunLimits): LimitTest {
  const before = usageOf(identity, readProcesses());
  return snapshot => {
    const { memoryBytes, threads, cpuMs } = usageOf(identity, snapshot());
    if (memoryBytes > limits.memoryMb * 1024 * 1024) return 'memory_limit';
    if (threads > limits.processes) return 'process_limit';
    return cpuMs - before.cpuMs > limits.cpuS * 1_000 ? 'cpu_limit' : null;
  };
}

/** Creates the test for the disk limits of a run. The file system of `folder` contains only the run's files. */
export function diskTest(folder: string, { files, diskMb }: RunLimits): LimitTest {
  return () => {
    const disk = statfsSync(folder);
    const used = (disk.blocks - disk.bfree) * disk.bsize;
    if (used > diskMb * 1024 * 1024 - FULL_BYTES) return 'disk_limit';
    return disk.files - disk.ffree > files ? 'file_limit' : null;
  };
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // Ignore the error: the cgroup is gone, or the process is gone through whose folder in /proc the test reads the
    // disk.
    return null;
  }
}
