import { resolveImport } from './bundle-files.js';
import { toProblem } from './bundle-problems.js';

const files = new Map(
  ['main.js', 'lib/x.js', 'lib/index.js', 'data.json', 'style.css', 'Readme.js', 'package.json'].map(name => [
    name,
    '',
  ]),
);
const resolve = (specifier: string, importer = 'main.js') =>
  resolveImport(specifier, importer, files, ['csv-parse', '@trawl/echo']);

test.each([
  ['./lib/x.js', 'main.js', 'lib/x.js'],
  ['./lib/x', 'main.js', 'lib/x.js'],
  ['./lib', 'main.js', 'lib/index.js'],
  ['.', 'lib/x.js', 'lib/index.js'],
  ['../data.json', 'lib/x.js', 'data.json'],
  ['./package.json', 'main.js', 'package.json'],
])('%s in %s*.js is a file of the skript', (specifier, importer, file) => {
  expect(resolve(specifier, importer)).toEqual({ file });
});

test.each(['fs', 'node:fs/promises', 'csv-parse', 'csv-parse/sync', '@trawl/echo'])(
  '%s is there in every run',
  specifier => {
    expect(resolve(specifier)).toEqual({ external: specifier });
  },
);

test.each([
  ['/etc/passwd', 'path of the machine'],
  ['C:\\x.js', 'path of the machine'],
  ['../../x.js', 'leads out of the skript'],
  ['..', 'leads out of the skript'],
  ['./missing', 'no file missing'],
  ['./readme.js', 'Readme.js: upper and lower case count'],
  ['./style.css', 'cannot be imported'],
  ['https://example.com/x.js', 'is an address'],
  ['data:text/javascript,1', 'is an address'],
  ['file:///etc/passwd', 'is an address'],
  ['lib/x', 'write ./lib/x.js'],
  ['left-pad', 'The library left-pad is not part of what every run has (csv-parse, @trawl/echo'],
  ['csv-parser', 'The library csv-parser'],
])('%s is refused with what to do', (specifier, message) => {
  expect(resolve(specifier)).toEqual({ problem: expect.stringContaining(message) });
});

test('a problem names the place as an editor counts it, not in bytes', () => {
  const lineText = 'const é = "é"; let x = 3 x';
  expect(
    toProblem({
      text: 'Expected ";" but found "x"',
      location: { file: 'skript:main.js', line: 3, column: 27, lineText },
    }),
  ).toEqual({
    message: 'Expected ";" but found "x"',
    file: 'main.js',
    line: 3,
    column: 26,
    line_text: lineText,
  });
});
