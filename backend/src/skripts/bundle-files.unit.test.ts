import { resolveImport } from './bundle-files.js';
import { toProblem } from './bundle-problems.js';
import { withoutMapComments } from './map-comments.js';

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
  ['left-pad', 'The library left-pad is not among those at hand (csv-parse, @trawl/echo'],
  ['csv-parser', 'The library csv-parser'],
])('%s is refused with what to do', (specifier, message) => {
  expect(resolve(specifier)).toEqual({ problem: expect.stringContaining(message) });
});

test('a problem names the place as an editor counts it, not in bytes', () => {
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
])('a problem outside the skript’s files shows nothing of its place: %j', location => {
  const shown = toProblem({ text: 'Expected "{" in /etc/shadow but found "root"', location }, files);
  expect(shown).toMatchObject({ file: null, line: null, column: null, line_text: null });
  expect(JSON.stringify(shown)).not.toMatch(/shadow|root|secret|other/);
});

test('a comment that names a source map is disarmed, shown as it was written, and means the same as text', () => {
  const text = '"//# sourceMappingURL=x" + y z';
  const disarmed = withoutMapComments(text);
  expect(disarmed).toBe('"//# sourceMappin\\u0067URL=x" + y z');
  expect(JSON.parse(disarmed.slice(0, -6))).toBe('//# sourceMappingURL=x');
  const location = { file: 'skript:main.js', line: 1, column: disarmed.indexOf('z'), lineText: disarmed };
  expect(toProblem({ text: 'Expected', location }, files)).toMatchObject({
    line_text: text,
    column: text.indexOf('z') + 1,
  });
});
