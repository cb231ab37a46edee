import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Delays } from './delays.js';
import type { FlowStatus } from './flow-status.js';
import type { FlowCall, FlowMethod, FlowSnapshot, FlowStepEvent, Frame } from './position.js';
import { type AnyEntry, ENDLESS, type FlowStep, type LoopLib, nameOf, withTimeout } from './steps.js';

/** The fields of a flow that its runner uses. */
interface Flow<X, L> {
  x: X;
  /** Older skripts may have none. */
  lib: (L & LoopLib) | null | undefined;
  readonly debug: boolean;
  readonly msDelay: number;
  readonly eventEmitter: EventEmitter;
}

/** The current flow and that of older skripts differ in these rules. */
export interface FlowRules {
  /** Whether `msDelay` also follows a function of `one`. */
  readonly delaysOne: boolean;
  /** Called when an event changes the status. */
  changed(status: 'start' | 'stop' | 'pause'): void;
  /** Prints a function before it runs, if the flow has `debug`. */
  printFunction(method: FlowMethod, index: number, name: string, x: unknown): void;
  /** Called before each iteration of `repeat`. */
  startIteration(method: FlowMethod, iteration: number): void;
}

interface Outcome extends Pick<FlowStepEvent, 'attempts' | 'error'> {
  result: unknown;
}

/**
 * Stores the call that the running function belongs to. Only functions that may run longer than their call use this
 * storage, such as the losers of a race, because it makes all promises of the process slower. All flows share one
 * storage, because Node.js never frees one.
 * See docs/decisions/0096-libraries-are-commonjs.md.
 */
const context = new AsyncLocalStorage<Frame>();

/** The policy of a plain function. */
const NO_POLICY: Partial<FlowStep<unknown, object>> = {};

/** Returns whether the call runs its functions one after the other. */
export const isSeries = (call: FlowCall): boolean => call.method !== 'parallelAll' && call.method !== 'parallelRace';

/** Runs the calls of a flow and knows its position. */
export class Runner<X, L extends object> {
  /** The call that `repeat` repeats. */
  lastCall: FlowCall | undefined;
  readonly #flow: Flow<X, L>;
  readonly #status: FlowStatus;
  readonly #delays: Delays;
  readonly #rules: FlowRules;
  /** The innermost call in progress. Calls from functions that run in `context` do not count. */
  #frame: Frame | undefined;
  /** Number of calls so far. Calls made by functions of the flow do not count. */
  #calls = 0;
  #saved: FlowSnapshot<X>;
  #restored: FlowSnapshot<X> | undefined;

  constructor(flow: Flow<X, L>, status: FlowStatus, delays: Delays, rules: FlowRules) {
    this.#flow = flow;
    this.#status = status;
    this.#delays = delays;
    this.#rules = rules;
    this.#saved = { call: 0, iteration: 0, round: 0, index: 0, jumpTo: null, x: flow.x };
  }

  /** The call that the running function belongs to. */
  get frame(): Frame | undefined {
    return this.#contextFrame ?? this.#frame;
  }

  get #contextFrame(): Frame | undefined {
    let frame = context.getStore();
    while (frame && frame.flow !== this.#flow) frame = frame.outer;
    return frame;
  }

