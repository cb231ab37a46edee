import { countsAfterSecondTry, countsOf, summary } from './counts.mjs';

function file(name: string, ...statuses: string[]) {
  const status = statuses.includes('failed') ? 'failed' : 'passed';
  const assertionResults = statuses.map((status, n) => ({ fullName: `test ${n}`, status }));
  return { name, status, startTime: 0, endTime: 1, assertionResults };
}
const unloadable = (name: string) => ({ ...file(name), status: 'failed' });

test('the summary of a test run counts the tests of all files', () => {
  const report = { success: true, testResults: [file('one', 'passed', 'passed'), file('two', 'passed')] };
  expect(summary(countsOf(report))).toBe('3 passed, 0 failed');
});

test('the summary of a test run counts a test file that fails to load as one failure', () => {
  const report = { success: false, testResults: [unloadable('one'), unloadable('two'), file('three', 'passed')] };
  expect(summary(countsOf(report))).toBe('1 passed, 2 failed');
});

test('the summary counts a failure if the test run failed for another reason than a test', () => {
  expect(countsOf({ success: false, testResults: [] }).failed).toBe(1);
});

test('the summary of a test run counts skipped tests separately', () => {
  const report = { success: true, testResults: [file('one', 'passed', 'pending', 'todo')] };
  expect(summary(countsOf(report))).toBe('1 passed, 0 failed, 2 skipped');
});

describe('after a second run of the failed test files, the summary', () => {
  const first = { success: false, testResults: [file('one', 'passed'), file('two', 'passed', 'failed')] };

  test('counts a test that passes in the second run once, as passed', () => {
    const second = { success: true, testResults: [file('two', 'passed', 'passed')] };
    expect(summary(countsAfterSecondTry(first, second))).toBe('3 passed, 0 failed');
  });

  test('counts a test that fails in both runs once, as failed', () => {
    const second = { success: false, testResults: [file('two', 'passed', 'failed')] };
    expect(summary(countsAfterSecondTry(first, second))).toBe('2 passed, 1 failed');
  });

  test('counts a failure if the second run failed for another reason than a test', () => {
    expect(countsAfterSecondTry(first, { success: false, testResults: [] }).failed).toBe(1);
  });
});
