// @ts-check

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
export const NONE = { passed: 0, failed: 0, skipped: 0 };

/**
 * @typedef {object} JestFile a test file, with times in ms
 * @property {string} name
 * @property {string} status
 * @property {number} startTime
 * @property {number} endTime
 * @property {{ fullName: string, status: string }[]} assertionResults
 */

/**
 * @typedef {object} JestReport the part of `jest --json` that counts
 * @property {boolean} success
 * @property {boolean} [isStuck] set if Jest did not end by itself after the tests
 * @property {JestFile[]} testResults
 */

/**
 * @param {JestFile} file
 * @returns {Counts} the counts of its tests, with at least one failure if the file failed, for example to load
 */
function countsOfFile({ status, assertionResults }) {
  const count = (/** @type {string} */ of) => assertionResults.filter(result => result.status === of).length;
  const passed = count('passed');
  const failed = count('failed');
  return {
    passed,
    failed: status === 'failed' ? Math.max(failed, 1) : failed,
    skipped: assertionResults.length - passed - failed,
  };
}

/**
 * @param {JestReport} report
 * @returns {Counts} the counts of all tests, with at least one failure if Jest did not succeed
 */
export function countsOf({ success, testResults }) {
  const counts = testResults.map(countsOfFile).reduce(addCounts, NONE);
  return success ? counts : { ...counts, failed: Math.max(counts.failed, 1) };
}

/**
 * Counts the tests of a run and of the second run of its failed files. The second run decides about these files.
 * @param {JestReport} first
 * @param {JestReport} second
 * @returns {Counts}
 */
export function countsAfterSecondTry({ testResults }, second) {
  const sound = testResults.filter(({ status }) => status !== 'failed').map(countsOfFile);
  return sound.reduce(addCounts, countsOf(second));
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
