import { canFormat, formatCode } from './format-code.js';

it.each([
  ['main.js', 'const a = [ "b" ]', "const a = ['b'];\n"],
  ['page.jsx', 'export default () => <b  >a</b>', 'export default () => <b>a</b>;\n'],
  ['types.ts', 'const a:number=1', 'const a: number = 1;\n'],
  ['data.json', '{"a":1}', '{\n  "a": 1\n}'],
])('formatCode formats %s', async (name, text, formatted) => {
  expect(canFormat(name)).toBe(true);
  expect(await formatCode(name, text)).toBe(formatted);
});

it('formatCode names line and column of a syntax error', async () => {
  await expect(formatCode('main.js', 'const a = 1;\nconst = 2;')).rejects.toThrow(
    /^Correct line 2, column 7 first: Unexpected/,
  );
});
