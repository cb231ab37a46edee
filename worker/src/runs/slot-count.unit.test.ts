import { slotCount } from './slot-count.js';

const GIB = 1024 ** 3;

test.each([
  [1, GIB / 2, 4],
  [2, 8 * GIB, 8],
  [64, 256 * GIB, 32],
  [16, 2 * GIB, 8],
])('%i cores and %i bytes have %i slots', (cores, memory, count) => {
  expect(slotCount(cores, memory)).toBe(count);
});
