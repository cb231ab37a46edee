import { EventEmitter } from 'node:events';
import { Delays } from './delays.js';
import { FlowStatus } from './flow-status.js';
import type { EachLib, IfUntyped, RepeatLib, Series } from './inferred-types.js';
import type { FlowCall, FlowMethod, FlowSnapshot, Frame } from './position.js';
import { type FlowRules, isSeries, Runner } from './runner.js';
import { checkedCount, checkedEntries, checkInteger, ENDLESS, type FlowEntry, type LoopLib } from './steps.js';

export interface FlowOptions {
  /** Prints a line to the console before each function. Default: false. */
  debug?: boolean;
  /** Delay in ms after each function in series, and after a parallel call. Default: 0. */
  msDelay?: number;
  /** Has no effect. It is allowed because older skripts set it. */
  rcListener?: boolean;
}

type Loop = Pick<FlowCall, 'libNames' | 'rounds'>;

const ONCE: Loop = { libNames: [], rounds: () => [{}] };

const STATUSES = ['start', 'stop', 'pause', 'next'] as const;
type Status = (typeof STATUSES)[number];

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

  /** The value of `iteration` outside `repeat`. */
  #iterationOutside = 0;
  readonly #status = new FlowStatus();
  readonly #delays = new Delays();
  readonly #runner: Runner<X, L>;
  readonly #rules = this.rules();
  readonly #onStart = () => {
    this.#rules.changed('start');
    this.#status.change('start');
  };
  readonly #onStop = () => {
    this.#rules.changed('stop');
    this.#status.change('stop');
  };
  readonly #onPause = () => {
    this.#rules.changed('pause');
    if (this.#status.value === 'start') this.#status.change('pause');
  };

  /** Listens to `ff-start`, `ff-stop` and `ff-pause` of `eventEmitter`, until `rmListeners`. */
  constructor({ debug = false, msDelay = 0 }: FlowOptions = {}, eventEmitter = new EventEmitter()) {
    this.debug = debug;
    this.msDelay = msDelay;
    this.eventEmitter = eventEmitter;
    this.#runner = new Runner(this, this.#status, this.#delays, this.#rules);
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
  serial<A, B, C = B, D = C, E = D, F = E, G = F, H = G, I = H>(
    this: IfUntyped<X, this>,
    fns: Series<L, A, B, C, D, E, F, G, H, I>,
  ): Promise<I>;
  serial(fns: readonly FlowEntry<X, L>[]): Promise<X>;
  serial(fns: unknown): Promise<unknown> {
    return this.#call('serial', [fns], fns);
  }

  /**
   * Runs functions in series for each item of an array or another iterable. `lib.serialEachElement` is the item, and
   * `lib.serialEachKey` is its index.
   */
  serialEach<T, R>(
    this: IfUntyped<X, this>,
    fns: readonly FlowEntry<R, EachLib<L, T>>[],
    items: Iterable<T>,
  ): Promise<R>;
  serialEach<T>(fns: readonly FlowEntry<X, EachLib<L, T>>[], items: Iterable<T>): Promise<X>;
  async serialEach(fns: unknown, items: Iterable<unknown>): Promise<unknown> {
    if (typeof items?.[Symbol.iterator] !== 'function')
      throw new TypeError(`\`serialEach\` expects an array or another iterable, such as a Set; it got ${items}.`);
    function* rounds() {
      let serialEachKey = 0;
      for (const serialEachElement of items) yield { serialEachElement, serialEachKey: serialEachKey++ };
    }
    const libNames = ['serialEachElement', 'serialEachKey'] as const;
    return this.#call('serialEach', [fns, items], fns, { libNames, rounds });
  }

  /**
   * Runs functions in series `n` times. `lib.serialRepeatIteration` is the number of the iteration, from 1. If `n` is
   * `Infinity`, the series repeats until the flow is stopped or a function throws.
   */
  serialRepeat<R>(this: IfUntyped<X, this>, fns: readonly FlowEntry<R, RepeatLib<L>>[], n: number | string): Promise<R>;
  serialRepeat(fns: readonly FlowEntry<X, RepeatLib<L>>[], n: number | string): Promise<X>;
  async serialRepeat(fns: unknown, n: number | string): Promise<unknown> {
    const count = checkedCount(n);
    if (count === ENDLESS && checkedEntries('serialRepeat', fns).length === 0)
      throw new RangeError('`serialRepeat` without functions would never end with `n` Infinity.');
    function* rounds() {
      for (let iteration = 1; iteration <= count; iteration++) yield { serialRepeatIteration: iteration };
    }
    return this.#call('serialRepeat', [fns, n], fns, { libNames: ['serialRepeatIteration'], rounds });
  }

  /** Runs one function, without `msDelay`. */
  one<A, R>(this: IfUntyped<X, this>, fn: FlowEntry<A, L, R>): Promise<R>;
  one(fn: FlowEntry<X, L>): Promise<X>;
  one(fn: unknown): Promise<unknown> {
    return this.#call('one', [fn], [fn]);
  }

  /** Runs functions at the same time, all with the same `x`. The new `x` is the array of their results. */
  parallelAll<A, R extends readonly unknown[]>(
    this: IfUntyped<X, this>,
    fns: { readonly [K in keyof R]: FlowEntry<A, L, R[K]> },
  ): Promise<R>;
  parallelAll<R extends X & readonly unknown[]>(fns: { readonly [K in keyof R]: FlowEntry<X, L, R[K]> }): Promise<R>;
  parallelAll(fns: unknown): Promise<unknown> {
    return this.#call('parallelAll', [fns], fns);
  }

  /**
   * Runs functions at the same time, all with the same `x`. Only the function that ends first counts: its result is the
   * new `x`, or its error is thrown.
   */
  parallelRace<A, R extends readonly unknown[]>(
    this: IfUntyped<X, this>,
    fns: { readonly [K in keyof R]: FlowEntry<A, L, R[K]> },
  ): Promise<R[number]>;
  parallelRace(fns: readonly FlowEntry<X, L>[]): Promise<X>;
  parallelRace(fns: unknown): Promise<unknown> {
    return this.#call('parallelRace', [fns], fns);
  }

  /**
   * Repeats the last call `n` more times. `Infinity` repeats it until `break`, a stop or an error.
   *
   * @throws Error if there was no call, or if it runs no function and would be repeated for ever
   */
  async repeat(n: number | string): Promise<X> {
    const count = checkedCount(n);
    if (!this.#runner.lastCall)
      throw new Error('`repeat` repeats the last call, but there was none. Call e.g. `serial` first.');
    return count === 0 ? this.x : this.#runner.run(this.#runner.lastCall, count);
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
   * Chooses the next iteration of the innermost `repeat` in progress. The current iteration runs to its end first. An
   * iteration after the last ends the `repeat`. It has no effect outside `repeat`.
   *
   * @throws RangeError if `iteration` is not an integer at least 1
   */
  jump(iteration: number): void {
    checkInteger('iteration', iteration, 1);
    const frame = this.#repeating();
    if (frame) frame.jumpTo = iteration;
  }

  /**
   * Ends the innermost `repeat` in progress after its current iteration. It has no effect outside `repeat`.
   */
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

  get status(): Status {
    return this.#status.value === 'start' && this.#runner.frame?.isLeaving ? 'next' : this.#status.value;
  }

  /**
   * Does the same as `start`, `stop`, `pause` or `next`, in any status and without an event. Older skripts assign it.
   *
   * @throws RangeError for any other value
   */
  set status(status: Status) {
    if (!STATUSES.includes(status))
      throw new RangeError(`\`status\` must be "start", "stop", "pause" or "next"; you sent ${String(status)}.`);
    if (status === 'next') this.next();
    else this.#status.change(status);
  }

  /** Number of the current iteration of the innermost `repeat`, from 1. Outside `repeat` it is 0. */
  get iteration(): number {
    const frame = this.#repeating();
    return frame ? (frame.assignedIteration ?? frame.iteration) : this.#iterationOutside;
  }

  /**
   * Changes what functions read as `iteration`, until the next iteration of `repeat`. Older skripts assign it. Use
   * `jump` to choose the next iteration.
   */
  set iteration(iteration: number) {
    const frame = this.#repeating();
    if (frame) frame.assignedIteration = iteration;
    else this.#iterationOutside = iteration;
  }

  /** The number of iterations of the innermost `repeat`. Outside `repeat` it is 0. */
  get iteration_max(): number {
    const max = this.#repeating()?.iterationMax ?? 0;
    return max === ENDLESS ? Number.POSITIVE_INFINITY : max;
  }

  /** The iteration that `jump` chose; `iteration_max + 1` after `break`. */
  get jumpTo(): number | undefined {
    const { jumpTo } = this.#repeating() ?? {};
    return jumpTo === ENDLESS + 1 ? Number.POSITIVE_INFINITY : (jumpTo ?? undefined);
  }

  /** Does the same as `jump`; `undefined` takes it back. Older skripts assign it. */
  set jumpTo(iteration: number | undefined) {
    if (iteration !== undefined) this.jump(iteration);
    else {
      const frame = this.#repeating();
      if (frame) frame.jumpTo = null;
    }
  }

  /** The index that `go` chose. */
  get goTo(): number | undefined {
    return this.#runner.frame?.goTo ?? undefined;
  }

  /** Does the same as `go`. `undefined` has no effect. Older skripts assign it. */
  set goTo(index: number | undefined) {
    if (index !== undefined) this.go(index);
  }

  /** The call that `repeat` would repeat. */
  get lastExecuted(): { method: FlowMethod; args: unknown[] } | undefined {
    return this.#runner.lastCall && { method: this.#runner.lastCall.method, args: this.#runner.lastCall.args };
  }

  /** The class of older skripts has other rules. */
  protected rules(): FlowRules {
    return {
      delaysOne: false,
      changed: () => {},
      printFunction: (method, index, name, x) => console.log(`${method} ${index} ${name}, x:`, x),
      startIteration: () => {},
    };
  }

  /** The innermost `repeat` in progress. */
  #repeating(): Frame | undefined {
    let { frame } = this.#runner;
    while (frame?.iterationMax === 0) frame = frame.parent;
    return frame;
  }

  async #call(method: FlowMethod, args: unknown[], entries: unknown, loop: Loop = ONCE): Promise<X> {
    return this.#runner.run({ method, args, entries: checkedEntries(method, entries), ...loop }, 0);
  }
}
