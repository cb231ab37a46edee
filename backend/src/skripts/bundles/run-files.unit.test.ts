import { runFilesOf } from './run-files.js';

const namesOf = (names: string[], imported: string[] = []) =>
  runFilesOf(
    names.map(name => ({ name, content: '' })),
    imported,
  ).map(({ name }) => name);

test('runs get the files that no import reaches, in any folder', () => {
  const names = ['main.js', 'lib/parse.js', 'lib/child.js', 'data.json', 'cookies.json', 'pages/empty.html', 'x.csv'];
  expect(namesOf(names, ['main.js', 'lib/parse.js', 'data.json'])).toEqual([
    'lib/child.js',
    'cookies.json',
    'pages/empty.html',
    'x.csv',
  ]);
});

test('runs get no file with secrets, whatever its folder or case', () => {
  const secrets = ['inputSecret.json', 'lib/InputSecret-shop.json', 'dex8auth.json', 'a/DEX8AUTH.JSON'];
  expect(namesOf([...secrets, '.env', 'conf/.env.local', '.npmrc', '.git/config', 'env.txt'])).toEqual(['env.txt']);
});

test('runs get no file that only Trawl reads', () => {
  expect(namesOf(['package.json', 'howto.md', 'howto.html', 'tmp', 'lib/package.json'])).toEqual(['lib/package.json']);
});
