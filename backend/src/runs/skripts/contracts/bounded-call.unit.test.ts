import { callWithin, isTimeout } from './bounded-call.js';

/** A function that does not return at its first calls, and counts them. */
function slowAtFirst(times: number) {
  const call = () => {
    call.count += 1;
    while (call.count <= times);
    return call.count;
  };
  call.count = 0;
  return call;
}

it('a call that gets no processor time on a busy machine is called again, with more time', () => {
  expect(callWithin(5, slowAtFirst(3), () => 0)).toBe(4);
});

it('a call that has used its processor time is interrupted', () => {
  const call = slowAtFirst(1);
  let used = 0;
  let thrown: unknown;
  try {
    callWithin(5, call, () => (used += 5));
  } catch (error) {
    thrown = error;
  }
  expect([isTimeout(thrown), call.count]).toEqual([true, 1]);
});

it('the processor time of this thread is measured: an endless loop is interrupted', () => {
  expect(() =>
    callWithin(5, () => {
      for (;;);
    }),
  ).toThrow('timed out');
});
