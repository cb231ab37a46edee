import { keepComputedRequires, requirableFiles } from './computed-requires.js';

describe('requires in code:', () => {
  const requirable = (content: string) =>
    requirableFiles(
      new Map([
        ['main.js', content],
        ['steps/a.cjs', ''],
        ['page.html', 'require(name)'],
      ]),
    );

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
