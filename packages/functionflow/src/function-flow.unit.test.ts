import { flowOf, held, increment, settle } from '../test/flows.js';
import { FunctionFlow } from './index.js';

describe('functions of a flow in series', () => {
  test('serial passes each result to the next function and resolves to the last', async () => {
    const flow = flowOf(5);
    expect(await flow.serial([increment, async (x: number) => x + 1, increment, increment])).toBe(9);
    expect(flow.x).toBe(9);
  });

  test('functions get the injected lib object itself, not a copy', async () => {
    const lib = { factor: 3 };
    const flow = new FunctionFlow<number, { factor: number; seen?: boolean }>();
    flow.xInject(2);
    flow.libInject(lib);
    await flow.serial([
      (x, given) => {
        given.seen = true;
        return x * given.factor;
      },
    ]);
    expect(flow.x).toBe(6);
    expect(lib).toEqual({ factor: 3, seen: true });
  });

  test('libAdd adds names to the lib, libList lists them and libRemove empties it', () => {
    const lib = { a: 1 };
    const flow = flowOf(0, lib);
    flow.libAdd({ b: 2 });
    expect(flow.libList()).toEqual(['a', 'b']);
    flow.libRemove();
    expect(flow.libList()).toEqual([]);
    expect(lib).toEqual({ a: 1, b: 2 });
  });

  test('serialEach puts each item and its index into the lib, then removes both', async () => {
    const flow = flowOf(0);
    const seen: unknown[] = [];
    const note = (x: number, lib: { serialEachElement: string; serialEachKey: number }) => {
      seen.push([lib.serialEachElement, lib.serialEachKey]);
      return x + 1;
    };
    expect(await flow.serialEach([note, increment], ['Joe', 'Ann'])).toBe(4);
    expect(seen).toEqual([
      ['Joe', 0],
      ['Ann', 1],
    ]);
    expect(flow.lib).toEqual({});
  });

  test.each([
    ['a Set', new Set(['a', 'b'])],
    ['a string', 'ab'],
    ['a generator', ['a', 'b'].values()],
  ])('serialEach accepts %s as its items', async (_, items: Iterable<string>) => {
    const flow = flowOf('');
    const note = (x: string, lib: any) => `${x}${lib.serialEachKey}${lib.serialEachElement}`;
    expect(await flow.serialEach([note], items)).toBe('0a1b');
  });

  test('serialEach also runs for items appended meanwhile, and refuses a value that is not iterable', async () => {
    const flow = flowOf(0);
    const queue = [1];
    const append = (x: number) => {
      if (queue.length < 3) queue.push(1);
      return x + 1;
    };
    expect(await flow.serialEach([append], queue)).toBe(3);
    for (const items of [5, null, {}]) {
      await expect(flow.serialEach([append], items as any)).rejects.toThrow(
        '`serialEach` expects an array or another iterable, such as a Set; it got ',
      );
    }
  });

  test('serialRepeat counts its iterations in the lib from 1, then removes the count, even after an error', async () => {
    const flow = flowOf(0);
    const add = (x: number, lib: { serialRepeatIteration: number }) => x + lib.serialRepeatIteration;
    expect(await flow.serialRepeat([add], 4)).toBe(10);
    const fail = () => {
      throw new Error('no');
    };
    await expect(flow.serialRepeat([fail], 4)).rejects.toThrow('no');
    expect(flow.lib).toEqual({});
  });

  test('a serialEach inside another does not change the item of the outer one', async () => {
    const flow = flowOf(0);
    const seen: unknown[] = [];
    const inner = async (x: number, lib: { serialEachElement: string }) => {
      await flow.serialEach([y => y], [1, 2]);
      seen.push(lib.serialEachElement);
      return x;
    };
    await flow.serialEach([inner], ['a', 'b']);
    expect(seen).toEqual(['a', 'b']);
  });

  test('one runs a single function and resolves to its result', async () => {
    expect(await flowOf(5).one(increment)).toBe(6);
  });

  test('a function that throws rejects the call; x stays as it was, and the flow remains usable', async () => {
    const flow = flowOf(5);
    const fail = () => {
      throw new Error('no');
    };
    await expect(flow.serial([increment, fail, increment])).rejects.toThrow('no');
    expect([flow.x, flow.status]).toEqual([6, 'start']);
    expect(await flow.serial([increment])).toBe(7);
  });

  test.each([
    ['no array', undefined, '`serial` expects an array of functions; it got undefined.'],
    ['no function', [increment, 7], '`serial` expects functions or objects with `run`; entry 1 is 7.'],
    [
      'a word as onError',
      [increment, { run: increment, onError: 'skip' }],
      '`onError` must be a function; you sent skip.',
    ],
    [
      'a step with an unknown field',
      [{ run: increment, retry: 2 }],
      '`serial` does not know the field `retry` of entry 0. A step can have `run`, `retries`, `retryDelayMs`, `timeoutMs`, `onError`.',
    ],
    ['negative retries', [{ run: increment, retries: -1 }], '`retries` must be an integer at least 0; you sent -1.'],
    [
      'a timeout of 0',
      [{ run: increment, timeoutMs: 0 }],
      '`timeoutMs` must be an integer between 1 and 2147483647; you sent 0.',
    ],
  ])('serial refuses %s before any function runs', async (_, fns, message) => {
    const flow = flowOf(5);
    await expect(flow.serial(fns as any)).rejects.toThrow(message);
    expect(flow.x).toBe(5);
  });
});

