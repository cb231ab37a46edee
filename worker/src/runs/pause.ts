import { once } from 'node:events';
import type { RunProcess } from '../process/run-process.js';

/** A timer that counts only the time between `start` and `stop`. It may be started again. */
export class TimeLimit {
  readonly #expired: () => void;
  #remainingMs: number;
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param expired called once: when the time is over, or by a `check` or `stop` that comes before the timer's turn */
  constructor(ms: number, expired: () => void) {
    this.#remainingMs = ms;
    this.#expired = expired;
  }

  start(): void {
    if (this.#startedAt !== undefined || this.#isOver) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#expire(), this.#remainingMs);
  }

  stop(): void {
    this.check();
    if (this.#startedAt === undefined) return;
    clearTimeout(this.#timer);
    this.#remainingMs -= performance.now() - this.#startedAt;
    this.#startedAt = undefined;
  }

  /** Looks at the clock, because a busy event loop calls timers late. */
  check(): void {
    if (this.#startedAt !== undefined && performance.now() - this.#startedAt >= this.#remainingMs) this.#expire();
  }

  #expire(): void {
    clearTimeout(this.#timer);
    this.#startedAt = undefined;
    if (this.#isOver) return;
    this.#isOver = true;
    this.#expired();
  }
}

/**
 * Pauses and resumes one run: freezes or thaws its processes. Of its two time limits, one counts while the run is
 * paused, the other while it is not. Makes one change at a time, in the order of the requests.
 */
export class RunPause {
  readonly #limit: TimeLimit;
  readonly #pauseLimit: TimeLimit;
  readonly #resumed = new EventTarget();
  #process: RunProcess | undefined;
  #isPaused = false;
  #hasBegun = false;
  #hasEnded = false;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(limit: TimeLimit, pauseLimit: TimeLimit) {
    this.#limit = limit;
    this.#pauseLimit = pauseLimit;
  }

  /** Starts the time limit, unless the run is paused. */
  begin(): void {
    this.#hasBegun = true;
    if (!this.#isPaused) this.#limit.start();
  }

  /** Reports a limit that the run has reached before the timer's turn. */
  check(): void {
    this.#limit.check();
    this.#pauseLimit.check();
  }

  end(): void {
    this.#hasEnded = true;
    this.#limit.stop();
    this.#pauseLimit.stop();
  }

  /** Whether the processes of the run are frozen now. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Returns whether the run is paused, after all requested changes have been made. */
  async isOn(): Promise<boolean> {
    await this.#changing;
    return this.#isPaused;
  }

  /** Sets the process that is frozen and thawed from now on. */
  attach(process: RunProcess): void {
    this.#process = process;
  }

  /** Pauses or resumes the run. Resolves with null when this is done, or with the reason why it is not possible. */
  set(paused: boolean): Promise<string | null> {
    const change = this.#changing.then(() => this.#change(paused));
    this.#changing = change;
    return change;
  }

  /** Resolves when the run is not paused, or when `over` is aborted. */
  async untilOff(over: AbortSignal): Promise<void> {
    await this.#changing;
    while (this.#isPaused && !over.aborted) {
      await once(this.#resumed, 'resumed', { signal: over }).catch(() => {});
    }
  }

  async #change(paused: boolean): Promise<string | null> {
    if (paused === this.#isPaused || this.#hasEnded) return null;
    try {
      await (paused ? this.#process?.freeze() : this.#process?.thaw());
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    this.#isPaused = paused;
    if (paused) {
      this.#limit.stop();
      if (!this.#hasEnded) this.#pauseLimit.start();
    } else {
      this.#pauseLimit.stop();
      if (this.#hasBegun) this.#limit.start();
      this.#resumed.dispatchEvent(new Event('resumed'));
    }
    return null;
  }
}
