import { withoutTerminalCodes, withoutTerminalCodesInJson } from './terminal-codes.js';

test.each([
  ['colours', '\u001b[1;31mred\u001b[39;22m text', 'red text'],
  ['colours of 24 bits', '\u001b[38;2;255;0;0mred\u001b[0m, \u001b[38:2::255:0:0mred\u001b[m', 'red, red'],
  ['codes of one byte', '\u009b31mred\u009b0m', 'red'],
  ['cursor movements', '\u001b[2K\u001b[1G50 %\u001b[?25l', '50 %'],
  ['links', '\u001b]8;;https://example.com/?a=1\u0007here\u001b]8;;\u001b\\.', 'here.'],
  ['titles', '\u001b]0;two words\u0007text', 'text'],
  ['character sets', '\u001b(Btext\u001b=', 'text'],
  ['a code that is cut', 'text\u001b[38;5… [cut: 120000 characters in all]', 'text… [cut: 120000 characters in all]'],
  ['a code at the end', 'text\u001b', 'text'],
  ['codes around codes', '\u001b\u001b[31m[31mtext', '[31mtext'],
])('echo texts lose terminal codes: %s', (_what, text, expected) => {
  expect(withoutTerminalCodes(text)).toBe(expected);
});

test('removing terminal codes keeps other control characters, brackets and letters', () => {
  const text = 'a\tb\r\n[31m 100% \u0000 ü \u{1F511} [0m';
  expect(withoutTerminalCodes(text)).toBe(text);
});

test.each(['\u001b', '\u001b[', '\u001b[1;', '\u001b]', '\u001b]a;', '\u001b(', '\u009b', '\u009b1 '])(
  'removing terminal codes removes every escape character of a hostile text of "%j"',
  piece => {
    for (const text of [piece.repeat(1_000_000), piece + ';a'.repeat(2_000_000), piece + '1;'.repeat(2_000_000)]) {
      const left = withoutTerminalCodes(text);
      expect(['\u001b', '\u009b'].filter(character => left.includes(character))).toEqual([]);
    }
  },
);

test('terminal codes are removed from all strings and names of a JSON text, which is otherwise unchanged', () => {
  const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
  const value = { [red('name')]: [red('a "quoted" \\'), { deep: `\u009b1m${red('b')}` }], plain: '\\u001b[31m' };
  expect(JSON.parse(withoutTerminalCodesInJson(JSON.stringify(value)))).toEqual({
    name: ['a "quoted" \\', { deep: 'b' }],
    plain: '\\u001b[31m',
  });
  for (const json of ['{ "n": 12345678901234567890, "t": "\\u001B" }', '"\\x\\u001b', '"\\x\\u001b"']) {
    expect(withoutTerminalCodesInJson(json)).toBe(json.replace('\\u001B', ''));
  }
});
