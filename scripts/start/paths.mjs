// @ts-check
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {string[]} parts */
export const fromRoot = (...parts) => join(ROOT, ...parts);

/** Stamps of what was built; gone whenever node_modules is. */
export const STAMPS_DIR = fromRoot('node_modules', '.cache', 'trawl');
