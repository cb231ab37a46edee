import * as fc from 'fast-check';

/**
 * The action of a function before it adds its index to `x`. Each function that runs does the next action of the program.
 */
export type Action =
  | { do: 'nothing' | 'next' | 'break' | 'stop' | 'pause, start' | 'pause, stop' | 'fail' | 'fail once' }
  | { do: 'go' | 'jump' | 'set iteration'; to: number }
  | { do: 'set status'; to: 'stop' | 'next' }
  /** Makes calls inside the function: a series, which is then repeated. Does nothing in a parallel call. */
  | { do: 'nest'; size: number; times: Count };

/** A number of repetitions. */
export type Count = number | string;

/** A call that `repeat` can repeat. */
export type Repeatable =
  | { method: 'one' }
  | { method: 'serial' | 'parallelAll' | 'parallelRace'; size: number }
  | { method: 'serialEach'; size: number; items: Iterable<string> }
  | { method: 'serialRepeat'; size: number; times: Count };
export type Call = Repeatable | { method: 'repeat'; times: Count };

export interface Program {
  /** The calls of the program, in order. Before every second call, the flow is started again if it is stopped. */
  calls: Call[];
  actions: Action[];
}

/** Returns `x` as text. The functions of a program add their index to this text. */
export const text = (x: unknown) => (Array.isArray(x) ? `[${x.join()}]` : String(x));

/**
 * Returns the action of functions that run after all actions of the program. In a program with endless calls it ends
 * them.
 */
export function lastAction({ calls, actions }: Program): Action {
  const isEndless = [...calls, ...actions].some(each => 'times' in each && countOf(each.times) === ENDLESS);
  return { do: isEndless ? 'fail' : 'nothing' };
}

const ENDLESS = Number.POSITIVE_INFINITY;

const size = fc.integer({ min: 0, max: 4 });
const few = fc.integer({ min: 0, max: 3 });
const count: fc.Arbitrary<Count> = fc.oneof(
  { weight: 4, arbitrary: few },
  { weight: 1, arbitrary: fc.constantFrom('3', ' 2 ', 2.5, '1.5', -1, Number.NaN, '', 'all') },
  { weight: 1, arbitrary: fc.constantFrom(ENDLESS, 'Infinity') },
);
const items = fc.constantFrom<Iterable<string>>([], ['a', 'b'], new Set(['a', 'b', 'c']), 'ab');
const calls: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ method: fc.constant('one' as const) }),
  fc.record({ method: fc.constantFrom('serial' as const, 'parallelAll' as const, 'parallelRace' as const), size }),
  fc.record({ method: fc.constant('serialEach' as const), size, items }),
  fc.record({ method: fc.constant('serialRepeat' as const), size, times: count }),
  fc.record({ method: fc.constant('repeat' as const), times: count }),
);
const harmless: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom('nothing' as const, 'next', 'break', 'fail', 'fail once', 'pause, start') }),
  fc.record({ do: fc.constantFrom('go' as const, 'jump'), to: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ do: fc.constant('nest' as const), size, times: count }),
);
const all: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: harmless },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constantFrom('stop' as const, 'pause, stop') }),
      fc.record({ do: fc.constant('set status' as const), to: fc.constantFrom('stop' as const, 'next') }),
      fc.record({ do: fc.constant('set iteration' as const), to: few }),
    ),
  },
);

const program = (action: fc.Arbitrary<Action>): fc.Arbitrary<Program> =>
  fc.record({
    calls: fc.array(calls, { minLength: 1, maxLength: 8 }),
    actions: fc.array(action, { maxLength: 30 }),
  });
export const programs = program(all);
export const programsWithoutStop = program(harmless);

/** The number of repetitions that `n` stands for; null if it stands for none. */
function countOf(n: Count): number | null {
  const number = n === '' ? Number.NaN : Math.floor(Number(n));
  return number >= 0 ? number : null;
}

/** A `repeat` in progress: its current iteration as functions read it, and the next one. */
interface Repeat {
  iteration: number;
  next: number;
}

class Failure extends Error {}

/**
 * Computes the result of a program in a simple way, without promises: `x` after each call, or `failed` if the call
 * throws.
 */
