import { countsOf, summary } from './counts.mjs';

const report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  success: true,
  testResults: [],
};

test('counts the tests of a successful run', () => {
  expect(summary(countsOf(report))).toBe('3 passed, 0 failed');
});

test('counts a test file that fails to load as a failure', () => {
  expect(countsOf({ ...report, numRuntimeErrorTestSuites: 2, success: false }).failed).toBe(2);
});

test('counts a failure if the run failed for another reason than a test', () => {
  expect(countsOf({ ...report, success: false }).failed).toBe(1);
});

test('counts skipped tests apart', () => {
  expect(summary(countsOf({ ...report, numPendingTests: 1, numTodoTests: 1 }))).toBe('3 passed, 0 failed, 2 skipped');
});
