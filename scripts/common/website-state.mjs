// @ts-check
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STAMPS_DIR } from './paths.mjs';

/**
 * While this file is there, the website is not the one of the sources. The file says how far its build is. The backend
 * reads it, so that it can tell visitors and serve the website as soon as it is built.
 */
const FILE = join(STAMPS_DIR, 'website-build.json');

/** @typedef {import('./build.mjs').BuildStep | { failed: true } | {}} WebsiteState `{}`: the build has not begun */

/** @param {WebsiteState} state */
export function writeWebsiteState(state) {
  mkdirSync(STAMPS_DIR, { recursive: true });
  writeFileSync(`${FILE}.new`, JSON.stringify(state));
  renameSync(`${FILE}.new`, FILE);
}

export const removeWebsiteState = () => rmSync(FILE, { force: true });

export const hasWebsiteState = () => existsSync(FILE);
