import { ExactNumber, exactText, JsonText, parseExact } from './exact-json.js';

test.each([
  '1.10',
  '-0',
  '-0.0',
  '1e5',
  '0.1234567890123456789',
  '[1,-0]',
  '{"a":[1.5,{"b":1.0}],"c":"1.0"}',
  '{"isLosslessNumber":true,"value":1.10}',
  '{"__proto__":{"a":1.0}}',
  '"1.10"',
  '12345678901234567890',
])('the JSON %s is the same after parsing and writing', text => {
  expect(exactText(parseExact(text))).toBe(text);
});

test('JSON numbers that JavaScript writes in the same way are parsed as numbers', () => {
  const text = '{"a":[1,-1.5,1e+21,100,0.001],"at":"2026-02-05T00:00:00.100Z","id":"5e33"}';
  expect(parseExact(text)).toStrictEqual(JSON.parse(text));
});

test('a JSON number becomes text only if JavaScript has no such number', () => {
  expect(['1.10', '1e5', '1e400', '9007199254740993'].map(text => new ExactNumber(text).plain)).toEqual([
    1.1,
    100_000,
    '1e400',
    '9007199254740993',
  ]);
});

test('the last of two JSON fields with the same name counts', () => {
  expect(exactText(parseExact('{"a":1,"b":2,"a":3.0}'))).toBe('{"a":3.0,"b":2}');
});

test('JSON that is nested too deeply is kept as text', () => {
  const text = '['.repeat(5_000) + ']'.repeat(5_000);
  const json = new JsonText(text);
  expect([json.value, json.line]).toEqual([text, text]);
});
