import { FunctionFlow } from './index.js';
import { OlderFunctionFlow } from './older-function-flow.js';

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'functionFlow');
});

test('global.functionFlow is the older flow that was made last, and never a current flow', () => {
  const ofSkript = () => (globalThis as { functionFlow?: unknown }).functionFlow;
  new FunctionFlow();
  expect(ofSkript()).toBeUndefined();
  new OlderFunctionFlow();
  const last = new OlderFunctionFlow();
  expect(ofSkript()).toBe(last);
  expect(last).toBeInstanceOf(FunctionFlow);
});

test('an older flow can change its options, and remove its x', async () => {
  const flow = new OlderFunctionFlow({ debug: true, msDelay: 300 });
  flow.xInject(5);
  flow.setOpts({ debug: false, msDelay: 1 });
  expect(flow).toMatchObject({ debug: false, msDelay: 1, x: 5 });
  flow.setOpts({});
  flow.xRemove();
  expect(flow).toMatchObject({ debug: false, msDelay: 0 });
  expect(await flow.one(x => x ?? 'none')).toBe('none');
});

test('an older flow waits msDelay after the function of `one`, and after each repetition', async () => {
  jest.useFakeTimers();
  try {
    const flow = new OlderFunctionFlow({ msDelay: 300 });
    flow.xInject(0);
    const add = (x: unknown) => (x as number) + 1;
    const calls = flow.one(add).then(() => flow.repeat(2));
    const seen: unknown[] = [];
    for (const ms of [299, 1, 299, 1]) {
      await jest.advanceTimersByTimeAsync(ms);
      seen.push(flow.x);
    }
    expect(seen).toEqual([1, 2, 2, 3]);
    await jest.advanceTimersByTimeAsync(300);
    expect(await calls).toBe(3);
  } finally {
    jest.useRealTimers();
  }
});

describe('an older flow', () => {
  const add = (x: unknown) => (x as number) + 1;

  test('has no lib before libInject, and null after libRemove', async () => {
    const flow = new OlderFunctionFlow();
    const seen: unknown[] = [];
    const note = (_: unknown, lib: unknown) => seen.push(lib);
    expect(flow.libList()).toEqual([]);
    await flow.serial([note]);
    flow.libInject({ a: 1 });
    await flow.one(note);
    flow.libRemove();
    await flow.parallelAll([note]);
    expect(seen).toEqual([undefined, { a: 1 }, null]);
    expect(flow.libList()).toEqual([]);
    flow.libAdd({ b: 2 });
    expect(flow.libList()).toEqual(['b']);
  });

  test('runs serialEach and serialRepeat without a lib', async () => {
    const flow = new OlderFunctionFlow();
    const seen: unknown[] = [];
    const note = (_: unknown, lib: unknown) => seen.push({ ...(lib as object) });
    await flow.serialEach([note], ['Joe']);
    flow.libRemove();
    await flow.serialRepeat([note], 1);
    expect(seen).toEqual([{ serialEachElement: 'Joe', serialEachKey: 0 }, { serialRepeatIteration: 1 }]);
    flow.libRemove();
    await flow.serialRepeat([() => flow.libRemove()], 1);
    expect(flow.lib).toBeNull();
  });

  test('calls functions without `this`, and has the fields and methods of the original', async () => {
    const flow = new OlderFunctionFlow(undefined, null);
    const seen: unknown[] = [];
    await flow.serial([
      function (this: unknown) {
        seen.push(this);
      },
    ]);
    expect(seen).toEqual([undefined]);
    expect(flow.listen()).toBeUndefined();
    expect(flow).toMatchObject({ msPause: 31_536_000_000, runtimeTest: false, msDelay: 0, debug: false });
  });

  test.each([undefined, null, -1, 'many', Number.NaN])('repeats %p times by running nothing', async n => {
    const flow = new OlderFunctionFlow();
    flow.xInject(0);
    await flow.serial([add]);
    expect(await flow.repeat(n as never)).toBe(1);
    expect(await flow.serialRepeat([add], n as never)).toBe(1);
  });

  test('keeps iteration and iteration_max after a repeat', async () => {
    const flow = new OlderFunctionFlow();
    flow.xInject(0);
    const seen: unknown[] = [];
    const note = () => seen.push([flow.iteration, flow.iteration_max]);
    await flow.one(note);
    await flow.repeat(2);
    await flow.one(note);
    expect(seen).toEqual([
      [0, 0],
      [1, 2],
      [2, 2],
      [2, 2],
    ]);
    await flow.repeat(0);
    expect(flow.iteration).toBe(0);
  });

  test('a break or jump outside a repeat counts for the next repeat', async () => {
    const flow = new OlderFunctionFlow();
    flow.xInject(0);
    let command = () => flow.break();
    const once = (x: unknown) => {
      command();
      command = () => {};
      return add(x);
    };
    expect(await flow.serial([once])).toBe(1);
    expect(await flow.repeat(10)).toBe(1);
    expect(await flow.repeat(2)).toBe(3);
    command = () => flow.jump(9);
    expect(await flow.serial([once])).toBe(4);
    expect(await flow.repeat(10)).toBe(7); // iterations 1, 9 and 10
  });

  test('continues with the next iteration after jump(0)', async () => {
    const flow = new OlderFunctionFlow();
    flow.xInject(0);
    const targets = [0, 0, 9];
    await flow.one(x => {
      flow.jump(targets.shift() ?? 0);
      return add(x);
    });
    expect(await flow.repeat(3)).toBe(3); // iterations 1 and 2, which jumps to 9
  });

  test('with debug prints functions, iterations and commands as the original did', async () => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => {});
    try {
      const flow = new OlderFunctionFlow({ debug: true, msDelay: 1 });
      flow.xInject(5);
      let turn = 0;
      const go = (x: unknown) => {
        if (turn++ === 0) flow.go(1);
        return x;
      };
      await flow.serial([go, add]);
      await flow.repeat(1);
      await flow.parallelAll([add, add]);
      flow.pause();
      flow.start();
      await flow.one(() => {
        flow.next();
        flow.jump(2);
        flow.break();
      });
      await flow.delay(1);
      flow.eventEmitter.emit('ff-stop');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal
      const lines = log.mock.calls.map(([line]) => String(line).replace(/\u001b\[\d+m/g, ''));
      expect(lines).toEqual([
        '\n--- serial --- start --- [0] go (1 ms) --- x:: 5',
        '\n   === go  to function 1 ===\n',
        '\n--- serial --- start --- [1] add (1 ms) --- x:: 5',
        '\n\n-------------- 1. repeat/serial --------------',
        '\n--- serial --- start --- [0] go (1 ms) --- x:: 6',
        '\n--- serial --- start --- [1] add (1 ms) --- x:: 6',
        '\n--- parallelAll --- start --- [all]  (1 ms) --- x:: 7',
        '\n   === pause  ===\n',
        '\n   === start  ===\n',
        '\n--- one --- start --- [0]  (1 ms) --- x:: [ 8, 8 ]',
        '\n   === next  ===\n',
        '\n   === jump  to iteration 2 ===\n',
        '\n   === break  ===\n',
        '\n   === delay 1 ===\n',
        '\n   === stop  ===\n',
      ]);
    } finally {
      log.mockRestore();
    }
  });
});
