import { AccountSemaphore } from './account-semaphore.js';

const call = (semaphore: AccountSemaphore, owner: string, signal?: AbortSignal) => {
  const state = { started: false, refused: '', release: () => {} };
  const settled = semaphore.acquire(owner, signal).then(
    release => Object.assign(state, { started: true, release }),
    error => Object.assign(state, { refused: error.code }),
  );
  return Object.assign(state, { settled });
};
/** Waits until every call that can start has started. */
const allSettled = () => new Promise(resolve => setImmediate(resolve));

test('concurrent calls of an account are limited, and its queued calls start first in, first out', async () => {
  const semaphore = new AccountSemaphore('calls', 2, { maxQueued: 2 });
  const calls = [1, 2, 3, 4].map(() => call(semaphore, 'one'));
  const started = async () => {
    await allSettled();
    return calls.map(call => call.started);
  };
  expect(await started()).toEqual([true, true, false, false]);
  calls[1]?.release();
  expect(await started()).toEqual([true, true, true, false]);
  calls[0]?.release();
  expect(await started()).toEqual([true, true, true, true]);
});

test('an account has fewer concurrent calls while accounts compete, and as many as before afterwards', async () => {
  const contention = { isNow: () => true, record: () => {} };
  const semaphore = new AccountSemaphore('calls', 3, { maxQueued: 9, whileCompeting: { concurrency: 1, contention } });
  const calls = [1, 2, 3, 4, 5].map(() => call(semaphore, 'one'));
  const started = async () => {
    await allSettled();
    return calls.filter(({ started }) => started).length;
  };
  expect(await started()).toBe(1);
  calls[0]?.release();
  expect(await started()).toBe(2);
  contention.isNow = () => false;
  calls[1]?.release();
  expect(await started()).toBe(5);
});

test('while accounts compete, the account with the longest queue has only one concurrent call', async () => {
  const contention = { isNow: () => true, record: () => {} };
  const semaphore = new AccountSemaphore('calls', 3, { maxQueued: 9, whileCompeting: { concurrency: 2, contention } });
  const calls = ['many', 'many', 'many', 'many', 'few', 'few'].map(owner => call(semaphore, owner));
  const started = async () => {
    await allSettled();
    return calls.map(({ started }) => started);
  };
  expect(await started()).toEqual([true, true, false, false, true, true]);
  calls[0]?.release();
  expect(await started()).toEqual([true, true, false, false, true, true]);
  calls[1]?.release();
  expect(await started()).toEqual([true, true, true, false, true, true]);
});

test('while accounts compete, an account’s next call starts only after others had a turn on the event loop', async () => {
  const contention = { isNow: () => true, record: () => {} };
  const semaphore = new AccountSemaphore('calls', 3, { maxQueued: 9, whileCompeting: { concurrency: 1, contention } });
  const order: string[] = [];
  const short = async (name: string) => {
    const release = await semaphore.acquire('one');
    order.push(name);
    release();
  };
  setImmediate(() => order.push('another account'));
  const calls = [short('first'), short('second')];
  await Promise.all(calls);
  expect(order).toEqual(['first', 'another account', 'second']);
});

test('while accounts compete, a queued call of an account with a free slot waits at most a second', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const whileCompeting = { concurrency: 1, contention: { isNow: () => true, record: () => {} } };
  const semaphore = new AccountSemaphore('calls', 2, { maxQueued: 9, whileCompeting });
  const calls = [1, 2, 3].map(() => call(semaphore, 'one'));
  await jest.advanceTimersByTimeAsync(999);
  expect(calls.map(({ started }) => started)).toEqual([true, false, false]);
  await jest.advanceTimersByTimeAsync(1);
  expect(calls.map(({ started }) => started)).toEqual([true, true, false]);
  jest.useRealTimers();
});

test('a call is refused when its account’s queue is full, and calls of other accounts are not', async () => {
  const semaphore = new AccountSemaphore('calls', 1, { maxQueued: 1 });
  const calls = ['one', 'one', 'one', 'other'].map(owner => call(semaphore, owner));
  await allSettled();
  expect(calls.map(({ started, refused }) => [started, refused])).toEqual([
    [true, ''],
    [false, ''],
    [false, 'too_many_requests'],
    [true, ''],
  ]);
});

test('a queued call that waits too long is refused, and its place in the queue becomes free', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const semaphore = new AccountSemaphore('calls', 1, { maxQueued: 1, maxWaitMs: 30_000 });
  const first = call(semaphore, 'one');
  const late = call(semaphore, 'one');
  await jest.advanceTimersByTimeAsync(29_999);
  expect(late.refused).toBe('');
  await jest.advanceTimersByTimeAsync(1);
  expect(late.refused).toBe('too_many_requests');
  const later = call(semaphore, 'one');
  first.release();
  await later.settled;
  await jest.advanceTimersByTimeAsync(60_000);
  jest.useRealTimers();
  expect([later.started, later.refused]).toEqual([true, '']);
});

test('a queued call that is aborted leaves the queue', async () => {
  const semaphore = new AccountSemaphore('calls', 1, { maxQueued: 1 });
  const disconnected = new AbortController();
  const first = call(semaphore, 'one');
  const leaving = call(semaphore, 'one', disconnected.signal);
  disconnected.abort();
  await leaving.settled;
  const later = call(semaphore, 'one');
  await allSettled();
  first.release();
  await later.settled;
  expect([leaving.started, later.started]).toEqual([false, true]);
});
