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
])('allows the file name %s', name => {
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
])('refuses the file name %j', name => {
  expect(fileNameProblem(name)).not.toBeNull();
});

test.each(['input.json', 'INPUT-books.JSON'])('an input is not allowed as a file: %s', name =>
  expect(fileNameProblem(name)).toContain('inputs of the skript'),
);

test.each([
  'inputSecret.json',
  'INPUTSECRET.JSON',
  'inputsecret',
  'inputSecrets.js',
  'lib/inputSecret.json',
  'InputSecret/x.js',
])('an input secret is not allowed as a file: %s', name =>
  expect(fileNameProblem(name)).toContain('input secrets of the skript'),
);

test('distinguishes inputs and input secrets by name', () => {
  expect(INPUT_NAME.test('input-books.json')).toBe(true);
  for (const name of ['inputSecret.json', 'inputsecret.json', 'inputSECRET-a.json', 'input/../x.json', 'x-input.json'])
    expect([name, INPUT_NAME.test(name)]).toEqual([name, false]);
  expect(INPUT_SECRET_NAME.test('inputSecret.json')).toBe(true);
  expect(INPUT_SECRET_NAME.test('input.json')).toBe(false);
});

test('lists all parent folders of a path', () => {
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
])('%s and %s collide', (one, other) => {
  expect(new TakenNames(['x.js', one]).add(other)).toBe(one);
});

test('siblings do not collide, and neither do folders beside files', () => {
  const names = ['lib/a.js', 'lib/b.js', 'lib.js', 'lib/a/x.js'.replace('/a/', '/c/'), 'main.js', 'a/lib/a.js'];
  const taken = new TakenNames();
  expect(names.map(name => taken.add(name))).toEqual(names.map(() => undefined));
});
