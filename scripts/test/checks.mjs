// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { fromRoot } from '../common/paths.mjs';
import { explain, Problem } from '../common/problem.mjs';
import { npm, runTask } from '../common/tasks.mjs';
import { errorLine, progress } from '../common/terminal.mjs';
import { addCounts, NONE } from './counts.mjs';

/** @typedef {import('./counts.mjs').Counts} Counts */

/**
 * Labels of the checks that failed, for the end of the output: thousands of lines follow their messages.
 * @type {string[]}
 */
export const failedChecks = [];

/**
 * Runs a check, which counts as one test.
 * @param {string} label
 * @param {() => Promise<void>} work
 * @returns {Promise<Counts>}
 */
export async function check(label, work) {
  try {
    await work();
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    errorLine(error instanceof Problem ? error.message : `${label}: ${explain(error)}`);
    failedChecks.push(label);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/**
 * Runs a script of package.json as a check.
 * @param {string} label
 * @param {string} script
 * @param {string} [room] workspace whose script it is
 */
export function npmCheck(label, script, room) {
  const workspace = room ? ['--workspace', room] : [];
  return check(label, () => progress(label, () => runTask(label, ...npm('run', '--silent', script, ...workspace))));
}

/**
 * Runs the checks of each workspace: whether generated files fit their sources, and types of files that `tsc -b` does
 * not check.
 */
export async function workspaceChecks() {
  /** @type {{ workspaces: string[] }} */
  const { workspaces } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  let counts = NONE;
  const rooms = workspaces.flatMap(path => (path.endsWith('/*') ? foldersIn(path.slice(0, -2)) : [path]));
  for (const room of rooms) {
    const { scripts = {} } = JSON.parse(readFileSync(fromRoot(room, 'package.json'), 'utf8'));
    for (const script of Object.keys(scripts).filter(name => name === 'types' || name.endsWith(':check'))) {
      counts = addCounts(counts, await npmCheck(`Checking ${room} (${script})`, script, room));
    }
  }
  return counts;
}

/** @param {string} parent */
const foldersIn = parent => readdirSync(fromRoot(parent)).map(name => `${parent}/${name}`);
