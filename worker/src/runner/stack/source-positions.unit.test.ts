import { bundleOf } from '../../../test/skript-bundle.js';
import { SourcePositions } from './source-positions.js';

const FILES = {
  'main.js': "import { parse } from './lib/parse.js';\n\nexport default async () => parse();\n",
  'lib/parse.js': "export function parse() {\n  throw new Error('MARK');\n}\n",
};

function placeOf(code: string, text: string): { line: number; column: number } {
  const before = code.slice(0, code.indexOf(text)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

test('maps a position in the bundle to file, line and column of the user', async () => {
  const { code } = await bundleOf(FILES);
  const positions = new SourcePositions(code);
  const { line, column } = placeOf(code, 'new Error');
  expect(line).not.toBe(2);
  expect(positions.find(line, column)).toEqual({ file: 'lib/parse.js', line: 2, column: 9 });
  const call = placeOf(code, 'parse();');
  expect(positions.find(call.line, call.column)).toEqual({ file: 'main.js', line: 3, column: 28 });
});

test('returns null for code that the bundler added', async () => {
  const { code } = await bundleOf(FILES);
  expect(new SourcePositions(code).find(1, 1)).toBeNull();
});

test('returns null for a bundle without a source map', () => {
  expect(new SourcePositions('module.exports = 1;').find(1, 1)).toBeNull();
});
