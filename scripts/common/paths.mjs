// @ts-check
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {string[]} parts */
export const fromRoot = (...parts) => join(ROOT, ...parts);

/** Folder for the hashes of finished builds. If node_modules is deleted, these are deleted, too. */
export const STAMPS_DIR = fromRoot('node_modules', '.cache', 'trawl');
