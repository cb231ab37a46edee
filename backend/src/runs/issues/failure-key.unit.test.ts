import { failureKey } from './failure-key.js';

const FILES = new Set(['main.js', 'lib/parse.js']);
const keyOf = (stack: string, code = 'exception') => failureKey(code, stack, FILES).fingerprint.toString('hex');

const STACK = `TypeError: Cannot read properties of undefined (reading 'text')
    at get (axios/index.js:10:5)
    at parse (lib/parse.js:3:18)
    at main.js:9:3`;

test('the key of a failure has its first line, and the first frame in a file of the skript', () => {
  expect(failureKey('exception', STACK, FILES)).toMatchObject({
    message: "TypeError: Cannot read properties of undefined (reading 'text')",
    frame: 'parse (lib/parse.js:3:18)',
  });
  expect(failureKey('worker_lost', null, FILES)).toMatchObject({ message: '', frame: null });
});

test.each([
  ['numbers', 'Error: page 12 of 30 is empty', 'Error: page 7 of 8 is empty'],
  ['ids', 'Error: no row 0190f7a2-0000-7000-8000-00000000000a', 'Error: no row 01a2175e-16ee-7540-85b1-c434112a1c98'],
  ['hashes', 'Error: bad token 9f86d081884c7d65', 'Error: bad token deadbeef00112233'],
  ['lines of the same function', STACK, STACK.replace('3:18', '30:1')],
  ['frames of libraries', STACK, STACK.replace('axios/index.js:10:5', 'got/index.js:1:1')],
])('failures that differ only in %s are the same', (_, one, other) => {
  expect(keyOf(one)).toBe(keyOf(other));
});

test.each([
  ['message', STACK, STACK.replace("'text'", "'price'")],
  ['function', STACK, STACK.replace('parse (', 'price (')],
  ['file', STACK, STACK.replace('parse (lib/parse.js', 'parse (main.js')],
])('failures that differ in their %s are not the same', (_, one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});

test('failures with different error codes are not the same', () => {
  expect(keyOf('Error: x', 'exception')).not.toBe(keyOf('Error: x', 'timeout'));
});

test('a long message is cut, never in the middle of a character', () => {
  const { message } = failureKey('exception', `Error: ${'\u{1f600}'.repeat(500_000)}`, FILES);
  expect(message).toHaveLength(500);
  expect(message).not.toMatch(/\p{Surrogate}/u);
});
