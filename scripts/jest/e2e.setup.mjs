// @ts-check
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromiumFromNpm from '@sparticuz/chromium';
import startTestDatabases, { databases, setDatabases } from './databases.setup.mjs';

const INSTALLED = [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'];

/**
 * Starts the test databases, prepares a Chromium, and opens the server through which test files share one platform.
 * TRAWL_TEST_CHROMIUM is the path of an installed Chromium, or of the one from npm. That one is unpacked here, because
 * two tests must not unpack it at the same time. TRAWL_TEST_SHARED_PLATFORM is the server's address. Platforms whose
 * website no test opens share the folder TRAWL_TEST_WEBSITE_COPIES.
 */
export default async function startForEndToEndTests() {
  await startTestDatabases();
  process.env.TRAWL_TEST_CHROMIUM = INSTALLED.find(path => path && existsSync(path)) ?? (await unpackChromium());
  const { openSharedPlatformServer } = await import('../../e2e/dist/harness/shared-platform-server.js').catch(error => {
    throw new Error(`The tests need the built harness: run "npx tsc -b e2e" first (${error.message}).`);
  });
  const websiteCopies = mkdtempSync(join(tmpdir(), 'trawl-website-copies-'));
  process.env.TRAWL_TEST_WEBSITE_COPIES = websiteCopies;
  const shared = await openSharedPlatformServer();
  process.env.TRAWL_TEST_SHARED_PLATFORM = shared.url;
  // Stop the server with its platform first, because the platform needs the databases until it has stopped.
  const started = databases();
  setDatabases({
    stop: async () => {
      await shared.close();
      await started?.stop();
      rmSync(websiteCopies, { recursive: true, force: true });
    },
  });
}

async function unpackChromium() {
  const path = await chromiumFromNpm.executablePath();
  // A local run of the command line may have its own user.
  chmodSync(path, 0o755);
  return path;
}
