// @ts-check
// `npm test` installs the packages, builds everything and runs all checks and tests. The last line that it prints has
// the counts. `npm test -- PATH …` runs only the tests below these paths. `npm run test:changed` runs the tests that
// may be affected by the changes since main. `npm run test:full` runs everything, and the whole of each soak test.
// Options such as `--shard=1/3` are passed to Jest.
import { availableParallelism } from 'node:os';
import { build, buildWithoutPages } from './common/build.mjs';
import { install } from './common/install.mjs';
import { checkNodeVersion } from './common/node-version.mjs';
import { explain } from './common/problem.mjs';
import { killTasks } from './common/tasks.mjs';
import { errorLine, line, paint } from './common/terminal.mjs';
import { oldBrowser, pinnedVersion } from './dependencies/browser-age.mjs';
import { check, failedChecks, npmCheck, workspaceChecks } from './test/checks.mjs';
import { addCounts, NONE, summary } from './test/counts.mjs';
import { jest } from './test/jest.mjs';

/** @typedef {import('./test/counts.mjs').Counts} Counts */

/**
 * Number of test files that run at the same time. It is three more than there are cores, because most integration and
 * end-to-end tests wait for other processes.
 */
const FILES_AT_ONCE = availableParallelism() + 3;

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

const args = process.argv.slice(2);
const isPart = args.some(arg => !arg.startsWith('-') || arg.startsWith('--changedSince'));

/** @type {Counts} */
let counts = NONE;
try {
  checkNodeVersion();
  await install();
  counts = await (isPart ? part() : everything());
} catch (error) {
  errorLine(explain(error));
  counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
}
for (const label of failedChecks) errorLine(`Failed: ${label}. Its message is further up.`);
line();
process.stdout.write(`${summary(counts)}\n`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/**
 * Runs only some of the tests. The website, the panel and the compiled test harness are built only for end-to-end
 * tests.
 */
async function part() {
  const needsSite = args.some(arg => arg.includes('e2e') || arg.startsWith('--changedSince'));
  await (needsSite ? build() : buildWithoutPages());
  return jest('Tests', ['--maxWorkers', String(FILES_AT_ONCE), ...args]);
}

/**
 * Runs all checks and tests. The build, lint, and the unit and component tests run at the same time. After them, the
 * tests that need the build run on all cores.
 */
async function everything() {
  const shard = args.some(arg => arg.startsWith('--shard'));
  const [built, ...first] = await Promise.all([
    check('Building', build),
    npmCheck('Checking style, imports and documents', 'lint'),
    jest('Unit and component tests', [
      ...['--selectProjects', 'unit', 'component'],
      ...['--maxWorkers', shard ? '1' : '2'],
      ...args,
    ]),
  ]);
  const counted = [built, ...first].reduce(addCounts);
  if (built.failed > 0) return counted;
  // Only a warning: time must not break the tests. A weekly workflow fails once npm has a newer one.
  const old = await oldBrowser(pinnedVersion());
  if (old) line(`${paint.warn('!')} ${old}`);
  const rest = await Promise.all([
    npmCheck('Checking types', 'types').then(async types => addCounts(types, await workspaceChecks())),
    jest('Integration and end-to-end tests', [
      ...['--selectProjects', 'integration', 'e2e'],
      ...['--maxWorkers', String(FILES_AT_ONCE)],
      ...args,
    ]),
  ]);
  return [counted, ...rest].reduce(addCounts);
}
