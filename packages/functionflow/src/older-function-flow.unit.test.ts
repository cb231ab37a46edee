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
