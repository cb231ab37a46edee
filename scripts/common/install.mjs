// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { fromRoot } from './paths.mjs';
import { npm, runTask } from './tasks.mjs';
import { progress } from './terminal.mjs';

/** @typedef {{ version?: string, link?: boolean, optional?: boolean, resolved?: string }} LockedPackage */
/** @typedef {Record<string, LockedPackage>} LockedPackages */

/**
 * Returns whether node_modules contains the locked versions. npm lists in node_modules what it has installed, so the
 * result is also right if the user ran `npm install`. Optional packages are not checked, because most of them are for
 * other machines.
 * @param {LockedPackages} wanted of package-lock.json
 * @param {LockedPackages} installed of node_modules/.package-lock.json
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, { version, link, optional }]) => {
    if (!path.includes('node_modules/') || optional) return true;
    const found = installed[path];
    return found !== undefined && (link ? found.link === true : found.version === version);
  });
}

/** Installs the locked packages, unless all of them are already installed. */
export async function install() {
  if (nothingMissing()) return;
  const [command, args] = npm();
  await progress('Installing packages (a minute or two, only the first time)', () =>
    runTask('Installing packages', command, [
      ...args,
      'ci',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
    ]),
  );
}

function nothingMissing() {
  const record = fromRoot('node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  return isInstalled(packagesOf(fromRoot('package-lock.json')), packagesOf(record));
}

/**
 * @param {string} file
 * @returns {LockedPackages}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
