import { FunctionFlow } from '../src/index.js';

export const increment = (x: number) => x + 1;

export function flowOf(x: unknown, lib: Record<string, unknown> = {}) {
  const flow = new FunctionFlow<any>();
  flow.xInject(x);
  flow.libInject(lib);
  return flow;
}

/** Returns a function whose promise the test resolves. */
export function held<T>(result: T) {
  let release = () => {};
  const promise = new Promise<T>(resolve => {
    release = () => resolve(result);
  });
  return { run: () => promise, release };
}

/** Waits until all promises that can settle have settled. */
export const settle = () => new Promise(resolve => setImmediate(resolve));
