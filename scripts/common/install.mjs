// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fromRoot, ROOT } from './paths.mjs';
import { npm, runTask } from './tasks.mjs';
import { progress } from './terminal.mjs';

/** @typedef {{ name?: string, version?: string, link?: boolean, optional?: boolean, resolved?: string }} LockedPackage */
/** @typedef {Record<string, LockedPackage>} LockedPackages */

/**
 * npm reads this file instead of package-lock.json. It is there only during an installation.
 * See docs/decisions/0391-dependencies.md.
 */
const LOCK_WITH_ADDRESSES = fromRoot('npm-shrinkwrap.json');

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
  if (!nothingMissing()) await installLocked();
  // The Node of runs is a package with a program `node`, which npm's scripts would find before the Node of the machine.
  rmSync(fromRoot('node_modules', '.bin', 'node'), { force: true });
}

async function installLocked() {
  await progress('Installing packages (a minute or two, only the first time)', async () => {
    const remove = () => rmSync(LOCK_WITH_ADDRESSES, { force: true });
    process.once('exit', remove);
    try {
      const registry = execFileSync(...npm('config', 'get', 'registry'), {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      writeFileSync(LOCK_WITH_ADDRESSES, JSON.stringify(withAddresses(readLock(), registry.trim())));
      await npmCi();
    } catch {
      // The registry has its packages at other addresses, or the error is npm's: then the next try fails with it, too.
      remove();
      await npmCi();
    } finally {
      remove();
      process.off('exit', remove);
    }
  });
}

const npmCi = () =>
  runTask('Installing packages', ...npm('ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'));

/**
 * Adds to a lock the address of each package. package-lock.json has none, so that it serves any registry, but then npm
 * first reads the descriptions of all packages, which takes a third of the time of an installation.
 * @template {{ packages: LockedPackages }} Lock
 * @param {Lock} lock
 * @param {string} registry URL
 * @returns {Lock}
 */
export function withAddresses(lock, registry) {
  const base = registry.replace(/\/*$/, '/');
  /** @param {string} path @param {LockedPackage} locked */
  const addressed = (path, locked) => {
    const name = locked.name ?? path.split('node_modules/').at(-1) ?? '';
    if (!path.includes('node_modules/') || locked.link || locked.resolved) return locked;
    return { ...locked, resolved: `${base}${name}/-/${name.split('/').at(-1)}-${locked.version}.tgz` };
  };
  const packages = Object.entries(lock.packages).map(([path, locked]) => [path, addressed(path, locked)]);
  return { ...lock, packages: Object.fromEntries(packages) };
}

function nothingMissing() {
  const record = fromRoot('node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  return isInstalled(readLock().packages, readLock(record).packages);
}

/** @returns {{ packages: LockedPackages }} */
const readLock = (file = fromRoot('package-lock.json')) => JSON.parse(readFileSync(file, 'utf8'));
