import { BuildPriorities } from './build-priorities.js';

const SMALL = 1_000;

test('builds of an account get a high priority until they have used 10 s within a minute', () => {
  const priorities = new BuildPriorities(true);
  expect(priorities.niceOf('a', SMALL)).toBeLessThan(0);
  priorities.add('a', 6_000);
  expect(priorities.niceOf('a', SMALL)).toBeLessThan(0);
  priorities.add('a', 6_000);
  expect(priorities.niceOf('a', SMALL)).toBe(0);
  expect(priorities.niceOf('b', SMALL)).toBeLessThan(0);
});

test('builds of very large code get a low priority', () => {
  expect(new BuildPriorities(true).niceOf('a', 1_000_001)).toBeGreaterThan(0);
});

test('builds get no raised priority if their backend has none', () => {
  expect(new BuildPriorities(false).niceOf('a', SMALL)).toBe(0);
});
