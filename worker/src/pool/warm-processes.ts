import type { PooledProcess } from './pooled-process.js';

/** How long a warm process waits for the next run of its skript. */
const KEPT_MS = 30_000;
/**
 * A warm process is frozen after this time without a run. Otherwise timers that its last run left behind would go on
 * without a limit, and nobody would notice.
 */
const FREEZE_AFTER_MS = 1_000;
const MAX_KEPT = 16;

/** The processes that have served a run and wait for the next run with the same key, oldest first. */
export class WarmProcesses {
  /** Each with the timer that ends it. */
  readonly #kept = new Map<PooledProcess, NodeJS.Timeout>();
  readonly #drop: (process: PooledProcess) => void;

  /** @param drop ends a process and calls `remove` */
  constructor(drop: (process: PooledProcess) => void) {
    this.#drop = drop;
  }

  get oldest(): PooledProcess | undefined {
    return this.#kept.keys().next().value;
  }

  keep(process: PooledProcess): void {
    const dropKept = () => this.#kept.has(process) && this.#drop(process);
    this.#kept.set(process, setTimeout(dropKept, KEPT_MS).unref());
    process.freezeAfter(FREEZE_AFTER_MS, dropKept);
    const { oldest } = this;
    if (this.#kept.size > MAX_KEPT && oldest) this.#drop(oldest);
    // If a warm process ends by itself, free its slot at once. Do this only when the process becomes warm for the first
    // time.
    if (process.runs > 1) return;
    void process.process.ended.then(dropKept);
    void process.process.limitReached.then(dropKept);
  }

  /** Removes and returns the process for a run with this key. */
  take(key: string): PooledProcess | undefined {
    for (const process of this.#kept.keys()) {
      if (process.key !== key) continue;
      this.remove(process);
      if (process.isUsable) return process;
      this.#drop(process);
    }
    return undefined;
  }

  remove(process: PooledProcess): void {
    clearTimeout(this.#kept.get(process));
    this.#kept.delete(process);
  }

  [Symbol.iterator](): IterableIterator<PooledProcess> {
    return this.#kept.keys();
  }
}
