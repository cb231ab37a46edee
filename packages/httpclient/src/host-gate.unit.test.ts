import { Attempt } from './attempt.js';
import { HostGate } from './host-gate.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Enters the gate, and notes the milliseconds that have passed since the test began. */
function arrivals(gate: HostGate) {
  const begin = performance.now();
  const arrived: [string, number][] = [];
  return {
    arrived,
    enter: async (host: string, delayMs: number) => {
      const leave = await gate.enter(host, delayMs);
      arrived.push([host, performance.now() - begin]);
      return leave;
    },
  };
}

test('requests to one host start at least the set delay apart; requests to other hosts do not wait', async () => {
  const { arrived, enter } = arrivals(new HostGate(Number.MAX_SAFE_INTEGER));
  const entered = ['a', 'a', 'b', 'a'].map(host => enter(host, 1000));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(arrived).toEqual([
    ['a', 0],
    ['b', 0],
    ['a', 1000],
    ['a', 2000],
  ]);
  for (const leave of await Promise.all(entered)) leave();
});

test('waiting requests to a host start in the order of their calls', async () => {
  const { arrived, enter } = arrivals(new HostGate(2));
  const [first, second] = [await enter('a', 0), await enter('a', 0)];
  const third = enter('a', 0);
  const fourth = enter('a', 0);
  await jest.advanceTimersByTimeAsync(500);
  expect(arrived).toHaveLength(2);
  second();
  (await third)();
  (await fourth)();
  first();
  expect(arrived).toHaveLength(4);
  const [fifth, sixth] = [await enter('a', 0), await enter('a', 0)];
  fifth();
  sixth();
});

test('HostGate forgets idle hosts, and keeps those that are busy or still within their delay', async () => {
  const gate = new HostGate(1);
  const { arrived, enter } = arrivals(gate);
  await enter('busy', 0);
  (await enter('recent', 5000))();
  for (let n = 0; n < 3000; n++) (await gate.enter(`host-${n}`, 0))();
  void enter('busy', 0);
  void enter('recent', 0);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(arrived).toEqual([
    ['busy', 0],
    ['recent', 0],
    ['recent', 5000],
  ]);
});

test('the wait for a free place at a host does not count towards the timeout of an attempt', async () => {
  const attempt = new Attempt(1000);
  await jest.advanceTimersByTimeAsync(600);
  const waited = attempt.pauseFor(new Promise<void>(resolve => setTimeout(resolve, 60_000)));
  await jest.advanceTimersByTimeAsync(60_000);
  await waited;
  await jest.advanceTimersByTimeAsync(399);
  expect(attempt.signal.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(attempt.signal.aborted).toBe(true);
  attempt.end();
  expect(jest.getTimerCount()).toBe(0);
});
