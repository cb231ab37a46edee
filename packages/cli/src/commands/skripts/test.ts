import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure, Interrupted } from '../../failure.js';
import { hasTests, runTests } from '../../local-run/run-tests.js';
import { recordFile, recordsIn } from '../../records/saved-records.js';
import { testRecords } from '../../records/test-records.js';
import { findFolder } from '../../skript-folder/find-folder.js';

export interface TestOptions {
  skript?: string;
  /** Runs only tests whose names match this regular expression. */
  name?: string;
}

/**
 * Runs the tests of a skript and replays its records: those in files whose path contains one of the given texts, or else
 * all.
 */
export default async function test(named: string[], options: TestOptions, context: Context): Promise<void> {
  const { output } = context;
  const folder = await findFolder(options.skript);
  const records = options.name === undefined ? await recordsNamed(folder, named) : [];
  const isOnlyRecords = records.length > 0 && !(await hasTests(folder, named));
  const { code, isStopped, tests } = isOnlyRecords
    ? { code: 0, isStopped: false, tests: output.isJson ? [] : undefined }
    : await runTests(folder, named, options.name, output);
  const replayed = isStopped ? [] : await testRecords(folder, records, context);
  if (tests) {
    const all = [...tests, ...replayed];
    const count = (state: string) => all.filter(one => one.state === state).length;
    output.result({ passed: count('passed'), failed: count('failed'), skipped: count('skipped'), tests: all });
  }
  if (isStopped) throw new Interrupted();
  if (code !== 0 || replayed.some(({ state }) => state === 'failed')) throw new Failure('Tests failed.', EXIT.failed);
}

/** Returns the records of a skript whose path contains one of the texts; all if there are no texts. */
async function recordsNamed(folder: string, named: readonly string[]): Promise<string[]> {
  const names = await recordsIn(folder);
  return named.length === 0 ? names : names.filter(name => named.some(text => recordFile(name).includes(text)));
}
