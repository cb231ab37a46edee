import { keepComputedRequires, requirableFiles } from '@trawl/contracts';
import { runFilesOf } from './run-files.js';

const namesOf = (names: string[], imported: string[] = []) =>
  runFilesOf(
    names.map(name => ({ name, content: '' })),
    imported,
  ).map(({ name }) => name);

test('runs get all files but the code in the bundle, in any folder', () => {
  const names = ['main.js', 'lib/parse.js', 'lib/child.js', 'data.json', 'cookies.json', 'pages/empty.html', 'x.csv'];
  expect(namesOf(names, ['main.js', 'lib/parse.js'])).toEqual([
    'lib/child.js',
    'data.json',
    'cookies.json',
    'pages/empty.html',
    'x.csv',
  ]);
});

test('runs get no file with secrets, whatever its folder or case', () => {
  const secrets = ['inputSecret.json', 'lib/InputSecret-shop.json', 'dex8auth.json', 'a/DEX8AUTH.JSON'];
  expect(namesOf([...secrets, '.env', 'conf/.env.local', '.npmrc', '.git/config', 'env.txt'])).toEqual(['env.txt']);
});

test('runs get package.json and the howto, but no file in place of the temporary folder', () => {
  const names = ['package.json', 'howto.md', 'howto.html', 'lib/package.json'];
  expect(namesOf([...names, 'tmp'])).toEqual(names);
});

describe('computed requires', () => {
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
  ])('%s reaches all files that can be required', content => {
    expect(requirable(content)).toEqual(['main.js', 'steps/a.cjs']);
  });

  test.each([["require('./a.js')"], ['require( "./a.js" )'], ['require(`./a.js`)'], ["import a from './a.js'"]])(
    '%s needs no other files',
    content => expect(requirable(content)).toEqual([]),
  );

  test('only calls that esbuild would search files for are changed', () => {
    const kept = "require('./a.js'); require(name); require('x' + name); require(join('./', name));";
    expect(keepComputedRequires(kept)).toBe(kept);
    const searching = `require('./' + n); require(\`../\${n}.js\`)`;
    expect(keepComputedRequires(searching)).toBe(searching.replaceAll('require', 'require.own'));
  });
});
