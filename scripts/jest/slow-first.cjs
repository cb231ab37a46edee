// @ts-check
/**
 * Starts the slowest test files first, so that none of them runs alone at the end. Jest itself orders files by their
 * size if it has no recorded durations, as in a fresh clone.
 */
const { sep } = require('node:path');
/** @type {typeof import('@jest/test-sequencer').default} */
const Sequencer = require('@jest/test-sequencer').default;

/** Paths of test files that take 18 s and more, the slowest first. `npm test` writes how long each file took. */
const SLOW = require('./slow-files.json').map(path => path.replaceAll('/', sep));

class SlowFirst extends Sequencer {
  /**
   * @override
   * @param {any[]} tests
   */
  async sort(tests) {
    const rank = (/** @type {string} */ path) => {
      const index = SLOW.findIndex(slow => path.endsWith(slow));
      return index === -1 ? SLOW.length : index;
    };
    const sorted = await super.sort(tests);
    return [...sorted].sort((one, other) => rank(one.path) - rank(other.path));
  }
}

module.exports = SlowFirst;
