import { EventEmitter } from 'node:events';
import { Delays } from './delays.js';
import { FlowStatus } from './flow-status.js';
import type { FlowCall, FlowMethod, FlowSnapshot, Frame } from './position.js';
import { isSeries, Runner } from './runner.js';
import { checkedEntries, checkInteger, type FlowEntry, type LoopLib } from './steps.js';

export interface FlowOptions {
  /** Prints a line to the console before each function. Default: false. */
  debug?: boolean;
  /** Delay in ms after each function in series, and after a parallel call. Default: 0. */
  msDelay?: number;
  /** Has no effect. It is allowed because older skripts set it. */
  rcListener?: boolean;
}

type Loop = Pick<FlowCall, 'rounds' | 'libOfRound'>;

const ONCE: Loop = { rounds: 1, libOfRound: () => ({}) };

/**
 * Runs functions `(x, lib) => x` in series or in parallel; each gets the result of the one before. `X` is the type of
 * all values that `x` can have, `L` the type of `lib`.
 */
export class FunctionFlow<X = unknown, L extends object = Record<string, unknown>> {
  debug: boolean;
  /** Milliseconds. */
  msDelay: number;
  readonly eventEmitter: EventEmitter;
  /** The value that the functions pass on; `undefined` before `xInject`. */
  x = undefined as X;
  lib = {} as L & LoopLib;

  readonly #status = new FlowStatus();
  readonly #delays = new Delays();
  readonly #runner: Runner<X, L>;
  readonly #onStart = () => this.#status.change('start');
  readonly #onStop = () => this.#status.change('stop');
  readonly #onPause = () => {
    if (this.#status.value === 'start') this.#status.change('pause');
  };

