// @ts-check
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fromRoot, ROOT, STAMPS_DIR } from '../common/paths.mjs';
import { explain } from '../common/problem.mjs';
import { runTask } from '../common/tasks.mjs';
import { errorLine, line, paint } from '../common/terminal.mjs';
import { countsAfterSecondTry, countsOf } from './counts.mjs';

/** @typedef {import('./counts.mjs').Counts} Counts */
/** @typedef {import('./counts.mjs').JestReport} JestReport */

const MAX_LEFTOVER_MS = 15_000;
const DURATIONS = join(STAMPS_DIR, 'test-durations.txt');
const SHOWN_DURATIONS = 10;
/** If more files fail, the reason is not that a busy machine was too slow for a test. */
const MAX_REPEATED_FILES = 5;
const FAILED = { passed: 0, failed: 1, skipped: 0 };

rmSync(DURATIONS, { force: true });

/**
 * Runs Jest and shows its output. If a few test files fail, runs these again, one after the other. The second run
 * decides, and tests that failed only once are listed.
 * @param {string} label
 * @param {string[]} args
 * @returns {Promise<Counts>}
 */
export async function jest(label, args) {
  line(paint.strong(label));
  const before = processorTimes();
  const first = await runJest(label, args);
  if (!first) return FAILED;
  writeDurations(first, busyShare(before, processorTimes()));
  const failedFiles = first.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  if (first.isStuck || failedFiles.length === 0 || failedFiles.length > MAX_REPEATED_FILES) return countsOf(first);
  line(paint.strong(`${label}, second try of ${failedFiles.map(name => relative(ROOT, name)).join(', ')}`));
  const second = await runJest(label, ['--runInBand', '--runTestsByPath', ...failedFiles]);
  if (!second) return countsOf(first);
  writeFailedOnce(first, second);
  return countsAfterSecondTry(first, second);
}

/**
 * @param {string} label
 * @param {string[]} args
 * @returns {Promise<JestReport | undefined>} undefined if Jest wrote no report, and has written the reason
 */
async function runJest(label, args) {
  // The tests use a temporary folder of their own, which is deleted with all files that they leave there.
  const folder = mkdtempSync(join(tmpdir(), 'trawl-jest-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (process.getuid?.() === 0) chmodSync(folder, 0o711); // databases and runs have their own users then
  const report = join(folder, 'report.json');
  const bin = fromRoot('node_modules/jest/bin/jest.js');
  const jestArgs = [bin, '--ci', '--json', '--outputFile', report, ...args];
  // Jest writes its report when all tests are over. If Jest does not end soon after that, a test has left something
  // open.
  let isStuck = false;
  const task = new AbortController();
  const watch = setInterval(() => {
    if (!existsSync(report) || Date.now() - statSync(report).mtimeMs < MAX_LEFTOVER_MS) return;
    isStuck = true;
    task.abort();
  }, 1_000);
  const env = { ...process.env, TMPDIR: folder };
  try {
    await runTask(label, process.execPath, jestArgs, { env, show: 'errors', signal: task.signal });
  } catch (error) {
    if (!existsSync(report)) errorLine(explain(error));
  } finally {
    clearInterval(watch);
  }
  if (!existsSync(report)) return undefined;
  /** @type {JestReport} */
  const results = JSON.parse(readFileSync(report, 'utf8'));
  if (!isStuck) return results;
  errorLine(`${label}: all tests ended, but a process, connection or timer of theirs did not.`);
  return { ...results, success: false, isStuck };
}

/**
 * @param {JestReport} first
 * @param {JestReport} second
 */
function writeFailedOnce(first, second) {
  const failedIn = (/** @type {JestReport} */ report) =>
    report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `${relative(ROOT, name)}: ${fullName}`),
    );
  const failedTwice = new Set(failedIn(second));
  for (const test of failedIn(first)) {
    if (!failedTwice.has(test)) errorLine(`Failed at the first try only: ${test}`);
  }
}

/** @typedef {{ busy: number, total: number }} ProcessorTimes in ms */

/** @returns {ProcessorTimes} of all processors since the machine started */
function processorTimes() {
  const times = cpus().flatMap(({ times }) => Object.entries(times));
  const sum = (/** @type {[string, number][]} */ entries) => entries.reduce((total, [, ms]) => total + ms, 0);
  return { busy: sum(times.filter(([kind]) => kind !== 'idle')), total: sum(times) };
}

/**
 * @param {ProcessorTimes} before
 * @param {ProcessorTimes} after
 */
const busyShare = (before, after) => (after.busy - before.busy) / (after.total - before.total);

/**
 * Appends the duration of each test file to a file. Prints the slowest test files and how busy the processors were: if
 * much less than 90 %, more test files could run at the same time.
 * @param {JestReport} report
 * @param {number} busy from 0 to 1
 */
function writeDurations({ testResults }, busy) {
  const rows = testResults
    .map(({ name, startTime, endTime }) => ({ file: relative(ROOT, name), seconds: (endTime - startTime) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
  mkdirSync(STAMPS_DIR, { recursive: true });
  appendFileSync(DURATIONS, `${rows.join('\n')}\n`);
  if (rows.length <= SHOWN_DURATIONS) return;
  line(`The slowest of ${rows.length} test files; ${relative(ROOT, DURATIONS)} has all:`);
  for (const row of rows.slice(0, SHOWN_DURATIONS)) line(row);
  line(`The processors were busy ${Math.round(busy * 100)} % of the time.`);
}
