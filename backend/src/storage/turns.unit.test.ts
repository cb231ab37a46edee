import { Turns } from './turns.js';

const turnOf = (turns: Turns, owner: string, left?: AbortSignal) => {
  const turn = { begun: false, refused: '', end: () => {} };
  const settled = turns.take(owner, left).then(
    end => Object.assign(turn, { begun: true, end }),
    error => Object.assign(turn, { refused: error.code }),
  );
  return Object.assign(turn, { settled });
};
/** Whatever can go on without a turn that ends has gone on. */
const allSettled = () => new Promise(resolve => setImmediate(resolve));

test('an account has so many turns at once, and its other calls begin in the order in which they came', async () => {
  const turns = new Turns(2, 2);
  const calls = [1, 2, 3, 4].map(() => turnOf(turns, 'one'));
  const begun = async () => {
    await allSettled();
    return calls.map(call => call.begun);
  };
  expect(await begun()).toEqual([true, true, false, false]);
  calls[1]?.end();
  expect(await begun()).toEqual([true, true, true, false]);
  calls[0]?.end();
  expect(await begun()).toEqual([true, true, true, true]);
});

test('beyond those that may wait a call is refused, and another account’s is not', async () => {
  const turns = new Turns(1, 1);
  const calls = ['one', 'one', 'one', 'other'].map(owner => turnOf(turns, owner));
  await allSettled();
  expect(calls.map(({ begun, refused }) => [begun, refused])).toEqual([
    [true, ''],
    [false, ''],
    [false, 'too_many_requests'],
    [true, ''],
  ]);
});

test('a caller that leaves gives its place in the queue to another', async () => {
  const turns = new Turns(1, 1);
  const left = new AbortController();
  const first = turnOf(turns, 'one');
  const leaving = turnOf(turns, 'one', left.signal);
  left.abort();
  await leaving.settled;
  const later = turnOf(turns, 'one');
  await allSettled();
  first.end();
  await later.settled;
  expect([leaving.begun, later.begun]).toEqual([false, true]);
});