  /** Listens to `ff-start`, `ff-stop` and `ff-pause` of `eventEmitter`, until `rmListeners`. */
  constructor({ debug = false, msDelay = 0 }: FlowOptions = {}, eventEmitter = new EventEmitter()) {
    this.debug = debug;
    this.msDelay = msDelay;
    this.eventEmitter = eventEmitter;
    this.#runner = new Runner(this, this.#status, this.#delays);
    eventEmitter.on('ff-start', this.#onStart);
    eventEmitter.on('ff-stop', this.#onStop);
    eventEmitter.on('ff-pause', this.#onPause);
  }

  /** Stops listening to the emitter. Call it when the flow has ended but its emitter stays in use. */
  rmListeners(): void {
    this.eventEmitter.off('ff-start', this.#onStart);
    this.eventEmitter.off('ff-stop', this.#onStop);
    this.eventEmitter.off('ff-pause', this.#onPause);
  }

  /** Sets `x`. */
  xInject(x: X): void {
    this.x = x;
  }

  /** Sets `lib`. The functions get this object, not a copy. */
  libInject(lib: L): void {
    this.lib = lib;
  }

  /** Adds to the current `lib`. */
  libAdd(lib: Partial<L>): void {
    Object.assign(this.lib, lib);
  }

  /** Replaces `lib` with an empty object. */
  libRemove(): void {
    this.lib = {} as L;
  }

  /** Lists the names in `lib`. */
  libList(): string[] {
    return Object.keys(this.lib);
  }

  /** Runs functions one after the other. Resolves to `x`. */
  serial(fns: readonly FlowEntry<X, L>[]): Promise<X> {
    return this.#call('serial', [fns], fns);
  }

  /**
   * Runs functions in series for each item. `lib.serialEachElement` is the item, and `lib.serialEachKey` is its index.
   */
  async serialEach<T>(
    fns: readonly FlowEntry<X, L & { serialEachElement: T; serialEachKey: number }>[],
    items: readonly T[],
  ): Promise<X> {
    if (!Array.isArray(items)) throw new TypeError(`\`serialEach\` expects an array of items; it got ${items}.`);
    const libOfRound = (round: number) => ({ serialEachElement: items[round], serialEachKey: round });
    return this.#call('serialEach', [fns, items], fns, { rounds: items.length, libOfRound });
  }

  /** Runs functions in series `n` times. `lib.serialRepeatIteration` is the number of the iteration, from 1. */
  async serialRepeat(fns: readonly FlowEntry<X, L & { serialRepeatIteration: number }>[], n: number): Promise<X> {
    checkInteger('n', n, 0);
    const libOfRound = (round: number) => ({ serialRepeatIteration: round + 1 });
    return this.#call('serialRepeat', [fns, n], fns, { rounds: n, libOfRound });
  }

  /** Runs one function, without `msDelay`. */
  one(fn: FlowEntry<X, L>): Promise<X> {
    return this.#call('one', [fn], [fn]);
  }

  /** Runs functions at the same time, all with the same `x`. The new `x` is the array of their results. */
  async parallelAll<R extends X & readonly unknown[]>(
    fns: {
      readonly [K in keyof R]: FlowEntry<X, L, R[K]>;
    },
  ): Promise<R> {
    return (await this.#call('parallelAll', [fns], fns)) as R;
  }

  /**
   * Runs functions at the same time, all with the same `x`. Only the function that ends first counts: its result is the
   * new `x`, or its error is thrown.
   */
  parallelRace(fns: readonly FlowEntry<X, L>[]): Promise<X> {
    return this.#call('parallelRace', [fns], fns);
  }

  /**
   * Repeats the last call `n` more times.
   *
   * @throws Error if there was no call
   */
  async repeat(n: number): Promise<X> {
    checkInteger('n', n, 0);
    if (!this.#runner.lastCall)
      throw new Error('`repeat` repeats the last call, but there was none. Call e.g. `serial` first.');
    return n === 0 ? this.x : this.#runner.run(this.#runner.lastCall, n);
  }

  /**
   * Chooses the next function of the running series by its index.
   *
   * @throws Error outside a series
   * @throws RangeError if there is no such function
   */
  go(index: number): void {
    const frame = this.#runner.frame;
    if (!frame || !isSeries(frame.call)) throw new Error('`go` works only inside a function of a series.');
    checkInteger('index', index, 0, frame.call.entries.length - 1);
    frame.index = index;
    frame.goTo = index;
  }

  /** Skips the remaining functions of the running series or round. It has no effect outside a series. */
  next(): void {
    const frame = this.#runner.frame;
    if (!frame || !isSeries(frame.call)) return;
    frame.index = frame.call.entries.length;
    frame.isLeaving = true;
  }

  /**
   * Chooses the next iteration of the running `repeat`. The current iteration runs to its end first. It has no effect
   * outside `repeat`.
   *
   * @throws RangeError if `repeat` has no such iteration
   */
  jump(iteration: number): void {
    const frame = this.#repeating();
    if (!frame) return;
    checkInteger('iteration', iteration, 1, frame.iterationMax);
    frame.jumpTo = iteration;
  }

  /** Ends the running `repeat` after the current iteration. It has no effect outside `repeat`. */
  break(): void {
    const frame = this.#repeating();
    if (frame) frame.jumpTo = frame.iterationMax + 1;
  }

  /** Continues after a pause, or allows calls after a stop. */
  start(): void {
    if (this.#status.value === 'start') throw new Error('Start not allowed. Status must be "pause" or "stop".');
    this.#status.change('start');
    this.eventEmitter.emit('ff-start');
  }

  /** Ends the call in progress before its next function. Until `start` is called, further calls do nothing. */
  stop(): void {
    if (this.#status.value !== 'start') throw new Error('Stop not allowed. Status must be "start".');
    this.#status.change('stop');
    this.eventEmitter.emit('ff-stop');
  }

  /** Pauses the flow: it runs its next function only after `start` is called. */
  pause(): void {
    if (this.#status.value !== 'start') throw new Error('Pause not allowed. Status must be "start".');
    this.#status.change('pause');
    this.eventEmitter.emit('ff-pause');
  }

  /** Resolves after `ms` milliseconds. */
  delay(ms: number): Promise<void> {
    return this.#delays.delay(ms);
  }

  /** Resolves after a random time between `min` and `max` milliseconds. */
  delayRnd(min = 0, max = 1000): Promise<void> {
    return this.delay(min + Math.random() * (max - min));
  }

  /** Ends all current delays at once. */
  delaysRemove(): void {
    this.#delays.endAll();
  }

  /** Returns the position and `x` after the last function that has run. `x` is not copied. */
  snapshot(): FlowSnapshot<X> {
    return this.#runner.snapshot;
  }

  /**
   * Sets `x` to that of the snapshot. Afterwards make the same calls in the same order again: the flow skips all
   * functions that ran before the snapshot.
   *
   * @throws Error if the flow has already made a call
   */
  restore(snapshot: FlowSnapshot<X>): void {
    for (const key of ['call', 'iteration', 'round', 'index'] as const) checkInteger(key, snapshot[key], 0);
    this.#runner.restore(snapshot);
  }

  get status(): 'start' | 'stop' | 'pause' | 'next' {
    return this.#status.value === 'start' && this.#runner.frame?.isLeaving ? 'next' : this.#status.value;
  }

  /** Number of the current iteration of the running `repeat`, from 1. Outside `repeat` it is 0. */
  get iteration(): number {
    return this.#repeating()?.iteration ?? 0;
  }

  /** The number of iterations of the running `repeat`. Outside `repeat` it is 0. */
  get iteration_max(): number {
    return this.#repeating()?.iterationMax ?? 0;
  }

  /** The iteration that `jump` chose; `iteration_max + 1` after `break`. */
  get jumpTo(): number | undefined {
    return this.#repeating()?.jumpTo ?? undefined;
  }

  /** The index that `go` chose. */
  get goTo(): number | undefined {
    return this.#runner.frame?.goTo ?? undefined;
  }

  /** The call that `repeat` would repeat. */
  get lastExecuted(): { method: FlowMethod; args: unknown[] } | undefined {
    return this.#runner.lastCall && { method: this.#runner.lastCall.method, args: this.#runner.lastCall.args };
  }

  /** The nearest `repeat` around the running function. */
  #repeating(): Frame | undefined {
    let { frame } = this.#runner;
    while (frame?.iterationMax === 0) frame = frame.parent;
    return frame;
  }

  async #call(method: FlowMethod, args: unknown[], entries: unknown, loop: Loop = ONCE): Promise<X> {
    return this.#runner.run({ method, args, entries: checkedEntries(method, entries), ...loop }, 0);
  }
}
