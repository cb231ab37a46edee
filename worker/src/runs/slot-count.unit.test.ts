import { maxSlotCount, slotCount } from './slot-count.js';

const GIB = 1024 ** 3;

test.each([
  [null, GIB / 4, 512, 4],
  [null, 8 * GIB, 512, 120],
  [null, 24 * GIB, 512, 360],
  [null, 256 * GIB, 512, 480],
  [null, 24 * GIB, 64, 32],
  [1, 24 * GIB, 512, 1],
  [300, GIB, 512, 300],
  [300, GIB, 64, 32],
])(
  'with TRAWL_SLOTS %p, %i bytes of memory and %i processes, a worker has %i slots',
  (wanted, memory, processes, count) => {
    expect(slotCount(wanted, memory, processes)).toBe(count);
  },
);

test('paused runs add at most as many slots as the worker has for live runs', () => {
  expect(maxSlotCount(8, 512)).toBe(16);
  expect(maxSlotCount(300, 512)).toBe(480);
});
