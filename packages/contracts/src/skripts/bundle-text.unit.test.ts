import { splitBundle, withRunFiles, withRunNode } from './bundle-text.js';

const CODE = 'module.exports = () => 1;\n// files sha256:0\n//# sourceMappingURL=data:application/json;base64,e30=\n';

const FILES = [
  { name: 'prices.csv', content: '\uFEFFname;price\r\n"Ærø";1\n\n' },
  {
    name: 'pages/end.html',
    content: '\u2028\u2029 \\u2028 </script>\n//# sourceMappingURL=x\n// run files []\n\u0001😀',
  },
];

test('files come out of a bundle as they went in, and the code is as before', () => {
  const { code, filesJson } = splitBundle(withRunFiles(CODE, FILES));
  expect(JSON.parse(filesJson)).toEqual(FILES);
  expect(code).toBe(CODE);
});

test('the bundle with its files is still JavaScript that does the same', () => {
  const module = { exports: () => 0 };
  new Function('module', withRunFiles(CODE, FILES))(module);
  expect(module.exports()).toBe(1);
});

test.each([
  ['a bundle without files', CODE],
  ['code that looks like files', `x = \`\n// run files [{"name":"a","content":"b"}]\n\`\n${CODE}`],
  ['code without a source map', 'x = `\n// run files []\n`'],
  ['no code', ''],
])('%s has no files and stays unchanged', (_, code) => {
  expect(withRunFiles(code, [])).toBe(code);
  expect(splitBundle(code)).toEqual({ code, filesJson: '[]', node: 24 });
});

test.each([[[]], [FILES]])('a bundle says which Node runs it, with files %j', files => {
  const bundle = withRunFiles(CODE, files);
  expect(withRunNode(bundle, 24)).toBe(bundle);
  const { filesJson, node } = splitBundle(withRunNode(bundle, 22));
  expect([JSON.parse(filesJson), node]).toEqual([files, 22]);
  const module = { exports: () => 0 };
  new Function('module', withRunNode(bundle, 22))(module);
  expect(module.exports()).toBe(1);
});

test('the code of a skript cannot choose the Node', () => {
  expect(splitBundle(`x = \`\n// node 22\`\n// node 22\n${CODE}`).node).toBe(24);
});
