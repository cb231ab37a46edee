import { LIMITS } from '@trawl/contracts';
import { checkedOutput } from './output-check.js';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const refusal = (sent: string, maxBytes: number = LIMITS.outputBytes) => {
  const checked = checkedOutput(sent, maxBytes);
  return 'refused' in checked ? checked.refused : null;
};

test.each([
  'null',
  '{"a":[1,"two"]}',
  nested(1_000),
  // Many brackets inside a string, after an escaped quote that looks like the end of the string.
  JSON.stringify(`"\\${'['.repeat(2_000)}`),
  JSON.stringify({ [`\\"${'{'.repeat(2_000)}`]: '\\' }),
  // Many values beside each other, but no deep nesting.
  JSON.stringify(Array(3_000).fill([{}])),
  '"\\u0000 \\ud83d"',
])('the worker passes on an output that the platform can store, unchanged: %#', sent => {
  expect(checkedOutput(sent, LIMITS.outputBytes)).toEqual({ output: sent });
});

test.each([[nested(1_001)], [nested(100_000)], ['{"a":'.repeat(1_001) + 1 + '}'.repeat(1_001)], ['['.repeat(250_000)]])(
  'the worker refuses an output nested deeper than 1,000 levels, with the reason: %#',
  sent => {
    expect(checkedOutput(sent, LIMITS.outputBytes)).toEqual({
      refused: 'output_not_json',
      text: expect.stringContaining('nested more than 1,000 levels deep'),
    });
  },
);

test.each(['', 'undefined', '{"a":}', '[1]]', '"a\0b"', '\0"ab"', '"a\nb"'])(
  'the worker refuses an output that is invalid JSON: %j',
  sent => {
    expect(refusal(sent)).toBe('output_not_json');
  },
);

test('the worker refuses an output that is too large before any other check', () => {
  expect(refusal(nested(100_000), 150_000)).toBe('output_too_large');
});

test('the worker replaces lone surrogates in an output', () => {
  expect(checkedOutput('"a\ud83d"', LIMITS.outputBytes)).toEqual({ output: '"a\ufffd"' });
  expect(checkedOutput('"😀"', LIMITS.outputBytes)).toEqual({ output: '"😀"' });
});

test('the worker refuses an output that is too large, by itself or as escaped JSON in its frame', () => {
  expect(refusal('"äää"', 8)).toBeNull();
  expect(refusal('"äää"', 7)).toBe('output_too_large');
  expect(refusal(JSON.stringify('"'.repeat(262_000)))).toBe('output_too_large');
});
