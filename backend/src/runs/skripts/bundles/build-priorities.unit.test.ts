import { BuildPriorities } from './build-priorities.js';

const SMALL = 1_000;

test('builds of an account come first until they have taken 10 s in a minute', () => {
  const priorities = new BuildPriorities(true);
  expect(priorities.niceOf('a', SMALL)).toBeLessThan(0);
  priorities.add('a', 6_000);
  expect(priorities.niceOf('a', SMALL)).toBeLessThan(0);
  priorities.add('a', 6_000);
  expect(priorities.niceOf('a', SMALL)).toBe(0);
  expect(priorities.niceOf('b', SMALL)).toBeLessThan(0);
});

test('builds of much code come last', () => {
  expect(new BuildPriorities(true).niceOf('a', 1_000_001)).toBeGreaterThan(0);
});

test('builds are not preferred to a backend that is not preferred itself', () => {
  expect(new BuildPriorities(false).niceOf('a', SMALL)).toBe(0);
});