describe('functions of a flow in parallel', () => {
  test('parallelAll passes the same x to all functions and resolves to the array of results', async () => {
    const flow = flowOf(5);
    const slow = held(1);
    const call = flow.parallelAll([slow.run, increment, (x: number) => x * 2]);
    await settle();
    slow.release();
    expect(await call).toEqual([1, 6, 10]);
    expect(flow.x).toEqual([1, 6, 10]);
  });

  test('parallelRace resolves to the first result', async () => {
    const flow = flowOf(5);
    const slow = held(1);
    expect(await flow.parallelRace([slow.run, increment])).toBe(6);
    slow.release();
    await settle();
    expect(flow.x).toBe(6);
  });

  test('without functions, parallelAll resolves to an empty array and parallelRace to x', async () => {
    expect(await flowOf(5).parallelAll([])).toEqual([]);
    expect(await flowOf(5).parallelRace([])).toBe(5);
  });
});

describe('repeat of a flow', () => {
  const add = (x: { a: number }) => ({ a: x.a + 1 });

  test('runs the last call n more times', async () => {
    const flow = flowOf(0);
    flow.xInject({ a: 5 });
    await flow.serial([add, add, add]);
    expect(await flow.repeat(3)).toEqual({ a: 17 });
    expect(flow.lastExecuted).toEqual({ method: 'serial', args: [[add, add, add]] });
  });

  test('runs one and parallel calls again', async () => {
    const flow = flowOf(1);
    await flow.one(x => x * 3);
    expect(await flow.repeat(2)).toBe(27);
    await flow.parallelRace([x => x + 1]);
    expect(await flow.repeat(3)).toBe(31);
  });

  test('sets iteration and iteration_max during a repeat; outside, both are 0', async () => {
    const flow = flowOf(0);
    const seen: number[][] = [];
    const look = (x: number) => {
      seen.push([flow.iteration, flow.iteration_max]);
      return x;
    };
    await flow.serial([look]);
    await flow.repeat(2);
    await flow.one(look);
    expect(seen).toEqual([
      [0, 0],
      [1, 2],
      [2, 2],
      [0, 0],
    ]);
  });

  test.each([
    ['jump(10) goes from iteration 2 to the last', (flow: FunctionFlow<any>) => flow.jump(10), 17],
    ['break in iteration 2 ends the repeat after it', (flow: FunctionFlow<any>) => flow.break(), 14],
  ])('%s', async (_, command, expected) => {
    const flow = flowOf(5);
    const control = (x: number) => {
      if (flow.iteration === 2) command(flow);
      return x + 1;
    };
    await flow.serial([increment, control, increment]);
    expect(await flow.repeat(10)).toBe(expected);
  });

  test('break ends only the repeat in which it is called', async () => {
    const flow = flowOf(0);
    const breakOnce = (x: number) => {
      if (x === 1) flow.break();
      return x + 1;
    };
    await flow.one(breakOnce);
    await flow.repeat(5);
    expect(flow.x).toBe(2);
    await flow.one(increment);
    expect(await flow.repeat(5)).toBe(8);
  });

  test('break of a repeat inside a function does not end the outer repeat', async () => {
    const flow = flowOf(0);
    let outer = 0;
    const inner = async (x: number) => {
      outer += 1;
      await flow.one(y => {
        if (flow.iteration_max === 5) flow.break();
        return y;
      });
      await flow.repeat(5);
      return x;
    };
    await flow.serial([inner]);
    await flow.repeat(3);
    expect(outer).toBe(4);
  });

  test('break and jump outside a repeat have no effect', async () => {
    const flow = flowOf(0);
    flow.break();
    flow.jump(3);
    await flow.one(increment);
    expect(await flow.repeat(2)).toBe(3);
  });

  test.each([
    ['jump past the last iteration', 10, (flow: FunctionFlow<any>) => flow.jump(11)],
    ['break', 10, (flow: FunctionFlow<any>) => flow.break()],
    ['break', Number.POSITIVE_INFINITY, (flow: FunctionFlow<any>) => flow.break()],
  ])('%s ends a repeat of %d iterations, also when called from a nested series', async (_, times, command) => {
    const flow = flowOf(5);
    const control = (x: number) => {
      if (flow.iteration === 2) command(flow);
      return x + 1;
    };
    const nest = () => flow.serial([control]);
    for (const fns of [[increment, control, increment], [nest]]) {
      flow.xInject(5);
      await flow.serial(fns);
      expect(await flow.repeat(times)).toBe(5 + 3 * fns.length);
    }
  });

  test.each([
    ['3', 3],
    [2.5, 2],
    ['2.5', 2],
    [0.9, 0],
  ])('accepts %p as %d iterations, because older skripts pass such values', async (n, iterations) => {
    const flow = flowOf(0);
    const look = (x: number) => {
      if (flow.iteration > 0) expect(flow.iteration_max).toBe(iterations);
      return x + 1;
    };
    await flow.one(look);
    expect(await flow.repeat(n)).toBe(1 + iterations);
    flow.xInject(0);
    expect(await flow.serialRepeat([increment], n)).toBe(iterations);
  });

  test('repeats without end for Infinity, until a stop or an error', async () => {
    const flow = flowOf(0);
    const until = (leave: () => void) => (x: number) => {
      if (flow.iteration === 1) expect(flow.iteration_max).toBe(Number.POSITIVE_INFINITY);
      if (x === 9) leave();
      return x + 1;
    };
    expect(await flow.serialRepeat([until(() => flow.stop())], 'Infinity')).toBe(10);
    flow.start();
    flow.xInject(0);
    const fail = () => {
      throw new Error('enough');
    };
    await flow.one(until(fail));
    await expect(flow.repeat(Number.POSITIVE_INFINITY)).rejects.toThrow('enough');
    await flow.serialEach([increment], []);
    await expect(flow.repeat(Number.POSITIVE_INFINITY)).rejects.toThrow('would never end');
    await expect(flow.serialRepeat([], Number.POSITIVE_INFINITY)).rejects.toThrow('would never end');
  });

  test.each([[-1], [Number.NaN], ['many'], [''], [null], [undefined], [[3]], [true]])(
    'refuses %p as the number of iterations',
    async n => {
      const flow = flowOf(0);
      await flow.one(increment);
      for (const call of [flow.repeat(n as any), flow.serialRepeat([increment], n as any)]) {
        await expect(call).rejects.toThrow('`n` must be a number at least 0, or Infinity; you sent ');
      }
      expect(flow.x).toBe(1);
    },
  );

  test('refuses to repeat if no call came before; jump refuses an iteration below 1', async () => {
    const flow = flowOf(0);
    await expect(flow.repeat(1)).rejects.toThrow('`repeat` repeats the last call, but there was none.');
    for (const iteration of [0, -1, 1.5]) {
      expect(() => flow.jump(iteration)).toThrow(`\`iteration\` must be an integer at least 1; you sent ${iteration}.`);
    }
  });
});

