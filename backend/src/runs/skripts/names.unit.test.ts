import { fileNameProblem, foldersOf, INPUT_NAME, INPUT_SECRET_NAME, TakenNames } from './names.js';

test.each([
  'main.js',
  'lib/parse.js',
  'package.json',
  'data/input.json',
  'Größe.js',
  '.env',
  'howto.md',
  'data/manifest.json',
  'console.js',
  'com10.js',
  'input.js',
])('a skript’s file may be named %s', name => {
  expect(fileNameProblem(name)).toBeNull();
});

test.each([
  '',
  '/etc/passwd',
  '../x.js',
  'lib/../../x.js',
  './main.js',
  'lib//x.js',
  'lib/',
  'lib\\x.js',
  '\\\\host\\x.js',
  'a\0.js',
  'a\n.js',
  'a\u0085.js',
  'a\u2028.js',
  'a\u202esj.exe',
  'a\u2066.js',
  'a\u200f.js',
  'a\ud800.js',
  'C:x.js',
  'x.js.',
  'lib /x.js',
  'x'.repeat(201),
  `${'a/'.repeat(21)}x.js`,
  'con',
  'NUL.txt',
  'lib/Com1.js',
  'aux/x.js',
  'manifest.json',
  'Manifest.JSON',
])('a skript’s file may not be named %j', name => {
  expect(fileNameProblem(name)).not.toBeNull();
});

test.each(['input.json', 'INPUT-books.JSON'])('the name of an input is refused for a file: %s', name =>
  expect(fileNameProblem(name)).toContain('inputs of the skript'),
);

test.each([
  'inputSecret.json',
  'INPUTSECRET.JSON',
  'inputsecret',
  'inputSecrets.js',
  'lib/inputSecret.json',
  'InputSecret/x.js',
])('the name of an input secret is refused for a file: %s', name =>
  expect(fileNameProblem(name)).toContain('input secrets of the skript'),
);

test('a valid name of an input secret is no valid name of an input, and the other way round', () => {
  expect(INPUT_NAME.test('input-books.json')).toBe(true);
  for (const name of ['inputSecret.json', 'inputsecret.json', 'inputSECRET-a.json', 'input/../x.json', 'x-input.json'])
    expect([name, INPUT_NAME.test(name)]).toEqual([name, false]);
  expect(INPUT_SECRET_NAME.test('inputSecret.json')).toBe(true);
  expect(INPUT_SECRET_NAME.test('input.json')).toBe(false);
});

test('the parent folders of a path are listed, outermost first', () => {
  expect(foldersOf('a/b/c.js')).toEqual(['a', 'a/b']);
  expect(foldersOf('main.js')).toEqual([]);
});

test.each([
  ['main.js', 'MAIN.js'],
  ['lib/x.js', 'lib'],
  ['lib/x.js', 'LIB'],
  ['lib', 'lib/x.js'],
  ['Lib', 'lib/deep/x.js'],
  ['Lib/a.js', 'lib/b.js'],
  ['a/Lib/a.js', 'a/lib/b.js'],
  ['Größe.js', 'GRÖSSE.js'.replace('SS', 'ß')],
  ['\u00e9.js', 'e\u0301.js'],
])('a skript cannot have both %s and %s', (one, other) => {
  expect(new TakenNames(['x.js', one]).add(other)).toBe(one);
});

test('a skript may have several files in a folder, and folders next to files with similar names', () => {
  const names = ['lib/a.js', 'lib/b.js', 'lib.js', 'lib/a/x.js'.replace('/a/', '/c/'), 'main.js', 'a/lib/a.js'];
  const taken = new TakenNames();
  expect(names.map(name => taken.add(name))).toEqual(names.map(() => undefined));
});
