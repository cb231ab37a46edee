// @ts-check
import parse from 'spdx-expression-parse';
import { ALLOWED, EXCEPTIONS, UNNAMED } from './allowed-licenses.mjs';

/**
 * @typedef {object} Dependency
 * @property {string} name
 * @property {string} version
 * @property {string | null} license SPDX expression; null if it is unknown
 * @property {boolean} isDev whether only development needs it
 */

/**
 * Returns the packages of a lockfile from the registry, each version once, sorted by name.
 * @param {{ packages: Record<string, { version?: string, license?: string, dev?: boolean, link?: boolean }> }} lock
 * @returns {Dependency[]}
 */
export function dependenciesOf({ packages }) {
  /** @type {Map<string, Dependency>} */
  const found = new Map();
  for (const [path, { version = '', license, dev = false, link = false }] of Object.entries(packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at === -1 || link) continue;
    const name = path.slice(at + 'node_modules/'.length);
    const key = `${name} ${version}`;
    const isDev = dev && (found.get(key)?.isDev ?? true);
    found.set(key, { name, version, license: UNNAMED[name] ?? license ?? null, isDev });
  }
  return [...found.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * Says why a dependency must not be used; null if it may.
 * @param {Dependency} dependency
 * @returns {string | null}
 */
export function refusalOf({ name, version, license }) {
  if (license === null) return `${name} ${version} names no licence. If its files do, add it to UNNAMED.`;
  if (EXCEPTIONS[name]?.license === license) return null;
  try {
    if (isAllowed(parse(license))) return null;
  } catch {
    return `${name} ${version} has the licence "${license}", which is no SPDX expression.`;
  }
  return `${name} ${version} has the licence ${license}, which is not allowed. Use another package, or add it to EXCEPTIONS with a reason.`;
}

/**
 * @param {import('spdx-expression-parse').Info} expression
 * @returns {boolean}
 */
function isAllowed(expression) {
  if ('license' in expression) return !expression.exception && ALLOWED.includes(expression.license);
  const { left, right, conjunction } = expression;
  return conjunction === 'or' ? isAllowed(left) || isAllowed(right) : isAllowed(left) && isAllowed(right);
}