describe('assignments of older skripts to a flow', () => {
  test('assigning stop, pause, start or next to status does what the method of that name does', async () => {
    const flow = flowOf(0);
    const assign = (status: 'stop' | 'pause' | 'next') => (x: number) => {
      flow.status = status;
      expect(flow.status).toBe(status);
      return x + 1;
    };
    expect(await flow.serial([assign('next'), increment])).toBe(1);
    expect(await flow.serial([assign('stop'), increment])).toBe(2);
    flow.status = 'start';
    const call = flow.serial([assign('pause'), increment]);
    await settle();
    expect(flow.x).toBe(3);
    flow.status = 'start';
    expect(await call).toBe(4);
    expect(() => {
      flow.status = 'ready' as any;
    }).toThrow('`status` must be "start", "stop", "pause" or "next"; you sent ready.');
  });

  test('assigning a number to jumpTo or goTo does what jump and go do; undefined cancels jumpTo', async () => {
    const flow = flowOf(0);
    const assign = (x: number) => {
      if (flow.iteration === 2) flow.jumpTo = 9;
      if (flow.iteration === 9) {
        flow.break();
        flow.jumpTo = undefined;
      }
      return x + 1;
    };
    await flow.serial([assign]);
    expect(await flow.repeat(10)).toBe(5);
    flow.xInject(0);
    const skip = (x: number) => {
      flow.goTo = undefined;
      flow.goTo = 2;
      return x + 1;
    };
    expect(await flow.serial([skip, increment, increment])).toBe(2);
  });

  test('a value assigned to iteration is read until the next iteration, and does not move the repeat', async () => {
    const flow = flowOf([]);
    const note = (x: number[]) => [...x, flow.iteration];
    const assign = (x: number[]) => {
      flow.iteration = 7;
      return x;
    };
    await flow.serial([assign, note, assign]);
    expect(await flow.repeat(2)).toEqual([7, 7, 7]);
    flow.xInject([]);
    await flow.serial([note, assign]);
    expect(await flow.repeat(2)).toEqual([7, 1, 2]);
    expect(flow.iteration).toBe(7);
  });
});
