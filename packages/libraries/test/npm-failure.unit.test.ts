import { resolve } from 'npm-package-arg';
import { failureOf, limitFailure } from '../src/npm-failure.js';

function errorOf(name: string, version: string): unknown {
  try {
    resolve(name, version);
  } catch (error) {
    return error;
  }
  throw new Error(`npm accepts ${name}@${version}`);
}

test.each([
  ['x', 'link:/etc', 'Unsupported URL Type "link:": link:/etc'],
  ['x', 'npm:y@file:../z', 'aliases only work for registry deps'],
  ['x', 'npm:y@npm:z@1', 'nested aliases not supported'],
  ['A B', '1', 'Invalid package name "A B"'],
])('says how a dependency %s with the version %s is wrong', (name, version, reason) => {
  const { text } = failureOf(errorOf(name, version));
  expect(text).toMatch(/^One of these libraries needs another one by a name or version that npm does not accept: /);
  expect(text).toContain(reason);
});

test('names the lists of packages as the reason if no library has written anything', () => {
  expect(limitFailure('file_limit', null).text).toMatch(/^The package lists and archives of .* need more files than/);
});
