import { countsAfterSecondTry, countsOf, summary } from './counts.mjs';

function file(name: string, ...statuses: string[]) {
  const status = statuses.includes('failed') ? 'failed' : 'passed';
  const assertionResults = statuses.map((status, n) => ({ fullName: `test ${n}`, status }));
  return { name, status, startTime: 0, endTime: 1, assertionResults };
}
const unloadable = (name: string) => ({ ...file(name), status: 'failed' });

test('counts the tests of a successful run', () => {
  const report = { success: true, testResults: [file('one', 'passed', 'passed'), file('two', 'passed')] };
  expect(summary(countsOf(report))).toBe('3 passed, 0 failed');
});

test('counts a test file that fails to load as a failure', () => {
  const report = { success: false, testResults: [unloadable('one'), unloadable('two'), file('three', 'passed')] };
  expect(summary(countsOf(report))).toBe('1 passed, 2 failed');
});

test('counts a failure if the run failed for another reason than a test', () => {
  expect(countsOf({ success: false, testResults: [] }).failed).toBe(1);
});

test('counts skipped tests apart', () => {
  const report = { success: true, testResults: [file('one', 'passed', 'pending', 'todo')] };
  expect(summary(countsOf(report))).toBe('1 passed, 0 failed, 2 skipped');
});

describe('after a second run of the failed files', () => {
  const first = { success: false, testResults: [file('one', 'passed'), file('two', 'passed', 'failed')] };

  test('counts a test that passes then once, as passed', () => {
    const second = { success: true, testResults: [file('two', 'passed', 'passed')] };
    expect(summary(countsAfterSecondTry(first, second))).toBe('3 passed, 0 failed');
  });

  test('counts a test that fails again once, as failed', () => {
    const second = { success: false, testResults: [file('two', 'passed', 'failed')] };
    expect(summary(countsAfterSecondTry(first, second))).toBe('2 passed, 1 failed');
  });

  test('counts a failure if the second run did not succeed for another reason', () => {
    expect(countsAfterSecondTry(first, { success: false, testResults: [] }).failed).toBe(1);
  });
});
