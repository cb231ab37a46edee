import { adviceOnThrown, thrownText } from './stack-text.js';

const message =
  'Could not locate the bindings file. Tried: /libs/node_modules/better-sqlite3/build/better_sqlite3.node';
const throwing = {
  toString() {
    throw new Error('never shown');
  },
};

test.each([
  ['an Error with such a text', new Error(message), expect.stringMatching(/^better-sqlite3 needs a binary/)],
  ['an Error with another text', new Error('other'), null],
  ['an Error whose message is an object', Object.assign(new Error(message), { message: throwing }), null],
  [
    'an Error whose message cannot be read',
    Object.defineProperty(new Error(message), 'message', { get: throwing.toString }),
    null,
  ],
  [
    'a value that refuses to tell its type',
    new Proxy(new Error(message), {
      getPrototypeOf: throwing.toString,
    }),
    null,
  ],
  ['a text', message, null],
  ['null', null, null],
])('advice on a missing binary is only for an Error with a text that names it: %s', (_, thrown, advice) => {
  expect(adviceOnThrown(thrown)).toEqual(advice);
  expect(typeof thrownText(thrown)).toBe('string');
});
