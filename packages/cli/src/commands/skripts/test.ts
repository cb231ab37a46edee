import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure, Interrupted } from '../../failure.js';
import { runTests } from '../../local-run/run-tests.js';
import { findFolder } from '../../skript-folder/find-folder.js';

export interface TestOptions {
  skript?: string;
  /** Runs only tests whose names match this regular expression. */
  name?: string;
}

/** Runs the tests of a skript: those in files whose path contains one of the given texts, or else all. */
export default async function test(named: string[], options: TestOptions, { output }: Context): Promise<void> {
  const folder = await findFolder(options.skript);
  const { code, isStopped, tests } = await runTests(folder, named, options.name, output);
  if (tests) {
    const count = (state: string) => tests.filter(one => one.state === state).length;
    output.result({ passed: count('passed'), failed: count('failed'), skipped: count('skipped'), tests });
  }
  if (isStopped) throw new Interrupted();
  if (code !== 0) throw new Failure('Tests failed.', EXIT.failed);
}
