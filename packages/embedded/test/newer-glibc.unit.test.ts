import { isOlder } from '../src/mongodb/newer-glibc.js';

test.each([
  ['2.36', true],
  ['2.4', true],
  ['2.38', false],
  ['2.41', false],
  ['3.0', false],
])('isOlder compares glibc %s with 2.38 and returns %s', (version, expected) => {
  expect(isOlder(version, '2.38')).toBe(expected);
});
