import type { Finish } from '@trawl/contracts';
import { platform } from './worker.js';

test('the output of a run is what main.js returns, and null for undefined', async () => {
  expect(await platform.run('module.exports = async input => ({ got: input });', { input: '{"a":1}' })).toMatchObject({
    action: 'end',
    output: '{"got":{"a":1}}',
    error_code: null,
    error_stack: null,
  });
  expect(await platform.run('exports.default = () => {};')).toMatchObject({ action: 'end', output: 'null' });
  expect(
    await platform.run('export default async (input, inputSecret) => inputSecret.n;', { input_secret: '{"n":4}' }),
  ).toMatchObject({ action: 'end', output: '4' });
});

/** Checks the stack of a result: every line with a position must name a file of the user. */
function expectStack(finish: Finish, code: string, ...patterns: (string | RegExp)[]): void {
  expect(finish).toMatchObject({ action: 'error', output: null, error_code: code });
  const stack = finish.error_stack ?? '';
  for (const pattern of patterns) {
    if (typeof pattern === 'string') expect(stack).toContain(pattern);
    else expect(stack).toMatch(pattern);
  }
  expect(stack).not.toMatch(/node:internal|runner\.cjs|skript\.js|runtime-|\/worker\/|\/tmp\//);
}

const FAILURES: [name: string, files: Record<string, string> | string, code: string, ...(string | RegExp)[]][] = [
  [
    'an error thrown in a file beside main.js',
    {
      'main.js':
        "const { parse } = require('./lib/parse.js');\n\nmodule.exports = async () => {\n  return parse(null);\n};",
      'lib/parse.js': 'exports.parse = book => {\n  return book.title;\n};',
    },
    'exception',
    /^TypeError: Cannot read properties of null/,
    /at .*\(?lib\/parse\.js:2:15\)?\n/,
    'main.js:4:10',
  ],
  [
    'an error after an await, with its cause',
    "export default async () => {\n  await null;\n  throw new Error('no page', { cause: new Error('refused') });\n};",
    'exception',
    /^Error: no page\n/,
    'main.js:3:9',
    'caused by Error: refused',
  ],
  [
    'a thrown value that is not an Error',
    "module.exports = async () => {\n  throw 'just text';\n};",
    'exception',
    "not an Error was thrown: 'just text'",
    'at the exported function (main.js:1:18)',
  ],
  [
    'an error while the files are loaded',
    "const pattern = new RegExp('(');\nmodule.exports = async () => pattern;",
    'exception',
    /^SyntaxError: Invalid regular expression/,
    'main.js:1:17',
  ],
  [
    'code that the bundler accepts and Node does not',
    'module.exports = async () => {\n  return 1;\n};\nlabel: { (() => { /(?<a>.)(?<a>.)/; })(); }',
    'exception',
    /^SyntaxError: /,
    'main.js:4:',
  ],
  [
    'an unhandled rejection',
    "module.exports = () => new Promise(() => {\n  Promise.reject(new Error('left alone'));\n  setInterval(() => {}, 1000);\n});",
    'exception',
    /^Unhandled rejection: Error: left alone/,
    'main.js:2:18',
  ],
  [
    'an exception outside the promise',
    "module.exports = () => new Promise(() => {\n  setTimeout(() => {\n    throw new Error('later');\n  }, 1);\n});",
    'exception',
    /^Uncaught exception: Error: later/,
    'main.js:3:11',
  ],
  [
    'a missing library',
    "const _ = require('lodash');\nmodule.exports = () => _;",
    'exception',
    "Cannot find the library 'lodash'",
    'main.js:1:11',
  ],
  [
    'a missing file',
    "const { readFile } = require('node:fs/promises');\nmodule.exports = async () => {\n  await readFile(__dirname + '/prices.csv');\n};",
    'exception',
    /^Error: ENOENT: no such file or directory, open 'prices\.csv'/,
    /main\.js:[23]:/,
  ],
  ['no function exported', 'exports.run = async () => {};', 'not_a_function', 'an object with run', 'main.js:1:1'],
  [
    'a promise that can never settle',
    '// first line\nmodule.exports = async () => {\n  await new Promise(() => {});\n};',
    'promise_never_settled',
    'was never settled',
    'main.js:2:18',
  ],
  [
    'a function in the output',
    'module.exports = async () => ({ items: [{}, {}, {}, { price: () => 4 }] });',
    'output_not_json',
    'output.items[3].price is a function',
    'main.js:1:18',
  ],
  [
    'a BigInt in the output',
    "module.exports = () => ({ 'a b': 4n });",
    'output_not_json',
    'output["a b"] is a BigInt (4n)',
  ],
  [
    'a circular reference in the output',
    'module.exports = () => {\n  const page = { next: {} };\n  page.next.back = page;\n  return page;\n};',
    'output_not_json',
    'output.next.back refers back',
  ],
  [
    'an output that a replaced JSON.stringify nests endlessly',
    "const { stringify } = JSON;\nmodule.exports = () => {\n  JSON.stringify = value => value === 7 ? '['.repeat(1e5) + ']'.repeat(1e5) : stringify(value);\n  return 7;\n};",
    'output_not_json',
    'The output is nested more than 1,000 levels deep',
  ],
  [
    'an output that is too large',
    "module.exports = () => 'x'.repeat(600_000);",
    'output_too_large',
    'The output is 600002 bytes',
    'main.js:1:18',
  ],
  [
    'process.exit',
    'module.exports = async () => {\n  process.exit(3);\n};',
    'process_ended',
    'ended with exit code 3 before main.js returned',
    'main.js:2:11',
  ],
  [
    'a signal',
    "module.exports = async () => {\n  process.kill(process.pid, 'SIGTERM');\n  await new Promise(done => setTimeout(done, 9000));\n};",
    'process_ended',
    'was killed by SIGTERM',
  ],
  [
    'memory that runs out',
    "require('node:v8').setFlagsFromString('--max-old-space-size=30');\nmodule.exports = async () => {\n  const all = [];\n  for (;;) all.push(new Array(10_000).fill(all.length));\n};",
    'memory_limit',
    'needed more than 512 MB of memory. The owner of the worker can change this limit with TRAWL_RUN_MEMORY_MB',
  ],
];

test.each(FAILURES)('%s ends the run with the reason and the position', async (_name, files, code, ...patterns) => {
  expectStack(await platform.run(files), code, ...patterns);
});

const SHORT = { limits: { time_ms: 700, pause_ms: 3_600_000, output_bytes: 1_000 } };

test('the error of a run that reaches its time limit has the position and what the run waits for', async () => {
  const skript = '\nmodule.exports = () => new Promise(done => setTimeout(done, 60_000));';
  expectStack(
    await platform.run(skript, SHORT),
    'time_limit',
    '700 ms (timeout_ms of the start, else',
    'waiting for: Timeout',
    'main.js:2:18',
  );
});

test('the time limit ends a loop that never yields, and keeps the echoes before it', async () => {
  const skript = "module.exports = () => { console.log('one'); console.log('two'); for (;;); };";
  const id = await platform.start(skript, SHORT);
  expectStack(await platform.ended(id), 'time_limit', '700 ms', 'calculating, or in a loop');
  expect((await platform.echoes(id)).map(({ msg }) => msg)).toEqual(['one', 'two']);
});

test('stopping a run notifies the skript, and saves what it then returns as the output', async () => {
  const id = await platform.start(
    "module.exports = () => new Promise(done => {\n  const { eventEmitter } = global.trawl;\n  console.log('up');\n  const timer = setInterval(() => {}, 1000);\n  eventEmitter.on('ff-stop', () => { clearInterval(timer); done('tidy'); });\n});",
  );
  await platform.firstEcho(id);
  expect(await platform.control({ id, cmd_seq: 1, cmd: 'stop' })).toEqual({ cmd_seq: 1, action: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: '"tidy"', error_code: null });
});

test('stopping a run ends a skript that does not react; an older command has no effect', async () => {
  const id = await platform.start(
    "module.exports = () => new Promise(done => { console.log('up'); setTimeout(done, 60_000); });",
  );
  await platform.firstEcho(id);
  expect(await platform.control({ id, cmd_seq: 4, cmd: 'pause' })).toEqual({ cmd_seq: 4, action: 'pause' });
  expect(await platform.control({ id, cmd_seq: 3, cmd: 'stop' })).toEqual({ cmd_seq: 3, action: 'pause' });
  expect(await platform.control({ id, cmd_seq: 5, cmd: 'stop' })).toEqual({ cmd_seq: 5, action: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: null, error_code: null });
});

test('stopping a run ends it even while its bundle is still loading', async () => {
  const id = await platform.start('module.exports = () => new Promise(() => setInterval(() => {}, 1000));');
  await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: null, error_code: null });
});

test('a run fails if its bundle is missing', async () => {
  expectStack(await platform.run('exports.a = 1;', { bundle: 'unknown' }), 'bundle_unavailable', 'answered 404');
});

test('the worker refuses a run in an environment that it does not have', async () => {
  await expect(platform.start('exports.a = 1;', { environment: 'python' })).rejects.toThrow('environment');
});
