import { once } from 'node:events';
import type { RunProcess } from './executor/executor.js';

/** The time that a run may take. It runs out only while the run goes on. */
export class TimeLimit {
  readonly #isUp: () => void;
  #leftMs: number;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, isUp: () => void) {
    this.#leftMs = ms;
    this.#isUp = isUp;
  }

  run(): void {
    if (this.#since !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#isUp, this.#leftMs);
  }

  hold(): void {
    if (this.#since === undefined) return;
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
    this.#since = undefined;
  }
}

/** Whether a run is paused: its processes stand still then, and its time with them. One change at a time, in order. */
export class RunPause {
  readonly #limit: TimeLimit;
  readonly #resumed = new EventTarget();
  #process: RunProcess | undefined;
  #paused = false;
  #begun = false;
  #ended = false;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(limit: TimeLimit) {
    this.#limit = limit;
  }

  /** The run's time begins. */
  begin(): void {
    this.#begun = true;
    if (!this.#paused) this.#limit.run();
  }

  end(): void {
    this.#ended = true;
    this.#limit.hold();
  }

  /** Whether it is paused once all that was asked for is done. */
  get on(): Promise<boolean> {
    return this.#changing.then(() => this.#paused);
  }

  /** From now on this is what is to stand still. */
  has(run: RunProcess): void {
    this.#process = run;
  }

  /** Null, or why it cannot be paused. */
  set(paused: boolean): Promise<string | null> {
    const change = this.#changing.then(() => this.#change(paused));
    this.#changing = change;
    return change;
  }

  /** Resolves when the run is not paused; at once when the run is over. */
  async off(over: AbortSignal): Promise<void> {
    await this.#changing;
    while (this.#paused && !over.aborted) {
      await once(this.#resumed, 'resumed', { signal: over }).catch(() => {});
    }
  }

  async #change(paused: boolean): Promise<string | null> {
    if (paused === this.#paused || this.#ended) return null;
    try {
      await (paused ? this.#process?.freeze() : this.#process?.thaw());
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    this.#paused = paused;
    if (paused) {
      this.#limit.hold();
    } else {
      if (this.#begun) this.#limit.run();
      this.#resumed.dispatchEvent(new Event('resumed'));
    }
    return null;
  }
}
