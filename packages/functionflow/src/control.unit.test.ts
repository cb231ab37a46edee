import { EventEmitter } from 'node:events';
import { flowOf, held, increment, settle } from '../test/flows.js';
import { FunctionFlow } from './index.js';

describe('go and next of a flow', () => {
  test('go chooses the function of a series that runs next', async () => {
    const flow = flowOf(5);
    const f2 = (x: number) => {
      if (x + 1 < 13) flow.go(1);
      return x + 1;
    };
    const f4 = (x: number) => {
      flow.go(6);
      return x + 1;
    };
    expect(await flow.serial([increment, increment, f2, increment, f4, increment, increment])).toBe(17);
  });

  test('go(0) returns to the first function, also from the last one', async () => {
    const flow = flowOf(0);
    const again = (x: number) => {
      if (x < 5) flow.go(0);
      return x;
    };
    expect(await flow.serial([increment, again])).toBe(5);
  });

  test('go refuses an index that has no function, and fails outside a series', async () => {
    const flow = flowOf(0);
    const go = (index: number) => () => flow.go(index);
    await expect(flow.serial([go(2), increment])).rejects.toThrow(
      '`index` must be an integer between 0 and 1; you sent 2.',
    );
    await expect(flow.serial([go(-1), increment])).rejects.toThrow(RangeError);
    await expect(flow.parallelAll([go(0)])).rejects.toThrow('`go` works only inside a function of a series.');
    expect(() => flow.go(0)).toThrow('`go` works only inside a function of a series.');
  });

  test('next skips the remaining functions of the current series or item only', async () => {
    const flow = flowOf(0);
    const next = (x: number) => {
      expect(flow.status).toBe('start');
      flow.next();
      expect(flow.status).toBe('next');
      return x + 1;
    };
    await flow.serial([next, increment]);
    expect([flow.x, flow.status]).toEqual([1, 'start']);
    expect(await flow.serialEach([next, increment], ['a', 'b'])).toBe(3);
    await flow.one(next);
    expect(await flow.serial([increment, increment])).toBe(6);
  });

  test('next in a parallel function does not affect the series around it or later calls', async () => {
    const flow = flowOf(0);
    const next = (x: number) => {
      flow.next();
      return x;
    };
    await flow.parallelRace([next, next]);
    expect(flow.status).toBe('start');
    expect(await flow.serial([increment, increment])).toBe(2);
    const race = async (x: number) => {
      await flow.parallelRace([next]);
      return x;
    };
    expect(await flow.serial([race, increment])).toBe(3);
  });

  test('commands of a function that lost a race do not affect later calls', async () => {
    const flow = flowOf(0);
    const start = held(0);
    let refusal: unknown;
    const loser = async () => {
      await start.run();
      flow.next();
      flow.break();
      try {
        flow.go(0);
      } catch (error) {
        refusal = error;
      }
    };
    await flow.parallelRace([increment, loser]);
    const wait = async (x: number) => {
      start.release();
      await settle();
      return x + 1;
    };
    await flow.serial([wait, increment]);
    expect(await flow.repeat(2)).toBe(7);
    expect(refusal).toEqual(new Error('`go` works only inside a function of a series.'));
  });

  test('a series inside a parallel function obeys its own go and next', async () => {
    const outer = flowOf(0);
    const inner = flowOf(0);
    const seen: string[] = [];
    const go = () => {
      seen.push('inner');
      outer.next();
      if (seen.length < 3) inner.go(0);
    };
    const nested = async () => {
      await outer.serial([
        async () => {
          await inner.parallelAll([() => inner.serial([go])]);
          seen.push('outer');
        },
        () => seen.push('skipped'),
      ]);
    };
    await outer.parallelAll([nested]);
    expect(seen).toEqual(['inner', 'inner', 'inner', 'outer']);
  });
});

