// @ts-check
import { readFileSync } from 'node:fs';
import { fromRoot } from './paths.mjs';
import { Problem } from './problem.mjs';

/**
 * Returns whether a version is in a range of the form `^20.19.0 || ^22.12.0 || >=24.0.0`, the only form in our
 * package.json. It uses no package for that, because it runs before any package is installed.
 * @param {string} version
 * @param {string} range
 */
export function satisfies(version, range) {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, '').split('.').map(Number);
  return range.split('||').some(part => {
    const [, operator, text = ''] = /^\s*(\^|>=)(.*?)\s*$/.exec(part) ?? [];
    const [wantedMajor = 0, wantedMinor = 0, wantedPatch = 0] = text.split('.').map(Number);
    if (operator === '>=' && major > wantedMajor) return true;
    if (major !== wantedMajor) return false;
    return minor !== wantedMinor ? minor > wantedMinor : patch >= wantedPatch;
  });
}

/** @throws {Problem} if this version of Node.js is not supported */
export function checkNodeVersion() {
  const { engines } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  if (satisfies(process.version, engines.node)) return;
  throw new Problem(whyRefused(process.version, engines.node));
}

/**
 * @param {string} version
 * @param {string} range
 */
export function whyRefused(version, range) {
  const lines = range.split('||').map(part => {
    const [, operator, major, minor] = /^\s*(\^|>=)(\d+)\.(\d+)/.exec(part) ?? [];
    const first = minor === '0' ? major : `${major}.${minor}`;
    return operator === '^' ? `${first} or later of ${major}` : `${first} or later`;
  });
  const all = lines.join(', ').replace(/, ([^,]+)$/, ', or $1');
  return `Trawl needs Node.js ${all}, and this is ${version}. Install one of them, e.g. with "nvm install 22".`;
}
