// @ts-check
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Starts one PostgreSQL and one MongoDB for the whole test run, in a temporary folder. Tests find their addresses in
 * TRAWL_TEST_POSTGRES_URL and TRAWL_TEST_MONGODB_URI. Each test file creates databases of its own there.
 */
export default async function startTestDatabases() {
  if (databases()) return; // the integration and the e2e project share them
  const { cacheDir, placeDataDir, startEmbedded } = await import('../../packages/embedded/dist/index.js').catch(
    error => {
      throw new Error(
        `The tests need the built packages: run "npx tsc -b packages/embedded" first (${error.message}).`,
      );
    },
  );
  const temporary = await mkdtemp(join(tmpdir(), 'trawl-tests-'));
  const { dataDir } = placeDataDir(temporary);
  const started = await startEmbedded({
    dataDir,
    cacheDir: cacheDir(),
    durable: false,
    postgresUrl: process.env.TRAWL_TEST_POSTGRES_URL,
    mongodbUri: process.env.TRAWL_TEST_MONGODB_URI,
    onProgress: line => process.stderr.write(`${line}\n`),
  });
  process.env.TRAWL_TEST_POSTGRES_URL = started.postgresUrl;
  process.env.TRAWL_TEST_MONGODB_URI = started.mongodbUri;
  setDatabases({
    stop: async () => {
      await started.stop();
      await rm(dataDir, { recursive: true, force: true });
      if (dataDir !== temporary) await rmdir(temporary);
    },
  });
}

/** @typedef {{ stop(): Promise<void> }} TestDatabases */

// Name of a global variable. Jest's set-up and tear-down can share data only through the global object.
const KEY = Symbol.for('trawl.test-databases');

/** @returns {TestDatabases | undefined} */
export function databases() {
  return /** @type {Record<symbol, TestDatabases | undefined>} */ (/** @type {unknown} */ (globalThis))[KEY];
}

/** @param {TestDatabases | undefined} value */
export function setDatabases(value) {
  Object.assign(globalThis, { [KEY]: value });
}
