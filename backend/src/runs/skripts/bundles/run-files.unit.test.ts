import { runFilesOf } from './run-files.js';

const namesOf = (names: string[], imported: string[] = []) =>
  runFilesOf(
    names.map(name => ({ name, content: '' })),
    imported,
  ).map(({ name }) => name);

test('a run gets all files of the skript except the code that is already in the bundle', () => {
  const names = ['main.js', 'lib/parse.js', 'lib/child.js', 'data.json', 'cookies.json', 'pages/empty.html', 'x.csv'];
  expect(namesOf(names, ['main.js', 'lib/parse.js'])).toEqual([
    'lib/child.js',
    'data.json',
    'cookies.json',
    'pages/empty.html',
    'x.csv',
  ]);
});

test('a run gets no file with secrets, whatever its folder or case', () => {
  const secrets = ['inputSecret.json', 'lib/InputSecret-shop.json', 'dex8auth.json', 'a/DEX8AUTH.JSON'];
  expect(namesOf([...secrets, '.env', 'conf/.env.local', '.npmrc', '.git/config', 'env.txt'])).toEqual(['env.txt']);
});

test('a run gets package.json and howto files, but no file that is named tmp', () => {
  const names = ['package.json', 'howto.md', 'howto.html', 'lib/package.json'];
  expect(namesOf([...names, 'tmp'])).toEqual(names);
});
