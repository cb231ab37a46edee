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

test('limits the concurrent calls of an account and starts queued ones first in, first out', async () => {
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

test('starts fewer calls of an account while accounts compete, and as many as before when they no longer do', async () => {
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

test('while accounts compete, the account with the longest queue has one call at the same time', async () => {
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

test('while accounts compete, a slot becomes free when the event loop has turned to others, also after the shortest call', async () => {
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

test('a call waits for competing accounts at most a second, if the account has a slot', async () => {
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

test('refuses a call when the account’s queue is full, without affecting other accounts', async () => {
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

test('a queued call that waits too long is refused, and leaves its place to others', async () => {
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

test('a queued call that aborts leaves the queue', async () => {
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