  get snapshot(): FlowSnapshot<X> {
    return { ...this.#saved, x: this.#frame ? this.#saved.x : this.#flow.x };
  }

  /** @throws Error if the flow has already made a call */
  restore(snapshot: FlowSnapshot<X>): void {
    if (this.#calls > 0) throw new Error('`restore` must come before the first call of the flow.');
    this.#saved = { ...snapshot };
    this.#restored = this.#saved;
    this.#flow.x = snapshot.x;
  }

  /** Runs a call, `iterationMax` times if it is a `repeat`. Resolves to `x`. */
  async run(call: FlowCall, iterationMax: number): Promise<X> {
    const isInContext = this.#contextFrame !== undefined;
    const parent = this.frame;
    const position = { iteration: iterationMax > 0 ? 1 : 0, round: 0, index: 0, jumpTo: null };
    const frame: Frame = {
      flow: this.#flow,
      outer: context.getStore(),
      call,
      parent,
      iterationMax,
      ...position,
      assignedIteration: undefined,
      hasRun: false,
      goTo: null,
      isLeaving: false,
    };
    this.lastCall = call;
    if (!parent && !this.#continueRestored(frame)) return this.#flow.x;
    if (!parent) this.#saved.x = this.#flow.x;
    if (!isInContext) this.#frame = frame;
    try {
      await (isInContext ? context.run(frame, () => this.#iterations(frame)) : this.#iterations(frame));
    } finally {
      if (!isInContext) this.#frame = parent;
      this.lastCall = call;
    }
    return this.#flow.x;
  }

  /**
   * If this is the call of the restored snapshot, moves it to the position of the snapshot. Returns false if the call
   * had ended before the snapshot, so it must not run again.
   */
  #continueRestored(frame: Frame): boolean {
    const number = this.#calls++;
    if (!this.#restored) return true;
    const { call, iteration, round, index, jumpTo, x } = this.#restored;
    if (number < call) return false;
    Object.assign(frame, { iteration, round, index, jumpTo });
    this.#flow.x = x;
    this.#restored = undefined;
    return true;
  }

  async #iterations(frame: Frame): Promise<void> {
    const { method } = frame.call;
    if (frame.iterationMax > 0) this.#rules.startIteration(method, frame.iteration);
    while (isSeries(frame.call) ? await this.#rounds(frame) : await this.#parallel(frame)) {
      const iteration = frame.jumpTo ?? frame.iteration + 1;
      if (iteration > frame.iterationMax) return;
      if (frame.iterationMax === ENDLESS && !frame.hasRun && this.#status.value !== 'stop') {
        throw new Error('`repeat(Infinity)` would never end, because the call that it repeats runs no function.');
      }
      Object.assign(frame, { iteration, assignedIteration: undefined, round: 0, index: 0, jumpTo: null });
      this.#rules.startIteration(method, iteration);
    }
  }

  /** Resolves to false if the flow was stopped before the end. */
  async #rounds(frame: Frame): Promise<boolean> {
    const { call } = frame;
    const flow = this.#flow;
    const outer = new Map(Object.entries(flow.lib ?? {}));
    let round = 0;
    try {
      for (const fields of call.rounds()) {
        if (round++ < frame.round) continue; // ended before the restored snapshot
        if (call.entries.length > 0) frame.hasRun = true;
        if (call.libNames.length > 0) flow.lib = Object.assign(flow.lib ?? ({} as L), fields);
        if (!(await this.#series(frame))) return false;
        frame.round = round;
        frame.index = 0;
      }
      return true;
    } finally {
      const { lib } = flow;
      for (const name of lib ? call.libNames : []) {
        if (outer.has(name)) Object.assign(lib as L, { [name]: outer.get(name) });
        else Reflect.deleteProperty(lib as L, name);
      }
    }
  }

  /** Resolves to false if the flow was stopped before the end. */
  async #series(frame: Frame): Promise<boolean> {
    const { entries, method } = frame.call;
    const flow = this.#flow;
    frame.isLeaving = false;
    while (frame.index < entries.length) {
      if (this.#status.value !== 'start') {
        if (!(await this.#status.mayRun())) return false;
        continue; // `go` or `next` may have changed the index meanwhile
      }
      const index = frame.index++;
      frame.goTo = null;
      const outcome = await this.#step(frame, index, flow.x);
      flow.x = outcome.result as X;
      this.#save(frame);
      this.#report(frame, index, outcome);
      if (flow.msDelay > 0 && (method !== 'one' || this.#rules.delaysOne)) await this.#delays.delay(flow.msDelay);
    }
    return true;
  }

  /** Resolves to false if the flow was stopped before the end. */
  async #parallel(frame: Frame): Promise<boolean> {
    const { entries, method } = frame.call;
    const flow = this.#flow;
    if (frame.index > 0) return true; // restored after the functions ran
    if (!(await this.#status.mayRun())) return false;
    if (entries.length > 0) frame.hasRun = true;
    const { x } = flow;
    const results = entries.map((_, index) => context.run(frame, () => this.#reportedStep(frame, index, x)));
    if (method === 'parallelAll') flow.x = (await Promise.all(results)) as X;
    else if (results.length > 0) flow.x = (await Promise.race(results)) as X;
    frame.index = 1;
    this.#save(frame);
    if (flow.msDelay > 0) await this.#delays.delay(flow.msDelay);
    return true;
  }

  async #reportedStep(frame: Frame, index: number, x: X): Promise<unknown> {
    const outcome = await this.#step(frame, index, x);
    this.#report(frame, index, outcome);
    return outcome.result;
  }

  /** Runs one function with its retries, timeout and error policy. */
  async #step(frame: Frame, index: number, x: X): Promise<Outcome> {
    const entry = frame.call.entries[index] as AnyEntry;
    const step = typeof entry === 'function' ? NO_POLICY : entry;
    if (this.#flow.debug) this.#rules.printFunction(frame.call.method, index, nameOf(entry), x);
    for (let attempts = 1; ; attempts++) {
      try {
        return { result: await this.#attempt(frame, entry, x), attempts };
      } catch (error) {
        if (isSeries(frame.call)) Object.assign(frame, { index: index + 1, goTo: null, isLeaving: false });
        if (attempts <= (step.retries ?? 0) && (await this.#mayRetry(step))) continue;
        try {
          if (!step.onError) throw error;
          return { result: await step.onError(error, x, this.#flow.lib as L), attempts, error };
        } catch (thrown) {
          this.#report(frame, index, { attempts, error: thrown });
          throw thrown;
        }
      }
    }
  }

  #attempt(frame: Frame, step: AnyEntry, x: X): unknown {
    const lib = this.#flow.lib as L;
    if (typeof step === 'function') return step(x, lib);
    if (step.timeoutMs === undefined) return step.run(x, lib);
    const result = context.run(frame, async () => step.run(x, lib));
    return withTimeout(result, step.timeoutMs, nameOf(step));
  }

  async #mayRetry({ retryDelayMs = 0 }: { retryDelayMs?: number }): Promise<boolean> {
    if (retryDelayMs > 0) await this.#delays.delay(retryDelayMs);
    return this.#status.mayRun();
  }

  #save({ parent, iteration, round, index, jumpTo }: Frame): void {
    if (parent) return;
    const saved = this.#saved;
    saved.call = this.#calls - 1;
    saved.iteration = iteration;
    saved.round = round;
    saved.index = index;
    saved.jumpTo = jumpTo;
    saved.x = this.#flow.x;
  }

  #report(frame: Frame, index: number, outcome: Pick<Outcome, 'attempts' | 'error'>): void {
    const { eventEmitter } = this.#flow;
    if (eventEmitter.listenerCount('ff-step') === 0) return;
    const { call, iteration, round } = frame;
    const { attempts } = outcome;
    const name = nameOf(call.entries[index] as AnyEntry);
    const event: FlowStepEvent = { method: call.method, index, name, iteration, round, attempts };
    if ('error' in outcome) event.error = outcome.error;
    eventEmitter.emit('ff-step', event);
  }
}
