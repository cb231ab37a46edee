import { quotaState } from './quota-bar.js';

it.each([
  [79, 100, 'free'],
  [80, 100, 'nearly full'],
  [100, 100, 'full'],
  [120, 100, 'full'],
  [0, 0, 'full'],
  // The one database that each account has.
  [1, 1, 'free'],
])('a quota with %d of %d used is shown as %s', (used, limit, state) => {
  expect(quotaState(used, limit)).toBe(state);
});
