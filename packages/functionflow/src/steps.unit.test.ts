import { flowOf, increment, settle } from '../test/flows.js';
import { type FlowStepEvent, FlowTimeoutError } from './index.js';

/** Returns a function that fails `times` times. After that, it adds 1 to `x`. */
function failing(times: number) {
  const calls = { count: 0 };
  const run = async (x: number) => {
    calls.count += 1;
    if (calls.count <= times) throw new Error(`failure ${calls.count}`);
    return x + 1;
  };
  return { run, calls };
}

function eventsOf(flow: ReturnType<typeof flowOf>) {
  const events: FlowStepEvent[] = [];
  flow.eventEmitter.on('ff-step', event => events.push(event));
  return events;
}

const never = () => new Promise<number>(() => {});

describe('retries, timeouts and error handlers of a flow’s functions', () => {
  test('a function that fails is retried up to its own number of retries', async () => {
    const flow = flowOf(0);
    const { run, calls } = failing(2);
    expect(await flow.serial([{ run, retries: 2 }, increment])).toBe(2);
    expect(calls.count).toBe(3);
  });

  test('the last error rejects the call when no retry is left', async () => {
    const flow = flowOf(0);
    await expect(flow.parallelAll([increment, { run: failing(3).run, retries: 1 }])).rejects.toThrow('failure 2');
    expect(flow.x).toBe(0);
  });

  test('onError receives the error, x and lib, and its result replaces that of the function', async () => {
    const flow = flowOf(1, { fallback: 10 });
    const onError = (error: unknown, x: number, lib: Record<string, unknown>) =>
      error instanceof Error ? x + Number(lib.fallback) : x;
    const step = { run: failing(9).run, retries: 1, onError };
    expect(await flow.serial([step, increment])).toBe(12);
    expect(await flow.parallelAll([step, increment])).toEqual([22, 13]);
  });

  test('a function that exceeds its timeout fails with a FlowTimeoutError', async () => {
    const flow = flowOf(0);
    await expect(flow.serial([{ run: never, timeoutMs: 1 }])).rejects.toEqual(
      new FlowTimeoutError('Function `never` took longer than 1 ms.'),
    );
    const { calls, run } = failing(0);
    const slowOnce = (x: number) => (calls.count === 0 ? run(x).then(never) : run(x));
    expect(await flow.serial([{ run: slowOnce, timeoutMs: 5, retries: 1 }])).toBe(1);
    expect(calls.count).toBe(2);
  });

  test('a function that ends in time leaves no timer behind', async () => {
    jest.useFakeTimers();
    try {
      expect(await flowOf(0).one({ run: increment, timeoutMs: 60_000 })).toBe(1);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  test('a function that has timed out cannot skip functions of a later series', async () => {
    const flow = flowOf(0);
    let release = () => {};
    const late = async () => {
      await new Promise<void>(resolve => {
        release = resolve;
      });
      flow.next();
    };
    await flow.one({ run: late, timeoutMs: 1, onError: (_, x) => x });
    const wait = async (x: number) => {
      release();
      await settle();
      return x + 1;
    };
    expect(await flow.serial([wait, increment])).toBe(2);
  });

  test('a failed attempt that called next skips no function after a successful retry', async () => {
    const flow = flowOf(0);
    let attempts = 0;
    const run = (x: number) => {
      attempts += 1;
      if (attempts > 1) return x;
      flow.next();
      throw new Error('no');
    };
    expect(await flow.serial([{ run, retries: 1 }, increment])).toBe(1);
  });

  test('a pause delays retries, and a stop cancels them', async () => {
    const flow = flowOf(0);
    const calls = { count: 0 };
    const run = () => {
      calls.count += 1;
      if (calls.count === 1) flow.pause();
      if (calls.count === 2) flow.stop();
      throw new Error('no');
    };
    const call = flow.parallelAll([{ run, retries: 5 }]).catch(error => error.message);
    await settle();
    expect(calls.count).toBe(1);
    flow.start();
    expect([await call, calls.count]).toEqual(['no', 2]);
  });

  test('each retry waits for retryDelayMs', async () => {
    jest.useFakeTimers();
    try {
      const flow = flowOf(0);
      const { run, calls } = failing(1);
      const call = flow.one({ run, retries: 1, retryDelayMs: 5000 });
      await jest.advanceTimersByTimeAsync(4999);
      expect(calls.count).toBe(1);
      await jest.advanceTimersByTimeAsync(1);
      expect(await call).toBe(1);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('the event ff-step', () => {
  test('is emitted once for each function that ran, with its index and number of attempts', async () => {
    const flow = flowOf(0);
    const events = eventsOf(flow);
    await flow.serial([increment, { run: failing(1).run, retries: 1 }]);
    await flow.serialEach([increment], ['a', 'b']);
    await flow.repeat(1);
    const common = { iteration: 0, round: 0, attempts: 1 };
    expect(events).toEqual([
      { ...common, method: 'serial', index: 0, name: 'increment' },
      { ...common, method: 'serial', index: 1, name: 'run', attempts: 2 },
      { ...common, method: 'serialEach', index: 0, name: 'increment' },
      { ...common, method: 'serialEach', index: 0, name: 'increment', round: 1 },
      { ...common, method: 'serialEach', index: 0, name: 'increment', iteration: 1 },
      { ...common, method: 'serialEach', index: 0, name: 'increment', iteration: 1, round: 1 },
    ]);
  });

  test('contains the error of a function that failed, whether onError handled it or not', async () => {
    const flow = flowOf(0);
    const events = eventsOf(flow);
    const { run } = failing(2);
    await flow.one({ run, onError: (_, x) => x });
    await expect(flow.parallelAll([{ run }, increment])).rejects.toThrow('failure 2');
    await settle();
    expect(events.map(({ index, error }) => [index, error instanceof Error ? error.message : error])).toEqual([
      [0, 'failure 1'],
      [0, 'failure 2'],
      [1, undefined],
    ]);
  });
});
