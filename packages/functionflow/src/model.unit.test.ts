import * as fc from 'fast-check';
import { flowOf, settle } from '../test/flows.js';
import {
  type Action,
  type Call,
  type Count,
  expectedOutcomes,
  lastAction,
  type Program,
  programs,
  programsWithoutStop,
  text,
} from '../test/model.js';
import type { FlowStepEvent, FunctionFlow } from './index.js';

const RUNS = { numRuns: isFullTest ? 5_000 : 500, seed: testSeed };

/** A flow that runs a program. `ran` is the number of actions that its functions have done. */
class ProgramRun {
  readonly flow: FunctionFlow<any> = flowOf('');
  ran = 0;
  /** Number of functions in progress whose nested calls have not ended. */
  nested = 0;

  constructor(readonly program: Program) {}

  async outcomes(): Promise<unknown[]> {
    const outcomes: unknown[] = [];
    for (const [number, call] of this.program.calls.entries()) {
      await settle(); // a function may have left a pause that ends with a stop
      if (number % 2 === 1 && this.flow.status === 'stop') this.flow.start();
      outcomes.push(await this.#call(call).catch(() => 'failed'));
    }
    return outcomes;
  }

  #call(call: Call): Promise<unknown> {
    const { flow } = this;
    if (call.method === 'repeat') return flow.repeat(call.times);
    if (call.method === 'one') return flow.one(this.#acting(0, true));
    if (call.method === 'parallelAll' || call.method === 'parallelRace') {
      const silent = (index: number) => async (x: unknown) => {
        await settle();
        return `${text(x)}${index}.`;
      };
      const functions = Array.from({ length: call.size }, (_, index) =>
        index === 0 ? this.#acting(0, false) : silent(index),
      );
      return call.method === 'parallelAll' ? flow.parallelAll(functions) : flow.parallelRace(functions);
    }
    const functions = this.#series(call.size);
    if (call.method === 'serialEach') return flow.serialEach(functions, call.items);
    if (call.method === 'serialRepeat') return flow.serialRepeat(functions, call.times);
    return flow.serial(functions);
  }

  #series(size: number) {
    return Array.from({ length: size }, (_, index) => this.#acting(index, true));
  }

  /** Returns a function that does the next action of the program. A retry does the failed action again. */
  #acting(index: number, mayNest: boolean) {
    let failed: Action | undefined;
    const run = async (x: unknown) => {
      const action = failed ?? this.program.actions[this.ran++] ?? lastAction(this.program);
      const isRetry = failed !== undefined;
      const isNesting = mayNest && action.do === 'nest';
      failed = undefined;
      try {
        if (isNesting) await this.#nest(action.size, action.times);
        else this.#act(action, isRetry);
      } catch (error) {
        if (!isRetry && this.flow.status !== 'stop') failed = action;
        throw error;
      }
      if (index % 2 === 1) await settle();
      return `${text(isNesting ? this.flow.x : x)}${index}.${this.flow.iteration}`;
    };
    return { run, retries: 1 };
  }

  async #nest(size: number, times: Count): Promise<void> {
    this.nested += 1;
    try {
      await this.flow.serial(this.#series(size));
      await this.flow.repeat(times);
    } finally {
      this.nested -= 1;
    }
  }

  #act(action: Action, isRetry: boolean): void {
    const { flow } = this;
    if (action.do === 'go' || action.do === 'jump') flow[action.do](action.to);
    else if (action.do === 'set status') flow.status = action.to;
    else if (action.do === 'set iteration') flow.iteration = action.to;
    else if (action.do === 'fail' || (action.do === 'fail once' && !isRetry)) throw new Error('failed');
    else if (action.do === 'next' || action.do === 'break' || action.do === 'stop') flow[action.do]();
    else if (action.do === 'pause, start' || action.do === 'pause, stop') {
      flow.pause();
      setImmediate(() => flow.eventEmitter.emit(action.do === 'pause, start' ? 'ff-start' : 'ff-stop'));
    }
  }
}

test('a flow runs any generated program of calls, pauses, stops and errors as the model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(programs, async program => {
      expect(await new ProgramRun(program).outcomes()).toEqual(expectedOutcomes(program));
    }),
    RUNS,
  );
});

test('two flows that run at the same time each behave as the model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(programs, programs, async (a, b) => {
      const outcomes = await Promise.all([new ProgramRun(a).outcomes(), new ProgramRun(b).outcomes()]);
      expect(outcomes).toEqual([expectedOutcomes(a), expectedOutcomes(b)]);
    }),
    RUNS,
  );
});

test('a generated program restored from any of its snapshots ends with the same x', async () => {
  await fc.assert(
    fc.asyncProperty(programsWithoutStop, fc.nat(), async (program, choice) => {
      const whole = new ProgramRun(program);
      const saved: string[] = [];
      whole.flow.eventEmitter.on('ff-step', ({ method, error }: FlowStepEvent) => {
        // Skip functions in parallel, nested ones and those that failed. Their last snapshot is from before the parallel
        // call, the function around or the failure, so it does not fit the number of actions done.
        if (!method.startsWith('parallel') && whole.nested === 0 && !error)
          saved.push(JSON.stringify({ at: whole.flow.snapshot(), ran: whole.ran }));
      });
      await whole.outcomes();
      const chosen = saved[choice % saved.length];
      if (!chosen) return;
      const { at, ran } = JSON.parse(chosen);
      const rest = new ProgramRun(program);
      rest.flow.restore(at);
      rest.ran = ran;
      await rest.outcomes();
      expect(rest.flow.x).toEqual(whole.flow.x);
    }),
    RUNS,
  );
});
