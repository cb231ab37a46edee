// @ts-check
/**
 * A variant of Jest's runtime. For tests in the environment of `node-environment.cjs`, it loads packages with Node's
 * own `require`, so only once per process. The backend's modules are also loaded once per process, for all tests of the
 * backend. This repository's other modules are loaded for each test file, as usual, but transformed and compiled once.
 *
 * Jest has no setting for this, so this code uses private parts of Jest. That is why Jest's version is pinned.
 * See docs/decisions/0189-tests-load-once-per-process.md.
 */
const { randomInt } = require('node:crypto');
const { statSync } = require('node:fs');
const { createRequire, isBuiltin } = require('node:module');
const { join, sep } = require('node:path');
const { constants, Script } = require('node:vm');
/** @type {new (...args: any[]) => any} */
const JestRuntime = require('jest-runtime').default;
const NodeEnvironment = require('./node-environment.cjs');

const PACKAGES = `${sep}node_modules${sep}`;

const ROOT = join(__dirname, '..', '..');
const BACKEND = join(ROOT, 'backend', sep);
/** Modules that tests of the backend share. They keep no state, because everything that does is a provider of Nest. */
const SHARED = [join(BACKEND, 'src', sep), join(ROOT, 'packages', sep)];
const isShared = (/** @type {string} */ path) =>
  SHARED.some(folder => path.startsWith(folder)) && !path.includes('.test.') && !path.includes(`${sep}test${sep}`);

/** @type {Map<string, { loaded: boolean }>} */
const sharedModules = new Map();
/**
 * The runtime of the test file that runs now. A shared module that imports another one later, with `import()`, asks the
 * runtime that loaded it, whose test file may have ended.
 * @type {Runtime | undefined}
 */
let current;

class Runtime extends JestRuntime {
  /** @param {any[]} args */
  constructor(...args) {
    super(...args);
    this.sharesPackages = args[1] instanceof NodeEnvironment;
    if (!this.sharesPackages) return;
    compileInMainContext(this.cjsLoader.executor);
    transformOnce(this.transformCache);
    this.sharesBackend = this._testPath.startsWith(BACKEND);
    current = this;
    uuidState = { msecs: 0, seq: 0 };
    if (this.sharesBackend)
      for (const [path, module] of sharedModules) this.registries.getActiveCjsRegistry().set(path, module);
  }

  teardown() {
    if (this.sharesBackend)
      for (const [path, module] of this.registries.getActiveCjsRegistry())
        if (module.loaded && isShared(path)) sharedModules.set(path, module);
    super.teardown();
  }

  /**
   * @param {string} from
   * @param {string} name
   * @returns {any}
   */
  requireModuleOrMock(from, name) {
    if (this.sharesBackend && current && current !== this) return current.requireModuleOrMock(from, name);
    const path = this.sharesPackages ? this.pathInPackages(from, name) : null;
    if (path === null) return super.requireModuleOrMock(from, name);
    return name === 'uuid' ? uuidOfFile(createRequire(from)(path)) : createRequire(from)(path);
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

/** The time and number of the last UUIDv7 of the test file. */
let uuidState = { msecs: 0, seq: 0 };

/**
 * Returns the package `uuid` with a `v7` that begins anew with each test file. The original never goes back in time:
 * after a test with a clock in the future, the ids of all later files of the process would be of that future.
 * @param {{ v7: (options?: object) => string }} uuid
 */
function uuidOfFile(uuid) {
  const v7 = (/** @type {object | undefined} */ options) => {
    if (options) return uuid.v7(options);
    const now = Date.now();
    const { msecs, seq } = uuidState;
    uuidState = now > msecs ? { msecs: now, seq: randomInt(2 ** 31) } : { msecs, seq: seq + 1 };
    return uuid.v7(uuidState);
  };
  return { ...uuid, v7 };
}

/** @type {Map<string, { mtimeMs: number, file: { sourceMapPath: string | null } & Record<string, unknown> }>} */
const transformed = new Map();
const sourceMaps = new Map();

/**
 * Keeps transformed modules for all test files of the process. Jest itself reads and hashes the module and its cached
 * result for each test file.
 * @param {any} transformCache
 */
function transformOnce(transformCache) {
  const transform = transformCache.transform.bind(transformCache);
  transformCache.sourceMaps = sourceMaps;
  transformCache.transform = (/** @type {string} */ filename, /** @type {any} */ options) => {
    if (options?.isInternalModule) return transform(filename, options);
    const { mtimeMs } = statSync(filename);
    const known = transformed.get(filename);
    if (known?.mtimeMs === mtimeMs) {
      transformCache.transforms.set(filename, known.file);
      return known.file.code;
    }
    const code = transform(filename, options);
    transformed.set(filename, { mtimeMs, file: transformCache.transforms.get(filename) });
    return code;
  };
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
