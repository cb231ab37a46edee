import { keepComputedRequires, requirableFiles } from '@trawl/contracts';
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

describe('requires in code:', () => {
  const requirable = (content: string) =>
    requirableFiles([
      { name: 'main.js', content },
      { name: 'steps/a.cjs', content: '' },
      { name: 'page.html', content: 'require(name)' },
    ]);

  test.each([
    ["require('./steps/' + name)"],
    [`require(\`./steps/\${name}.js\`)`],
    ['require(path.join(__dirname, name))'],
    ['require (name)'],
    ['require(\n  name)'],
    ["require(/* which */ './a.js')"],
    ['names.map(require)'],
    ['const load = require;'],
  ])('%s makes all files that can be required part of the bundle', content => {
    expect(requirable(content)).toEqual(['main.js', 'steps/a.cjs']);
  });

  test.each([["require('./a.js')"], ['require( "./a.js" )'], ['require(`./a.js`)'], ["import a from './a.js'"]])(
    '%s makes no other files part of the bundle',
    content => expect(requirable(content)).toEqual([]),
  );

  test('only requires that would make esbuild search for files are changed to require.own', () => {
    const kept = "require('./a.js'); require(name); require('x' + name); require(join('./', name));";
    expect(keepComputedRequires(kept)).toBe(kept);
    const searching = `require('./' + n); require(\`../\${n}.js\`)`;
    expect(keepComputedRequires(searching)).toBe(searching.replaceAll('require', 'require.own'));
  });
});
