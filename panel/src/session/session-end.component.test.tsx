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

it('a change by which the user ends the session does not trigger the notice of an ended session', async () => {
  await expectSessionEnd(async () => endSession());
  endSession();
  expect(ends).toBe(0);
  forgetSessionEnd();
  endSession();
  expect(ends).toBe(1);
});

it('a session that ends during a failed change triggers the notice of an ended session', async () => {
  const failing = expectSessionEnd(async () => {
    endSession();
    expect(ends).toBe(0);
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(ends).toBe(1);
});

it('a failed change does not end the session, and a later end triggers the notice', async () => {
  await expect(expectSessionEnd(() => Promise.reject(new Error('wrong password')))).rejects.toThrow('wrong');
  expect(ends).toBe(0);
  endSession();
  expect(ends).toBe(1);
});
