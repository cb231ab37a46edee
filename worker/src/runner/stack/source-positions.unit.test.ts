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

test('a position in the bundle is mapped to the file, line and column of the skript', async () => {
  const { code } = await bundleOf(FILES);
  const positions = new SourcePositions(code);
  const { line, column } = placeOf(code, 'new Error');
  expect(line).not.toBe(2);
  expect(positions.find(line, column)).toEqual({ file: 'lib/parse.js', line: 2, column: 9 });
  const call = placeOf(code, 'parse();');
  expect(positions.find(call.line, call.column)).toEqual({ file: 'main.js', line: 3, column: 28 });
});

test('a position in code that the bundler added is mapped to no file of the skript', async () => {
  const { code } = await bundleOf(FILES);
  expect(new SourcePositions(code).find(1, 1)).toBeNull();
});

test('a position in a bundle without a source map is mapped to no file of the skript', () => {
  expect(new SourcePositions('module.exports = 1;').find(1, 1)).toBeNull();
});
