import { parkedCount } from './pool-size.js';

const GIB = 1024 ** 3;

test.each([
  ['nodejs', 2, 24 * GIB, 350, { min: 4, max: 110, asleep: 1 }],
  ['nodejs', 2, 24 * GIB, 8, { min: 4, max: 8, asleep: 1 }],
  ['nodejs', 2, 4 * GIB, 200, { min: 4, max: 18, asleep: 1 }],
  ['nodejs', 1, 8 * GIB, 200, { min: 2, max: 36, asleep: 1 }],
  ['nodejs', 64, 256 * GIB, 200, { min: 16, max: 128, asleep: 1 }],
  ['nodejs', 8, GIB, 200, { min: 4, max: 4, asleep: 1 }],
  ['nodejs', 2, GIB / 8, 200, { min: 0, max: 0, asleep: 0 }],
  ['browser', 2, 8 * GIB, 200, { min: 2, max: 2, asleep: 0 }],
  ['browser', 2, GIB, 200, { min: 0, max: 0, asleep: 0 }],
] as const)('%s, %i cores, %i bytes, %i slots: the pool parks %j', (environment, cores, memoryBytes, slots, count) => {
  expect(parkedCount(environment, { cores, memoryBytes, slots })).toEqual(count);
});
