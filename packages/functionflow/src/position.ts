import type { AnyEntry, LoopLib } from './steps.js';

export type FlowMethod = 'serial' | 'serialEach' | 'serialRepeat' | 'one' | 'parallelAll' | 'parallelRace';

/** A call of one of the methods that `repeat` can repeat. */
export interface FlowCall {
  method: FlowMethod;
  args: unknown[];
  entries: readonly AnyEntry[];
  /** Names of the fields that `lib` has during a round. */
  libNames: readonly (keyof LoopLib)[];
  /**
   * Returns these fields for each round: an item of `serialEach` or iteration of `serialRepeat`. Other methods have one
   * round.
   */
  rounds(): Iterable<LoopLib>;
}

/**
 * A call in progress and its position. When a function calls `go`, `next`, `jump` or `break`, this changes the frame of
 * the call that the function belongs to.
 */
export interface Frame {
  readonly flow: object;
  /** The frame of the async context in which this call was made. It may belong to another flow. */
  readonly outer: Frame | undefined;
  readonly call: FlowCall;
  /** The call of the same flow whose function made this call. */
  readonly parent: Frame | undefined;
  /** Number of iterations of `repeat`, at most `ENDLESS`; 0 if this call is not `repeat`. */
  readonly iterationMax: number;
  /** Current iteration of `repeat`, from 1. If this call is not `repeat`, it is 0. */
  iteration: number;
  /** The value that a function has assigned to `flow.iteration` in this iteration. */
  assignedIteration: number | undefined;
  /** Whether a function of this call has run. */
  hasRun: boolean;
  /** From 0. */
  round: number;
  /** Index of the next function in series. In parallel, 0 before the functions ran and 1 after. */
  index: number;
  jumpTo: number | null;
  goTo: number | null;
  isLeaving: boolean;
}

/**
 * Position of a flow and its `x` after a function. A flow that restores it continues with the next function. It can be
 * saved as JSON if `x` can.
 */
export interface FlowSnapshot<X> {
  /** Number of the call that the flow is in, from 0. Calls inside functions do not count. */
  call: number;
  /** Iteration of `repeat` from 1, or 0 outside it. */
  iteration: number;
  /** Item of `serialEach` or iteration of `serialRepeat`, from 0. */
  round: number;
  /** Index of the next function. */
  index: number;
  /** The next iteration, if `jump` or `break` chose one. */
  jumpTo: number | null;
  x: X;
}

/** The event `ff-step`, emitted after each function. */
export interface FlowStepEvent {
  method: FlowMethod;
  /** Index of the function. */
  index: number;
  /** Name of the function. */
  name: string;
  /** Iteration of `repeat` from 1, or 0 outside it. */
  iteration: number;
  /** Item of `serialEach` or iteration of `serialRepeat`, from 0. */
  round: number;
  /** 1 + retries made. */
  attempts: number;
  /** The error of the last attempt, if that failed. */
  error?: unknown;
}
