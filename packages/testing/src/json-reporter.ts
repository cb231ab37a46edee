import { resolve } from 'node:path';

interface TestEvent {
  type: string;
  data: {
    name: string;
    file?: string;
    /** Text of `test:stderr`. */
    message?: string;
    skip?: string | boolean;
    todo?: string | boolean;
    details?: { type?: string; error?: TestError };
  };
}

/** The error that Node reports. The error of the test is its cause. */
interface TestError {
  message?: string;
  cause?: unknown;
  failureType?: string;
}

/** Most characters of a file's errors that are kept: the last ones, because a file that fails to load ends with them. */
const MAX_STDERR_CHARS = 20_000;

/** Newer versions of Node do not report tests that the pattern leaves out. */
const FILTERED = 'test name does not match pattern';

/** Reports the tests of `node --test` as one JSON value, for `trawl test --json`. */
async function* jsonReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const tests: object[] = [];
  const written = new Map<string, string>();
  for await (const { type, data } of events) {
    const file = resolve(data.file ?? '');
    if (type === 'test:stderr') written.set(file, ((written.get(file) ?? '') + data.message).slice(-MAX_STDERR_CHARS));
    if ((type !== 'test:pass' && type !== 'test:fail') || isSuiteOfTests(type, data) || data.skip === FILTERED)
      continue;
    const isLeftOut = data.skip !== undefined || data.todo !== undefined;
    const state = isLeftOut ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    // Node does not know why a file failed while it loaded. The file's process has written the error.
    const own = resolve(data.name) === file ? written.get(file)?.trim() : '';
    const error = state === 'failed' ? { error: own || textOf(data.details?.error) } : {};
    tests.push({ name: data.name, file: data.file ?? '', state, ...error });
  }
  yield JSON.stringify(tests);
}

/** A suite is reported only if it fails by itself, such as in `describe` or in a hook. */
const isSuiteOfTests = (type: string, { details }: TestEvent['data']): boolean =>
  details?.type === 'suite' && (type === 'test:pass' || details.error?.failureType === 'subtestsFailed');

function textOf(error: TestError | undefined): string {
  const { cause } = error ?? {};
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? error?.message);
}

export = jsonReporter;
