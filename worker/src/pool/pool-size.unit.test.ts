import { parkedCount } from './pool-size.js';

const GIB = 1024 ** 3;

test.each([
  ['nodejs', 2, 8 * GIB, 4],
  ['nodejs', 1, 8 * GIB, 2],
  ['nodejs', 64, 256 * GIB, 16],
  ['nodejs', 8, GIB, 3],
  ['nodejs', 2, GIB / 4, 0],
  ['browser', 2, 8 * GIB, 2],
  ['browser', 2, GIB, 0],
  ['python', 2, 8 * GIB, 0],
] as const)('%s on %i cores and %i bytes: %i are parked', (environment, cores, memory, count) => {
  expect(parkedCount(environment, cores, memory)).toBe(count);
});
