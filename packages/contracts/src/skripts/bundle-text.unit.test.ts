import { splitBundle, withRunFiles, withRunNode } from './bundle-text.js';

const CODE = 'module.exports = () => 1;\n// files sha256:0\n//# sourceMappingURL=data:application/json;base64,e30=\n';

const FILES = [
  { name: 'prices.csv', content: '\uFEFFname;price\r\n"Ærø";1\n\n' },
  {
    name: 'pages/end.html',
    content: '\u2028\u2029 \\u2028 </script>\n//# sourceMappingURL=x\n// run files []\n\u0001😀',
  },
];

test('splitBundle returns the files and the code of a bundle unchanged', () => {
  const { code, filesJson } = splitBundle(withRunFiles(CODE, FILES));
  expect(JSON.parse(filesJson)).toEqual(FILES);
  expect(code).toBe(CODE);
});

test('a bundle with appended files still runs as the same JavaScript', () => {
  const module = { exports: () => 0 };
  new Function('module', withRunFiles(CODE, FILES))(module);
  expect(module.exports()).toBe(1);
});

test.each([
  ['a bundle without files', CODE],
  ['code that looks like files', `x = \`\n// run files [{"name":"a","content":"b"}]\n\`\n${CODE}`],
  ['code without a source map', 'x = `\n// run files []\n`'],
  ['no code', ''],
])('splitBundle finds no files in %s, and leaves it unchanged', (_, code) => {
  expect(withRunFiles(code, [])).toBe(code);
  expect(splitBundle(code)).toEqual({ code, filesJson: '[]', node: 24 });
});

test.each([[[]], [FILES]])('a bundle stores its Node version beside its files, and still runs: %j', files => {
  const bundle = withRunFiles(CODE, files);
  expect(withRunNode(bundle, 24)).toBe(bundle);
  const { filesJson, node } = splitBundle(withRunNode(bundle, 22));
  expect([JSON.parse(filesJson), node]).toEqual([files, 22]);
  const module = { exports: () => 0 };
  new Function('module', withRunNode(bundle, 22))(module);
  expect(module.exports()).toBe(1);
});

test('a comment in a skript’s code cannot change the Node version of its bundle', () => {
  expect(splitBundle(`x = \`\n// node 22\`\n// node 22\n${CODE}`).node).toBe(24);
});
