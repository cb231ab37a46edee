import { endSession, expectSessionEnd, forgetSessionEnd, onSessionEnd } from './session-end.js';

let ends: number;
let stop: () => void;
beforeEach(() => {
  ends = 0;
  stop = onSessionEnd(() => {
    ends += 1;
  });
});
afterEach(() => stop());

it('a change of the user that ends the session is not reported as a session that ended', async () => {
  await expectSessionEnd(async () => endSession());
  endSession();
  expect(ends).toBe(0);
  forgetSessionEnd();
  endSession();
  expect(ends).toBe(1);
});

it('a session that ends during a change that fails is reported', async () => {
  const failing = expectSessionEnd(async () => {
    endSession();
    expect(ends).toBe(0);
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(ends).toBe(1);
});

it('a change that fails leaves the session alone', async () => {
  await expect(expectSessionEnd(() => Promise.reject(new Error('wrong password')))).rejects.toThrow('wrong');
  expect(ends).toBe(0);
  endSession();
  expect(ends).toBe(1);
});
