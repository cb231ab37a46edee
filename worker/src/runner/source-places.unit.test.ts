import { bundleOf } from '../../test/skript-bundle.js';
import { SourcePlaces } from './source-places.js';

const FILES = {
  'main.js': "import { parse } from './lib/parse.js';\n\nexport default async () => parse();\n",
  'lib/parse.js': "export function parse() {\n  throw new Error('MARK');\n}\n",
};

function placeOf(code: string, text: string): { line: number; column: number } {
  const before = code.slice(0, code.indexOf(text)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

test('a place in the bundle is named by the file, line and column that the user wrote', async () => {
  const { code } = await bundleOf(FILES);
  const places = new SourcePlaces(code);
  const { line, column } = placeOf(code, 'new Error');
  expect(line).not.toBe(2);
  expect(places.find(line, column)).toEqual({ file: 'lib/parse.js', line: 2, column: 9 });
  const call = placeOf(code, 'parse();');
  expect(places.find(call.line, call.column)).toEqual({ file: 'main.js', line: 3, column: 28 });
});

test('code that the bundler added has no place in a file of the user', async () => {
  const { code } = await bundleOf(FILES);
  expect(new SourcePlaces(code).find(1, 1)).toBeNull();
});

test('a bundle without a map names no places and breaks nothing', () => {
  expect(new SourcePlaces('module.exports = 1;').find(1, 1)).toBeNull();
});
