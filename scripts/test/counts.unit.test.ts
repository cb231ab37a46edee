import { countsOf, summary } from './counts.mjs';

const report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  success: true,
};

test('a run where all went well counts its tests', () => {
  expect(summary(countsOf(report))).toBe('3 passed, 0 failed');
});

test('a test file that could not be read counts as a failure', () => {
  expect(countsOf({ ...report, numRuntimeErrorTestSuites: 2, success: false }).failed).toBe(2);
});

test('a run that failed for another reason than a test is never a success', () => {
  expect(countsOf({ ...report, success: false }).failed).toBe(1);
});

test('skipped tests are told apart', () => {
  expect(summary(countsOf({ ...report, numPendingTests: 1, numTodoTests: 1 }))).toBe('3 passed, 0 failed, 2 skipped');
});
