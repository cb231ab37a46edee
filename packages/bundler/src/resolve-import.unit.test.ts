import { toProblem } from './bundle-problems.js';
import { resolveImport } from './resolve-import.js';
import { disarmMapComments } from './source-map-comments.js';

const files = new Map(
  ['main.js', 'lib/x.js', 'lib/index.js', 'data.json', 'style.css', 'Readme.js', 'package.json'].map(name => [
    name,
    '',
  ]),
);
const resolve = (specifier: string, importer = 'main.js') =>
  resolveImport(specifier, importer, { files, libraries: ['csv-parse', '@trawl/echo'], pathsOf: () => [] });

test.each([
  ['./lib/x.js', 'main.js', 'lib/x.js'],
  ['./lib/x', 'main.js', 'lib/x.js'],
  ['./lib', 'main.js', 'lib/index.js'],
  ['.', 'lib/x.js', 'lib/index.js'],
  ['../data.json', 'lib/x.js', 'data.json'],
  ['./package.json', 'main.js', 'package.json'],
])('an import of %s in %s finds a file of the skript', (specifier, importer, file) => {
  expect(resolve(specifier, importer)).toEqual({ file });
});

test.each(['fs', 'node:fs/promises', 'node:sqlite', 'csv-parse', 'csv-parse/sync', '@trawl/echo'])(
  'an import of %s is left to the run, which provides the module',
  specifier => {
    expect(resolve(specifier)).toEqual({ external: specifier });
  },
);

test.each([
  ['/etc/passwd', 'is an absolute path'],
  ['C:\\x.js', 'is an absolute path'],
  ['../../x.js', 'is outside the skript'],
  ['..', 'is outside the skript'],
  ['./missing', 'no file missing'],
  ['./readme.js', 'Did you mean Readme.js?'],
  ['./style.css', 'cannot be imported'],
  ['https://example.com/x.js', 'is a URL'],
  ['data:text/javascript,1', 'is a URL'],
  ['file:///etc/passwd', 'is a URL'],
  ['lib/x', 'write ./lib/x.js'],
  ['left-pad', 'Available without it: csv-parse, @trawl/echo'],
  ['csv-parser', 'The library csv-parser'],
  ['@scope/parser/lib/x', 'Run npm install @scope/parser, or add it to dependencies in package.json with the version'],
  ['lodash/chunk', 'The older platform had { "dependencies": { "lodash": "^4.17.21" } }.'],
])('an import of %s is refused with advice', (specifier, message) => {
  expect(resolve(specifier)).toEqual({ problem: expect.stringContaining(message) });
});

test('a build error counts columns in characters, as editors do, not in bytes', () => {
  const lineText = 'const é = "é"; let x = 3 x';
  expect(
    toProblem(
      {
        text: 'Expected ";" but found "x"',
        location: { file: 'skript:main.js', line: 3, column: 27, lineText },
      },
      files,
    ),
  ).toEqual({
    message: 'Expected ";" but found "x"',
    file: 'main.js',
    line: 3,
    column: 26,
    line_text: lineText,
  });
});

test.each([
  [null],
  [{ file: '/etc/shadow', line: 1, column: 0, lineText: 'root:secret' }],
  [{ file: 'skript:other.js', line: 1, column: 0, lineText: 'root:secret' }],
])('a build error outside the skript’s files reveals nothing about its location: %j', location => {
  const shown = toProblem({ text: 'Expected "{" in /etc/shadow but found "root"', location }, files);
  expect(shown).toMatchObject({ file: null, line: null, column: null, line_text: null });
  expect(JSON.stringify(shown)).not.toMatch(/shadow|root|secret|other/);
});

test('a sourceMappingURL comment has no effect, and stays the same in strings and build errors', () => {
  const text = '"//# sourceMappingURL=x" + y z';
  const disarmed = disarmMapComments(text);
  expect(disarmed).toBe('"//# sourceMappin\\u0067URL=x" + y z');
  expect(JSON.parse(disarmed.slice(0, -6))).toBe('//# sourceMappingURL=x');
  const location = { file: 'skript:main.js', line: 1, column: disarmed.indexOf('z'), lineText: disarmed };
  expect(toProblem({ text: 'Expected', location }, files)).toMatchObject({
    line_text: text,
    column: text.indexOf('z') + 1,
  });
});
