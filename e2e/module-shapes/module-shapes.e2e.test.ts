import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { trawl } from '../harness/hosted-trawl.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { SHAPES, type Shape } from './shapes.js';

const platform = sharedPlatform();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-shapes-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the skript on this computer. */
async function local(files: Shape['files']): Promise<{ action: string; output: unknown; error_stack: string | null }> {
  for (const [name, content] of Object.entries({ 'manifest.json': '{ "title": "Shape" }', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const { stdout, stderr } = await trawl(['start', '--json'], { cwd: folder });
  return stdout === '' ? { action: 'none', output: null, error_stack: stderr } : JSON.parse(stdout);
}

const shown = ({ action, output, error_stack }: { action: string; output: unknown; error_stack: string | null }) => ({
  action,
  output,
  error_stack,
});

test.each(Object.entries(SHAPES))('%s gives the same output on the platform and on a computer', async (name, shape) => {
  const ended = { action: 'end', output: shape.output, error_stack: null };
  const id = await platform.skript(`Shape: ${name}`.slice(0, 100), shape.files);
  const { body } = await platform.startRun(id, undefined, 60_000);
  const onPlatform = body.error_code && !body.action ? { ...body, error_stack: body.error_message } : body;
  expect([shown(onPlatform), shown(await local(shape.files))]).toEqual([ended, ended]);
});

const FAILING: Record<string, string> = {
  'main.ts':
    "import { fail } from './lib/fail';\ninterface A {\n  b: string;\n}\nexport default (a: A): string => fail(a);\n",
  'lib/fail.ts': '\nexport function fail(of?: object): string {\n  throw new RangeError(String(of));\n}\n',
};

test.each([
  ['TypeScript', FAILING],
  ['TypeScript with await at the top', { ...FAILING, 'main.ts': `${FAILING['main.ts']}await null;\n` }],
])('an error in %s names the lines as they were written, on the platform and on a computer', async (name, files) => {
  const id = await platform.skript(`Fails: ${name}`, files);
  const { body } = await platform.startRun(id, undefined, 60_000);
  const stack = 'RangeError: undefined\n    at fail (lib/fail.ts:3:9)\n    at main_default (main.ts:5:34)';
  expect(body).toMatchObject({ action: 'error', error_stack: expect.stringContaining(stack) });
  expect((await local(files)).error_stack).toContain(stack);
});

test('a skript with several files in which a run could start is refused with their names', async () => {
  const files = { 'main.js': 'module.exports = () => 1;', 'main.ts': 'export default () => 1;' };
  const { body } = await platform.startRun(await platform.skript('Two starts', files), undefined, 60_000);
  const message = 'The skript has main.js and main.ts, but a run starts in one file. Remove or rename the others.';
  expect(body).toMatchObject({ error_code: 'bundle_failed', error_message: expect.stringContaining(message) });
  expect((await local(files)).error_stack).toContain(message);
});

test('a local run refuses a library that package.json does not name, as the platform does', async () => {
  const files = { 'main.mjs': "import pad from 'left-pad';\nexport default () => pad;" };
  const { body } = await platform.startRun(await platform.skript('No such library', files), undefined, 60_000);
  expect(body.error_message).toContain('The library left-pad is not available.');
  expect((await local(files)).error_stack).toContain('The library left-pad is not available.');
});
