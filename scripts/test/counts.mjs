// @ts-check

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * @typedef {object} JestReport the part of `jest --json` that counts
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites files that could not even be read: no test of theirs is counted
 * @property {boolean} success
 */

/**
 * @param {JestReport} report
 * @returns {Counts} a run that was no success has at least one failure
 */
export function countsOf(report) {
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed: report.numPassedTests,
    failed: report.success ? failed : Math.max(failed, 1),
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * @param {Counts} one
 * @param {Counts} other
 * @returns {Counts}
 */
export function addCounts(one, other) {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

/** @param {Counts} counts */
export function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
