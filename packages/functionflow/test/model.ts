import * as fc from 'fast-check';

/**
 * The action of a function before it adds its index to `x`. Each function that runs does the next action of the program.
 */
export type Action =
  | { do: 'nothing' | 'next' | 'break' | 'stop' | 'pause, start' | 'pause, stop' | 'fail' | 'fail once' }
  | { do: 'go' | 'jump'; to: number };

/** A call that `repeat` can repeat. */
export type Repeatable =
  | { method: 'one' }
  | { method: 'serial' | 'parallelAll' | 'parallelRace'; size: number }
  | { method: 'serialEach' | 'serialRepeat'; size: number; rounds: number };
export type Call = Repeatable | { method: 'repeat'; times: number };

export interface Program {
  /** The calls of the program, in order. Before every second call, the flow is started again if it is stopped. */
  calls: Call[];
  actions: Action[];
}

/** Returns `x` as text. The functions of a program add their index to this text. */
export const text = (x: unknown) => (Array.isArray(x) ? `[${x.join()}]` : String(x));

const size = fc.integer({ min: 0, max: 4 });
const count = fc.integer({ min: 0, max: 3 });
const calls: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ method: fc.constant('one' as const) }),
  fc.record({ method: fc.constantFrom('serial' as const, 'parallelAll' as const, 'parallelRace' as const), size }),
  fc.record({ method: fc.constantFrom('serialEach' as const, 'serialRepeat' as const), size, rounds: count }),
  fc.record({ method: fc.constant('repeat' as const), times: count }),
);
const harmless: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom('nothing' as const, 'next', 'break', 'fail', 'fail once', 'pause, start') }),
  fc.record({ do: fc.constantFrom('go' as const, 'jump'), to: count }),
);
const all: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: harmless },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'pause, stop') }) },
);

const program = (action: fc.Arbitrary<Action>): fc.Arbitrary<Program> =>
  fc.record({
    calls: fc.array(calls, { minLength: 1, maxLength: 8 }),
    actions: fc.array(action, { maxLength: 30 }),
  });
export const programs = program(all);
export const programsWithoutStop = program(harmless);

/**
 * Computes the result of a program in a simple way, without promises: `x` after each call, or `failed` if the call
 * throws.
 */
export function expectedOutcomes({ calls, actions }: Program): unknown[] {
  let x: unknown = '';
  let ran = 0;
  let isStopped = false;
  let last: Repeatable | undefined;
  let iteration = 0;
  let times = 0;
  let nextIteration = 0;

  /**
   * Does the next action. Returns the index of the function that runs next. For functions in parallel, `length` is 0.
   */
  function act(index: number, length: number): number {
    const action = actions[ran++] ?? { do: 'nothing' };
    if (action.do === 'fail') throw new Error('failed');
    if (action.do === 'stop' || action.do === 'pause, stop') isStopped = true;
    if (action.do === 'next') return length;
    if (action.do === 'go') {
      if (action.to >= length) throw new Error('failed');
      return action.to;
    }
    if (times > 0 && action.do === 'break') nextIteration = times + 1;
    if (times > 0 && action.do === 'jump') {
      if (action.to < 1 || action.to > times) throw new Error('failed');
      nextIteration = action.to;
    }
    return index + 1;
  }

  function series(length: number): void {
    for (let index = 0; index < length && !isStopped; ) {
      const following = act(index, length);
      x = `${text(x)}${index}`;
      index = following;
    }
  }

  /** Only the first function does an action. It also wins a race. */
  function parallel(length: number, isRace: boolean): void {
    if (isStopped) return;
    if (length > 0) act(0, 0);
    const results = Array.from({ length }, (_, index) => `${text(x)}${index}`);
    if (!isRace) x = results;
    else if (length > 0) x = results[0];
  }

  function perform(call: Repeatable): void {
    if ('rounds' in call) for (let round = 0; round < call.rounds; round++) series(call.size);
    else if (call.method === 'one') series(1);
    else if (call.method === 'serial') series(call.size);
    else parallel(call.size, call.method === 'parallelRace');
  }

  function outcome(call: Call): unknown {
    if (call.method !== 'repeat') {
      last = call;
      perform(call);
      return x;
    }
    if (!last) return 'failed';
    times = call.times;
    for (iteration = 1; iteration <= times; iteration = nextIteration) {
      nextIteration = iteration + 1;
      perform(last);
    }
    return x;
  }

  return calls.map((call, number) => {
    if (number % 2 === 1) isStopped = false;
    try {
      return outcome(call);
    } catch {
      return 'failed';
    } finally {
      times = 0;
    }
  });
}
