// @ts-check
/**
 * Starts the slowest test files first, so that none of them runs alone at the end. Jest itself orders files by their
 * size if it has no recorded durations, as in a fresh clone.
 */
const { sep } = require('node:path');
/** @type {typeof import('@jest/test-sequencer').default} */
const Sequencer = require('@jest/test-sequencer').default;

/** Slow test files, the slowest first. `npm test` prints the slowest files at its end. */
const SLOW = [
  'e2e/npm-start',
  'e2e/clients',
  'e2e/website/routes',
  'e2e/killed',
  'e2e/command-line',
  'backend/src/openapi/authorisation-matrix',
  'backend/src/openapi/documented-errors',
  'backend/src/openapi/properties',
  'worker/test/delivery',
  'e2e/api-examples',
  'worker/test/hostile',
  'worker/test/restart',
  'e2e/chaos/chaos.e2e',
  'worker/test/libraries',
  'backend/src/executions/executions.int',
  'backend/src/openapi/fields',
  'e2e/forms',
  'backend/src/imports/imports',
  'backend/src/users/registration',
  'e2e/restarts',
  'worker/test/pause',
  'worker/test/browser',
  'packages/libraries/test/npm',
  'packages/embedded/test/start-embedded',
  'e2e/python-docs/python-docs',
  'worker/test/leaks',
  'worker/test/floods',
].map(path => path.replaceAll('/', sep));

class SlowFirst extends Sequencer {
  /**
   * @override
   * @param {any[]} tests
   */
  async sort(tests) {
    const rank = (/** @type {string} */ path) => {
      const index = SLOW.findIndex(slow => path.includes(slow));
      return index === -1 ? SLOW.length : index;
    };
    const sorted = await super.sort(tests);
    return [...sorted].sort((one, other) => rank(one.path) - rank(other.path));
  }
}

module.exports = SlowFirst;
