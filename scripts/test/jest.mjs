// @ts-check
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fromRoot, ROOT, STAMPS_DIR } from '../common/paths.mjs';
import { explain } from '../common/problem.mjs';
import { runTask } from '../common/tasks.mjs';
import { errorLine, line, paint } from '../common/terminal.mjs';
import { addCounts, countsOf } from './counts.mjs';

/** @typedef {import('./counts.mjs').Counts} Counts */
/** @typedef {import('./counts.mjs').JestReport} JestReport */

const MAX_LEFTOVER_MS = 15_000;
const DURATIONS = join(STAMPS_DIR, 'test-durations.txt');
const SHOWN_DURATIONS = 10;
const FAILED = { passed: 0, failed: 1, skipped: 0 };

rmSync(DURATIONS, { force: true });

/**
 * Runs Jest and shows its output.
 * @param {string} label
 * @param {string[]} args
 * @param {string[]} [nodeArgs]
 * @returns {Promise<Counts>}
 */
export async function jest(label, args, nodeArgs = []) {
  line(paint.strong(label));
  // The tests use a temporary folder of their own, which is deleted with all files that they leave there.
  const folder = mkdtempSync(join(tmpdir(), 'trawl-jest-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (process.getuid?.() === 0) chmodSync(folder, 0o711); // databases and runs have their own users then
  const report = join(folder, 'report.json');
  const bin = fromRoot('node_modules/jest/bin/jest.js');
  const jestArgs = [...nodeArgs, bin, '--ci', '--json', '--outputFile', report, ...args];
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
  if (!existsSync(report)) return FAILED;
  /** @type {JestReport} */
  const results = JSON.parse(readFileSync(report, 'utf8'));
  writeDurations(results);
  if (!isStuck) return countsOf(results);
  errorLine(`${label}: all tests ended, but a process, connection or timer of theirs did not.`);
  return addCounts(countsOf(results), FAILED);
}

/**
 * Appends the duration of each test file to a file, and prints the slowest test files.
 * @param {JestReport} report
 */
function writeDurations({ testResults }) {
  const rows = testResults
    .map(({ name, startTime, endTime }) => ({ file: relative(ROOT, name), seconds: (endTime - startTime) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
  mkdirSync(STAMPS_DIR, { recursive: true });
  appendFileSync(DURATIONS, `${rows.join('\n')}\n`);
  if (rows.length <= SHOWN_DURATIONS) return;
  line(`The slowest of ${rows.length} test files; ${relative(ROOT, DURATIONS)} has all:`);
  for (const row of rows.slice(0, SHOWN_DURATIONS)) line(row);
}
