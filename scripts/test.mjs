// @ts-check
// `npm test`: everything that must hold, from a fresh clone to a last line with the counts.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './start/build.mjs';
import { install } from './start/install.mjs';
import { checkNodeVersion } from './start/node-version.mjs';
import { fromRoot } from './start/paths.mjs';
import { explain, Problem } from './start/problem.mjs';
import { publicUrlFrom } from './start/settings.mjs';
import { killTasks, npm, runTask } from './start/tasks.mjs';
import { errorLine, line, paint, progress } from './start/terminal.mjs';
import { addCounts, countsOf, summary } from './test/counts.mjs';

/** @typedef {import('./test/counts.mjs').Counts} Counts */

const MAX_LEFTOVER_MS = 15_000;

for (const [signal, number] of /** @type {const} */ ([
  ['SIGINT', 2],
  ['SIGTERM', 15],
  ['SIGHUP', 1],
])) {
  process.on(signal, () => {
    killTasks();
    process.exit(128 + number);
  });
}

const [npmCommand, npmArgs] = npm();
/** @type {Counts} */
let counts = { passed: 0, failed: 0, skipped: 0 };

/**
 * A check counts as one test.
 * @param {string} label
 * @param {() => Promise<void>} work
 * @returns {Promise<boolean>} whether it passed
 */
async function check(label, work) {
  try {
    await work();
    counts = addCounts(counts, { passed: 1, failed: 0, skipped: 0 });
    return true;
  } catch (error) {
    errorLine(error instanceof Problem ? error.message : `${label}: ${explain(error)}`);
    counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
    return false;
  }
}

/**
 * @param {string} label
 * @param {string} script
 * @param {string} [room]
 */
const npmScript = (label, script, room) =>
  check(label, () =>
    progress(label, () =>
      runTask(label, npmCommand, [...npmArgs, 'run', '--silent', script, ...(room ? ['--workspace', room] : [])]),
    ),
  );

/**
 * Runs a Jest project, showing what it says, and adds its tests to the counts.
 * @param {string} project
 * @param {number} atOnce test files
 */
async function jest(project, atOnce) {
  line();
  line(paint.strong(`Tests: ${project}`));
  // The tests' temporary folder, too: whatever they leave is gone afterwards, and no other user's files are in the way.
  const folder = mkdtempSync(join(tmpdir(), 'trawl-jest-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (process.getuid?.() === 0) chmodSync(folder, 0o711); // databases and runs have users of their own then
  const env = { ...process.env, TMPDIR: folder };
  const report = join(folder, 'report.json');
  const args = [
    fromRoot('node_modules/jest/bin/jest.js'),
    '--ci',
    '--maxWorkers',
    String(atOnce),
    '--selectProjects',
    project,
    '--passWithNoTests',
    '--json',
    '--outputFile',
    report,
  ];
  // Jest writes its report when all is over. What lives on then was left behind by a test, and would hold us up for ever.
  let isStuck = false;
  const watch = setInterval(() => {
    if (!existsSync(report) || Date.now() - statSync(report).mtimeMs < MAX_LEFTOVER_MS) return;
    isStuck = true;
    killTasks();
  }, 1_000);
  try {
    await runTask(`The ${project} tests`, process.execPath, args, { env, show: 'errors' });
  } catch (error) {
    if (!existsSync(report)) errorLine(explain(error));
  } finally {
    clearInterval(watch);
  }
  if (isStuck) {
    errorLine(`The ${project} tests are over, but something of theirs still runs: a process, a connection or a timer.`);
    counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
  }
  const failed = { passed: 0, failed: 1, skipped: 0 };
  counts = addCounts(counts, existsSync(report) ? countsOf(JSON.parse(readFileSync(report, 'utf8'))) : failed);
}

/** Every workspace's own checks: those that compare a generated file with its source, and types that `tsc -b` leaves out. */
async function workspaceChecks() {
  /** @type {{ workspaces: string[] }} */
  const { workspaces } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  for (const room of workspaces.filter(path => !path.endsWith('/*'))) {
    const { scripts = {} } = JSON.parse(readFileSync(fromRoot(room, 'package.json'), 'utf8'));
    for (const script of Object.keys(scripts).filter(name => name === 'types' || name.endsWith(':check'))) {
      await npmScript(`Checking ${room} (${script})`, script, room);
    }
  }
}

try {
  checkNodeVersion();
  await install();
  if (await check('Building', () => build({ everything: true, publicUrl: publicUrlFrom(process.env) }))) {
    await npmScript('Checking style and import directions', 'lint');
    await npmScript('Checking types', 'types');
    await workspaceChecks();
    for (const project of ['unit', 'integration']) await jest(project, availableParallelism());
    // Each of these starts the whole product.
    await jest('e2e', Math.max(1, availableParallelism() - 1));
  }
} catch (error) {
  errorLine(explain(error));
  counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
}
line();
process.stdout.write(`${summary(counts)}\n`);
process.exitCode = counts.failed > 0 ? 1 : 0;
