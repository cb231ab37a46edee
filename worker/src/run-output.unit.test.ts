import { LIMITS } from '@trawl/contracts';
import { checkedOutput } from './run-output.js';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const refusal = (sent: string, maxBytes: number = LIMITS.outputBytes) => {
  const checked = checkedOutput(sent, maxBytes);
  return 'refused' in checked ? checked.refused : null;
};

test.each([
  'null',
  '{"a":[1,"two"]}',
  nested(1_000),
  // Brackets that are text, behind whatever looks like its end.
  JSON.stringify(`"\\${'['.repeat(2_000)}`),
  JSON.stringify({ [`\\"${'{'.repeat(2_000)}`]: '\\' }),
  // Many beside each other are not deep.
  JSON.stringify(Array(3_000).fill([{}])),
  '"\\u0000 \\ud83d"',
])('an output that the platform can keep is taken as it is: %#', sent => {
  expect(checkedOutput(sent, LIMITS.outputBytes)).toEqual({ output: sent });
});

test.each([[nested(1_001)], [nested(100_000)], ['{"a":'.repeat(1_001) + 1 + '}'.repeat(1_001)], ['['.repeat(250_000)]])(
  'an output that is nested deeper than 1,000 levels is refused in words: %#',
  sent => {
    expect(checkedOutput(sent, LIMITS.outputBytes)).toEqual({
      refused: 'output_not_json',
      text: expect.stringContaining('nested more than 1,000 levels deep'),
    });
  },
);

test.each(['', 'undefined', '{"a":}', '[1]]', '"a\0b"', '\0"ab"', '"a\nb"'])('what is no JSON is refused: %j', sent => {
  expect(refusal(sent)).toBe('output_not_json');
});

test('what is too large is refused for that, whatever else it is', () => {
  expect(refusal(nested(100_000), 150_000)).toBe('output_too_large');
});

test('halves of characters are made whole ones', () => {
  expect(checkedOutput('"a\ud83d"', LIMITS.outputBytes)).toEqual({ output: '"a\ufffd"' });
  expect(checkedOutput('"😀"', LIMITS.outputBytes)).toEqual({ output: '"😀"' });
});

test('an output has its size, as it is and in a frame', () => {
  expect(refusal('"äää"', 8)).toBeNull();
  expect(refusal('"äää"', 7)).toBe('output_too_large');
  expect(refusal(JSON.stringify('"'.repeat(262_000)))).toBe('output_too_large');
});
