import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
let count = 0;

let plain: string;

beforeAll(async () => {
  plain = await platform.skript('plain', { 'main.js': 'module.exports = async input => input' });
});

/** Checks after every test that the mistake has no effect on the next run. */
afterEach(async () => {
  expect(await platform.startRun(plain, ++count)).toMatchObject({
    status: 200,
    body: { action: 'end', output: count },
  });
});

const run = async (files: Record<string, string>, settings: object = {}) =>
  platform.startRun(await platform.skript(`mistake ${++count}`, files, settings));

const ended = async (main: string, settings: object = {}) => (await run({ 'main.js': main }, settings)).body;

describe('the platform refuses to start a skript', () => {
  it('without main.js, and the error names the missing file', async () => {
    const { status, body } = await run({ 'lib/other.js': 'module.exports = 1' });
    expect([status, body.error_code]).toEqual([422, 'main_missing']);
    expect(body.error_message).toContain('main.js');
  });

  it('with a syntax error, and the error names the file, line and column', async () => {
    const { status, body } = await run({ 'main.js': 'module.exports = async () => {\n  const a = ;\n};\n' });
    expect([status, body.error_code]).toEqual([422, 'bundle_failed']);
    expect(body.error_message).toMatch(/main\.js:2:1[23]/);
    expect(body.details).toMatchObject([{ file: 'main.js', line: 2, line_text: '  const a = ;' }]);
  });

  it('with an unknown library, and the error names the library and the line that requires it', async () => {
    const main = "const parse = require('./lib/parse.js');\nmodule.exports = parse;\n";
    const { status, body } = await run({
      'main.js': main,
      'lib/parse.js': "\n\nmodule.exports = require('left-pad');\n",
    });
    expect([status, body.error_code]).toEqual([422, 'bundle_failed']);
    expect(body.error_message).toContain('lib/parse.js:3:');
    expect(body.error_message).toContain('left-pad');
  });
});

describe('the error of a failed run', () => {
  it('names file and line of an exception, also if another file than main.js throws it', async () => {
    const { body } = await run({
      'main.js': "const parse = require('./lib/parse.js');\nmodule.exports = async () => parse(null);\n",
      'lib/parse.js': 'module.exports = page => {\n  return page.title;\n};\n',
    });
    expect(body).toMatchObject({ action: 'error', error_code: 'exception' });
    expect(body.error_stack).toContain('lib/parse.js:2:15');
    expect(body.error_stack).toContain('main.js:2:');
    expect(body.error_stack).not.toMatch(/node:internal|\/tmp\/|runtime/);
  });

  it('names file and line of a promise that can never settle', async () => {
    const execution = await ended(
      '\nmodule.exports = async function forever() {\n  await new Promise(() => {});\n};\n',
    );
    expect(execution).toMatchObject({ action: 'error', error_code: 'promise_never_settled' });
    expect(execution.error_stack).toMatch(/main\.js:2/);
  });

  it('names the time limit and the line when a timer keeps the process alive until the limit', async () => {
    const execution = await ended('\nmodule.exports = () => new Promise(() => setInterval(() => {}, 1000));\n', {
      time_limit_ms: 1_000,
    });
    expect(execution).toMatchObject({ action: 'error', error_code: 'time_limit' });
    expect(execution.error_stack).toMatch(/1,?000 ms/);
    expect(execution.error_stack).toMatch(/main\.js:2/);
  });

  it('names the part of an output that is not JSON, and the file and line', async () => {
    const execution = await ended('module.exports = async () => ({ items: [{ price: 1 }, { price: 10n }] });\n');
    expect(execution).toMatchObject({ action: 'error', error_code: 'output_not_json' });
    expect(execution.error_stack).toContain('items[1].price');
    expect(execution.error_stack).toMatch(/main\.js:1/);
  });

  it('distinguishes a missing function, an exception in a timer, and a process exit', async () => {
    expect(await ended('module.exports = { a: 1 };\n')).toMatchObject({ error_code: 'not_a_function' });
    const outside = await ended(
      'module.exports = () => new Promise(() => {\n  setTimeout(() => { throw new Error("late") }, 1);\n});\n',
    );
    expect(outside).toMatchObject({ error_code: 'exception', error_stack: expect.stringContaining('main.js:2:') });
    expect(await ended('module.exports = () => process.exit(3);\n')).toMatchObject({
      error_code: 'process_ended',
      error_stack: expect.stringContaining('3'),
    });
  });
});
