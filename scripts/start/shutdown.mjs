// @ts-check

import { killTasks } from '../common/tasks.mjs';
import { errorLine, line, paint } from '../common/terminal.mjs';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
const DEADLINE_MS = 40_000;
const PARENT_CHECK_MS = 1_000;
const SAME_KEYPRESS_MS = 500;

/** @typedef {import('./platform.mjs').Stoppable} Stoppable */

/** On any signal, stops all parts in the reverse order of their start, and then this process. */
export class Shutdown {
  /** @type {Stoppable[]} */
  #parts = [];
  #isReady = false;
  #askedAt = 0;
  /** @type {Promise<void> | undefined} */
  #stopping;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => this.#onSignal(signal));
    this.#watchNpm();
  }

  get isStopping() {
    return this.#stopping !== undefined;
  }

  /** @param {Stoppable} part will be stopped before the parts that were added earlier */
  add(part) {
    if (this.#stopping) void part.stop();
    this.#parts.unshift(part);
  }

  /** From now on, a signal ends the process with exit code 0. */
  ready() {
    this.#isReady = true;
  }

  /**
   * Stops everything and ends the process.
   * @param {number} exitCode
   */
  stop(exitCode) {
    this.#stopping ??= this.#end(exitCode);
    return this.#stopping;
  }

  /** @param {number} exitCode */
  async #end(exitCode) {
    setTimeout(() => this.#force(), DEADLINE_MS).unref();
    killTasks();
    for (const part of this.#parts) {
      await part.stop().catch(error => errorLine(error instanceof Error ? error.message : String(error)));
    }
    process.exit(exitCode);
  }

  #force() {
    for (const part of this.#parts) part.kill?.();
    process.exit(1);
  }

  /** @param {typeof SIGNALS[number]} signal */
  #onSignal(signal) {
    if (this.#stopping) {
      // The terminal sends a Ctrl-C to this process, and npm sends the same one again. Only a later Ctrl-C means "stop
      // now".
      if (performance.now() - this.#askedAt > SAME_KEYPRESS_MS) this.#force();
      return;
    }
    this.#askedAt = performance.now();
    line();
    line(paint.quiet('Stopping'));
    void this.stop(this.#isReady ? 0 : 128 + SIGNAL_NUMBERS[signal]);
  }

  /**
   * Stops everything if npm was killed. npm forwards signals to this process, but not a kill. After a kill, this
   * process has another parent.
   */
  #watchNpm() {
    if (!process.env.npm_lifecycle_event) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && !this.#stopping) void this.stop(1);
    }, PARENT_CHECK_MS).unref();
  }
}
