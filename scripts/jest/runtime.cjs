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
const { constants, Script } = require('node:vm');
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

/**
 * Compiled modules by their path. Each test file loads our modules and those of Jest anew, but their code is compiled
 * once per process: a function that ran in one test file is still compiled in the next one.
 * @type {Map<string, { source: string, script: Script }>}
 */
const scripts = new Map();

/** @param {any} executor */
function compileInMainContext(executor) {
  const opening = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
  executor.compile = (/** @type {string} */ source, /** @type {string} */ filename) => {
    let compiled = scripts.get(filename);
    if (compiled?.source !== source) {
      const script = new Script(`${opening}${source}\n})`, {
        filename,
        columnOffset: -opening.length,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
      compiled = { source, script };
      scripts.set(filename, compiled);
    }
    return compiled.script.runInThisContext();
  };
}

module.exports = Runtime;
