// @ts-check

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
export const NONE = { passed: 0, failed: 0, skipped: 0 };

/**
 * @typedef {object} JestReport the part of `jest --json` that counts
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites files that failed to load, whose tests are not counted
 * @property {boolean} success
 * @property {{ name: string, startTime: number, endTime: number }[]} testResults by file, with times in ms
 */

/**
 * @param {JestReport} report
 * @returns {Counts} the counts of all tests, with at least one failure if Jest did not succeed
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
