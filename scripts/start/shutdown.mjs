// @ts-check

import { killTasks } from './tasks.mjs';
import { errorLine, line, paint } from './terminal.mjs';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
const DEADLINE_MS = 40_000;
const PARENT_CHECK_MS = 1_000;
const SAME_KEYPRESS_MS = 500;

/** @typedef {import('./platform.mjs').Stoppable} Stoppable */

/** Ends this program and every part of it, in the opposite order of their start, however it is asked to. */
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

  /** @param {Stoppable} part to be stopped before those that were added earlier */
  add(part) {
    if (this.#stopping) void part.stop();
    this.#parts.unshift(part);
  }

  /** From now on, being stopped is the regular end. */
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
      // npm hands on a Ctrl-C that the terminal has already sent to us; only a later one means impatience.
      if (performance.now() - this.#askedAt > SAME_KEYPRESS_MS) this.#force();
      return;
    }
    this.#askedAt = performance.now();
    line();
    line(paint.quiet('Stopping'));
    void this.stop(this.#isReady ? 0 : 128 + SIGNAL_NUMBERS[signal]);
  }

  /** npm hands on the signals it can catch. When it is killed, this process gets another parent. */
  #watchNpm() {
    if (!process.env.npm_lifecycle_event) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && !this.#stopping) void this.stop(1);
    }, PARENT_CHECK_MS).unref();
  }
}