export function expectedOutcomes(program: Program): unknown[] {
  const { calls, actions } = program;
  let x: unknown = '';
  let ran = 0;
  let isStopped = false;
  /** The value that a function has assigned to `iteration` outside any `repeat`. */
  let iterationOutside = 0;
  /** The repeats in progress, the innermost one last. */
  const repeats: Repeat[] = [];

  const fail = (): never => {
    throw new Failure();
  };

  /**
   * Does an action. Returns the index of the function that runs next. For functions in parallel, `length` is 0.
   */
  function act(action: Action, index: number, length: number): number {
    const current = repeats.at(-1);
    if (action.do === 'fail') fail();
    if (action.do === 'stop' || action.do === 'pause, stop') isStopped = true;
    if (action.do === 'next') return length;
    if (action.do === 'go') return action.to < length ? action.to : fail();
    if (action.do === 'break' && current) current.next = Number.NaN; // no iteration, not even of an endless repeat
    if (action.do === 'jump') {
      if (action.to < 1) fail();
      if (current) current.next = action.to;
    }
    if (action.do === 'set status') {
      if (action.to === 'next') return length;
      isStopped = true;
    }
    if (action.do === 'set iteration') {
      if (current) current.iteration = action.to;
      else iterationOutside = action.to;
    }
    if (action.do === 'nest' && length > 0) {
      const nested: Repeatable = { method: 'serial', size: action.size };
      perform(nested);
      repeat(nested, action.times);
    }
    return index + 1;
  }

  const nextAction = (): Action => actions[ran++] ?? lastAction(program);

  /** A function does a failed action once more. Nested calls may then succeed. */
  function actWithRetry(index: number, length: number): number {
    const action = nextAction();
    if (action.do !== 'nest') return act(action, index, length);
    try {
      return act(action, index, length);
    } catch {
      return isStopped ? fail() : act(action, index, length);
    }
  }

  const iteration = () => repeats.at(-1)?.iteration ?? iterationOutside;

  function series(length: number): void {
    for (let index = 0; index < length && !isStopped; ) {
      const following = actWithRetry(index, length);
      x = `${text(x)}${index}.${iteration()}`;
      index = following;
    }
  }

  /** Only the first function does an action. It also wins a race. */
  function parallel(length: number, isRace: boolean): void {
    if (isStopped) return;
    if (length > 0) act(nextAction(), 0, 0);
    const results = Array.from({ length }, (_, index) => `${text(x)}${index}.${index === 0 ? iteration() : ''}`);
    if (!isRace) x = results;
    else if (length > 0) x = results[0];
  }

  function perform(call: Repeatable): void {
    if (call.method === 'serialEach') for (const _ of call.items) series(call.size);
    else if (call.method === 'serialRepeat') {
      const times = countOf(call.times) ?? fail();
      if (times === ENDLESS && call.size === 0) fail();
      for (let round = 0; round < times && !isStopped; round++) series(call.size);
    } else if (call.method === 'one') series(1);
    else if (call.method === 'serial') series(call.size);
    else parallel(call.size, call.method === 'parallelRace');
  }

  function repeat(call: Repeatable | undefined, n: Count): void {
    const times = countOf(n) ?? fail();
    const repeated = call ?? fail();
    const own: Repeat = { iteration: 0, next: 1 };
    repeats.push(own);
    try {
      while (own.next <= times) {
        const before = ran;
        own.iteration = own.next;
        own.next += 1;
        perform(repeated);
        if (isStopped && times === ENDLESS) return;
        if (ran === before && times === ENDLESS) fail();
      }
    } finally {
      repeats.pop();
    }
  }

  let last: Repeatable | undefined;
  return calls.map((call, number) => {
    if (number % 2 === 1) isStopped = false;
    try {
      if (call.method === 'repeat') repeat(last, call.times);
      else {
        // `repeat` repeats a call that failed, but not one that was refused.
        if (!isRefused(call)) last = call;
        perform(call);
      }
      return x;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return 'failed';
    }
  });
}

function isRefused(call: Repeatable): boolean {
  if (call.method !== 'serialRepeat') return false;
  const times = countOf(call.times);
  return times === null || (times === ENDLESS && call.size === 0);
}
