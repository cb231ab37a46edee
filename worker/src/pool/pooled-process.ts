import type { Environment } from '@trawl/contracts';
import { exitText } from '../process/exit-text.js';
import { ProcessPipes } from '../process/process-pipes.js';
import { isAlive } from '../process/process-table.js';
import type { RunProcess } from '../process/run-process.js';

/**
 * How long the worker waits for killed processes to end. To kill a Chromium with all its children takes a hundredth of
 * this time.
 */
const KILL_MS = 10_000;

/**
 * A process of the pool, from its start to its end. The process is parked first, then it serves a run, and between two
 * runs it may be warm.
 */
export class PooledProcess {
  readonly slotIndex: number;
  readonly environment: Environment;
  readonly process: RunProcess;
  readonly pipes: ProcessPipes;
  /** Number of runs that the process has served, including the current one. */
  runs = 0;
  /**
   * The `warmKey` of the runs that the process serves; null before its first run and for a run that may not share a
   * process.
   */
  key: string | null = null;
  /** The reason why no further run may get this process; null as long as a run may get it. */
  unusable: string | null = null;
  /** Whether the process was told to load the modules that most runs use. */
  isPrepared = false;
  #freezeTimer: NodeJS.Timeout | undefined;
  #frozen: Promise<void> | undefined;

  constructor(slotIndex: number, environment: Environment, process: RunProcess) {
    this.slotIndex = slotIndex;
    this.environment = environment;
    this.process = process;
    this.pipes = new ProcessPipes(process);
    void process.ended.then(end => {
      this.unusable ??= exitText(end);
    });
    void process.limitReached.then(({ text }) => {
      this.unusable ??= text;
    });
  }

  /**
   * Whether a run may get the process. Asks the system whether the process is alive, because `ended` resolves some
   * milliseconds after its end. A system that does not show the start time of processes cannot be asked.
   */
  get isUsable(): boolean {
    const { identity } = this.process;
    return this.unusable === null && (identity.started === null || isAlive(identity));
  }

  prepare(): void {
    this.isPrepared = true;
    this.process.commands.write('{"t":"prepare"}\n');
  }

  /**
   * Freezes the process after `ms` milliseconds, until `wake` is called. No run uses the process now, but its last run
   * may have left timers behind.
   *
   * @param failed called when the process cannot be frozen
   */
  freezeAfter(ms: number, failed: () => void): void {
    this.#freezeTimer = setTimeout(() => {
      this.#frozen = this.process.freeze();
      this.#frozen.catch(failed);
    }, ms).unref();
  }

  /** Thaws the process for the next run. */
  async wake(): Promise<void> {
    clearTimeout(this.#freezeTimer);
    if (!this.#frozen) return;
    await this.#frozen.catch(() => {}); // it still runs then
    this.#frozen = undefined;
    await this.process.thaw();
  }

  /**
   * Kills the process and all processes that it started.
   *
   * @throws Error when that fails or takes longer than `KILL_MS`. For example, a process cannot be killed while it
   *   waits in the kernel for a disk that does not respond.
   */
  async kill(): Promise<void> {
    clearTimeout(this.#freezeTimer);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const stuck = () =>
        reject(
          new Error(`Process ${this.process.identity.pid} is still alive ${KILL_MS / 1_000} s after it was killed.`),
        );
      timer = setTimeout(stuck, KILL_MS);
    });
    try {
      await Promise.race([this.process.kill(), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
