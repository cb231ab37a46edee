// @ts-check
/**
 * A variant of Jest's runtime. For tests in the environment of `node-environment.cjs`, it loads packages with Node's
 * own `require`, so only once per process. This repository's modules are transformed and loaded for each test file, as
 * usual.
 *
 * Jest has no setting for this, so this code uses private parts of Jest. That is why Jest's version is pinned.
 */
const { createRequire, isBuiltin } = require('node:module');
const { sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
/** @type {new (...args: any[]) => any} */
const JestRuntime = require('jest-runtime').default;
const NodeEnvironment = require('./node-environment.cjs');

const PACKAGES = `${sep}node_modules${sep}`;

class Runtime extends JestRuntime {
  /** @param {any[]} args */
  constructor(...args) {
    super(...args);
    this.sharesPackages = args[1] instanceof NodeEnvironment;
    if (this.sharesPackages) compileInMainContext(this.cjsLoader.executor);
  }

  /**
   * @param {string} from
   * @param {string} name
   */
  requireModuleOrMock(from, name) {
    const path = this.sharesPackages ? this.pathInPackages(from, name) : null;
    return path === null ? super.requireModuleOrMock(from, name) : createRequire(from)(path);
  }

  /**
   * Returns the path of a module that is in a package. Returns null for modules of this repository and of Node, and for
   * modules that a test has replaced with `jest.mock`.
   * @param {string} from
   * @param {string} name
   * @returns {string | null}
   */
  pathInPackages(from, name) {
    if (name.startsWith('.') || isBuiltin(name) || name === '@jest/globals') return null;
    if (this.mockState.shouldMockCjs(from, name).shouldMock) return null;
    /** @type {string} */
    const path = this._resolution.resolveCjs(from, name);
    return path.includes(PACKAGES) ? path : null;
  }
}

/** @param {any} executor */
function compileInMainContext(executor) {
  executor.compile = (/** @type {string} */ source, /** @type {string} */ filename) =>
    compileFunction(source, executor.injectedModuleParameters, {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
}

module.exports = Runtime;
