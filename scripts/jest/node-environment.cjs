// @ts-check
/**
 * A Node environment that runs tests in the main context of the process. Jest's own environment creates a `vm` context
 * for each test file.
 *
 * `runtime.cjs` can then load packages once per process for all test files. Loading Nest, TypeORM and the rest for each
 * file of the backend took 1.8 s of processor time. This repository's own modules are still loaded for each file.
 *
 * If a test file changes globals or `process.env`, the changes are undone when the file ends.
 */
const asyncHooks = require('node:async_hooks');
const { createRequire } = require('node:module');

// Load the versions of these packages that belong to this version of Jest.
const fromJest = createRequire(require.resolve('jest-environment-node'));
const { ModernFakeTimers } = fromJest('@jest/fake-timers');
const { ModuleMocker } = fromJest('jest-mock');

/** @type {Set<asyncHooks.AsyncLocalStorage<unknown>>} */
const storages = new Set();

/**
 * @template T
 * @extends {asyncHooks.AsyncLocalStorage<T>}
 */
class RecordedStorage extends asyncHooks.AsyncLocalStorage {
  constructor() {
    super();
    storages.add(this);
  }
}
asyncHooks.AsyncLocalStorage = RecordedStorage;

class NodeEnvironment {
  global = globalThis;
  fakeTimers = null;
  #restore = [keepGlobals(), keepVariables(), keepExit()];

  /** @param {{ projectConfig: { globals: object } }} config */
  constructor({ projectConfig }) {
    Object.assign(globalThis, projectConfig.globals, { testSeed: seedOf(process.env.TRAWL_TEST_SEED) });
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    for (const restore of this.#restore) restore();
    disableStorages();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /**
   * Jest runs no test file without a `vm` context, so this returns an empty one. It is not used, because `runtime.cjs`
   * compiles modules in the main context.
   */
  getVmContext() {
    return {};
  }
}

/**
 * Returns the seed for random decisions: a fixed number unless TRAWL_TEST_SEED is set. A random seed must not be in
 * Jest's configuration, because that is part of the key of the compiler's cache.
 * @param {string | undefined} wanted a number, or `random`
 */
function seedOf(wanted) {
  if (wanted === undefined) return 20_260_215;
  return wanted === 'random' ? Date.now() % 2 ** 31 : Number(wanted);
}

/**
 * Globals that all tests of the backend share: data of packages about the backend's classes, and the results of builds
 * (`backend/test/test-app.ts`).
 */
const SHARED = new Set(['typeormMetadataArgsStorage', 'classValidatorMetadataStorage', 'testBuilds']);

function keepGlobals() {
  const before = Object.getOwnPropertyDescriptors(globalThis);
  return () => {
    for (const key of Reflect.ownKeys(globalThis))
      if (!Reflect.has(before, key) && !SHARED.has(String(key))) Reflect.deleteProperty(globalThis, key);
    Object.defineProperties(globalThis, before);
  };
}

function keepVariables() {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

/**
 * Disables what `new AsyncLocalStorage()` made, until it is used again. Before Node 24, every promise costs time for
 * each one that was ever used, and Jest makes one per test file.
 */
function disableStorages() {
  for (const storage of storages) storage.disable();
  storages.clear();
}

/** Returns a function that restores `process.exit`, because Jest replaces it by a function that prints an error. */
function keepExit() {
  const { exit } = process;
  return () => {
    process.exit = exit;
  };
}

module.exports = NodeEnvironment;
