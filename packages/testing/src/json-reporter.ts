interface TestEvent {
  type: string;
  data: {
    name: string;
    file?: string;
    skip?: string | boolean;
    todo?: string | boolean;
    details?: { type?: string; error?: { message?: string; cause?: unknown } };
  };
}

/** Reports the tests of `node --test` as one JSON value, for `trawl test --json`. */
async function* jsonReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const tests: object[] = [];
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    const isLeftOut = data.skip !== undefined || data.todo !== undefined;
    const state = isLeftOut ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    const error = state === 'failed' ? { error: textOf(data.details?.error) } : {};
    tests.push({ name: data.name, file: data.file ?? '', state, ...error });
  }
  yield JSON.stringify(tests);
}

/** The error of the test is the cause of the error that Node reports. */
function textOf(error: { message?: string; cause?: unknown } | undefined): string {
  const { cause } = error ?? {};
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? error?.message);
}

export = jsonReporter;