describe('start, stop and pause of a flow', () => {
  test('a pause holds the flow back until start, in series and in parallel calls', async () => {
    const flow = flowOf(0);
    const pause = (x: number) => {
      flow.pause();
      return x + 1;
    };
    const calls = [
      () => flow.serial([pause, increment]),
      () => flow.parallelAll([increment]),
      () => flow.parallelRace([increment]),
    ];
    for (const call of calls) {
      flow.xInject(0);
      if (call !== calls[0]) flow.pause();
      let ended = false;
      const promise = call().then(() => {
        ended = true;
      });
      await settle();
      expect([ended, flow.status]).toEqual([false, 'pause']);
      flow.start();
      await promise;
    }
    expect(flow.x).toBe(1);
  });

  test('after a stop, calls run no function and keep x until start', async () => {
    const flow = flowOf(0);
    const stop = (x: number) => {
      flow.stop();
      return x + 1;
    };
    expect(await flow.serial([increment, stop, increment])).toBe(2);
    await flow.repeat(3);
    await flow.serialEach([increment], [1, 2]);
    await flow.one(increment);
    await flow.parallelAll([increment]);
    expect(await flow.parallelRace([increment])).toBe(2);
    flow.start();
    expect(await flow.one(increment)).toBe(3);
  });

  test('a pause directly after start holds back a call that was waiting', async () => {
    const flow = flowOf(0);
    flow.pause();
    const call = flow.one(increment);
    flow.start();
    flow.pause();
    await settle();
    expect(flow.x).toBe(0);
    flow.start();
    expect(await call).toBe(1);
  });

  test('a stop during a pause ends the waiting call', async () => {
    const flow = flowOf(0);
    flow.pause();
    const call = flow.serial([increment]);
    await settle();
    flow.eventEmitter.emit('ff-stop');
    expect(await call).toBe(0);
  });

  test('ff-start, ff-stop and ff-pause events control the flow until rmListeners, and its methods emit them', async () => {
    const eventEmitter = new EventEmitter();
    const flow = new FunctionFlow<number>({}, eventEmitter);
    const events: string[] = [];
    for (const name of ['ff-start', 'ff-stop', 'ff-pause']) eventEmitter.on(name, () => events.push(name));
    const statuses = ['ff-pause', 'ff-stop', 'ff-pause', 'ff-start'].map(event => {
      eventEmitter.emit(event);
      return flow.status;
    });
    expect(statuses).toEqual(['pause', 'stop', 'stop', 'start']);
    flow.rmListeners();
    events.length = 0;
    flow.pause();
    eventEmitter.emit('ff-start');
    expect(flow.status).toBe('pause');
    flow.start();
    flow.stop();
    expect(events).toEqual(['ff-pause', 'ff-start', 'ff-start', 'ff-stop']);
  });

  test('start, stop and pause throw if the current status does not allow them', () => {
    const flow = flowOf(0);
    expect(() => flow.start()).toThrow('Start not allowed. Status must be "pause" or "stop".');
    flow.pause();
    expect(() => flow.stop()).toThrow('Stop not allowed. Status must be "start".');
    expect(() => flow.pause()).toThrow('Pause not allowed. Status must be "start".');
  });

  test('go and next called from outside during a pause take effect at start', async () => {
    const flow = flowOf(0);
    const pause = (x: number) => {
      flow.pause();
      return x + 1;
    };
    const look = (x: number) => {
      expect(flow.goTo).toBeUndefined();
      return x + 10;
    };
    const going = flow.serial([pause, increment, look]);
    await settle();
    flow.go(2);
    expect(flow.goTo).toBe(2);
    flow.start();
    expect(await going).toBe(11);

    const leaving = flow.serial([pause, increment, look]);
    await settle();
    flow.next();
    flow.start();
    expect(await leaving).toBe(12);
  });

  test('two flows that run at the same time do not affect each other', async () => {
    const [a, b] = [flowOf(0), flowOf(100)];
    const turns: string[] = [];
    const turn = (name: string) => async (x: number) => {
      turns.push(name);
      await settle();
      return x + 1;
    };
    const stopA = (x: number) => {
      a.stop();
      return x;
    };
    const goB = (x: number) => {
      if (x < 104) b.go(0);
      return x;
    };
    await Promise.all([a.serial([turn('a'), turn('a'), stopA, turn('a')]), b.serial([turn('b'), turn('b'), goB])]);
    expect([a.x, b.x, a.status, b.status]).toEqual([2, 104, 'stop', 'start']);
    expect(turns.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
  });
});

describe('delays of a flow', () => {
  test('msDelay waits after each function of a series and after a parallel call, but not after one', async () => {
    jest.useFakeTimers();
    try {
      const flow = flowOf(0);
      flow.msDelay = 800;
      const call = flow.serial([increment, increment]);
      await jest.advanceTimersByTimeAsync(799);
      expect(flow.x).toBe(1);
      await jest.advanceTimersByTimeAsync(1);
      expect(flow.x).toBe(2);
      await jest.advanceTimersByTimeAsync(800);
      await call;
      await flow.one(increment);
      const parallel = flow.parallelRace([increment]);
      await jest.advanceTimersByTimeAsync(800);
      expect(await parallel).toBe(4);
    } finally {
      jest.useRealTimers();
    }
  });

  test('delaysRemove ends waiting calls of delay and delayRnd at once', async () => {
    const flow = flowOf(0);
    const delays = Promise.all([flow.delay(1_000_000), flow.delayRnd(1_000_000, 2_000_000)]);
    flow.delaysRemove();
    await delays;
  });
});

test('a flow with debug prints each function and its x before it runs', async () => {
  const log = jest.spyOn(console, 'log').mockImplementation(() => {});
  const flow = new FunctionFlow<number>({ debug: true });
  flow.xInject(5);
  await flow.serial([increment]);
  expect(log.mock.calls).toEqual([['serial 0 increment, x:', 5]]);
  log.mockRestore();
});
