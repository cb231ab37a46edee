import { fileNameProblem, foldersOf, INPUT_NAME, INPUT_SECRET_NAME } from './names.js';

test.each(['main.js', 'lib/parse.js', 'package.json', 'data/input.json', 'Größe.js', '.env', 'howto.md'])(
  'a file may be named %s',
  name => {
    expect(fileNameProblem(name)).toBeNull();
  },
);

test.each([
  '',
  '/etc/passwd',
  '../x.js',
  'lib/../../x.js',
  './main.js',
  'lib//x.js',
  'lib/',
  'lib\\x.js',
  'a\0.js',
  'C:x.js',
  'x.js.',
  'x'.repeat(201),
])('no file is named %j', name => {
  expect(fileNameProblem(name)).not.toBeNull();
});

test.each(['input.json', 'inputSecret.json', 'inputSecret-shop.json', 'INPUTSECRET.JSON'])(
  'a value for runs is not kept as a file: %s',
  name => expect(fileNameProblem(name)).toContain('input'),
);

test('inputs and input secrets are told apart by their names', () => {
  expect(INPUT_NAME.test('input-books.json')).toBe(true);
  expect(INPUT_NAME.test('inputSecret.json')).toBe(false);
  expect(INPUT_NAME.test('input/../x.json')).toBe(false);
  expect(INPUT_SECRET_NAME.test('inputSecret.json')).toBe(true);
  expect(INPUT_SECRET_NAME.test('input.json')).toBe(false);
});

test('the folders of a name are all it stands in', () => {
  expect(foldersOf('a/b/c.js')).toEqual(['a', 'a/b']);
  expect(foldersOf('main.js')).toEqual([]);
});
