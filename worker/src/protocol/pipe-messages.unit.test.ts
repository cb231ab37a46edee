import { isBatch } from './pipe-messages.js';

test.each([
  ['no echoes', [], false],
  ['one echo', [['log', 'a', '']], true],
  ['more echoes than the runner sends at once', Array.from({ length: 100_000 }, () => 0), false],
  ['no list', { length: 1 }, false],
])('a batch of %s is taken: %s', (_, items, isTaken) => {
  expect(isBatch(items)).toBe(isTaken);
});
