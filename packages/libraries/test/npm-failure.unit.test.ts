import { resolve } from 'npm-package-arg';
import { versionProblem } from '../src/dependency-versions.js';
import { failureOf, isTransient, limitFailure } from '../src/npm-failure.js';

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
])('an invalid dependency %s with the version %s is reported with npm’s reason', (name, version, reason) => {
  const { text } = failureOf(errorOf(name, version));
  expect(text).toMatch(/^One of these libraries needs another one by a name or version that npm does not accept: /);
  expect(text).toContain(reason);
});

test('an exceeded limit blames the package lists if no library has been unpacked yet', () => {
  expect(limitFailure('file_limit', null).text).toMatch(/^The package lists and archives of .* need more files than/);
});

test.each(['EMAXREDIRECT', 'EINVALIDREDIRECT'])(
  'an endless or empty redirect (%s) is reported as a transient failure of the registry',
  code => {
    const failure = failureOf({ code });
    expect([isTransient(failure), failure.text]).toEqual([
      true,
      `The npm registry redirects without an end, or to nothing (${code}).`,
    ]);
  },
);

test('a registry that answers with something other than a list of versions is a transient failure', () => {
  const failure = failureOf({ code: 'ENOVERSIONS', message: 'No versions available for undefined' });
  expect([isTransient(failure), failure.library]).toEqual([true, null]);
  expect(failure.text).toMatch(/^The npm registry sent something else than the list of versions of a library/);
  expect(failureOf({ code: 'ENOVERSIONS', message: 'No versions available for ms' }).text).toContain('matches ms.');
});

test.each(['constructor', '__proto__', 'toString'])(
  'a library named %s is refused, because npm cannot install it',
  name => {
    expect(versionProblem(name, '*')).toBe(
      `npm cannot install a library called "${name}", because every JavaScript object has a property of this name. Use another library.`,
    );
  },
);

test('a dependency whose name npm cannot read is reported in plain words', () => {
  expect(failureOf(new TypeError('accept field must be a string if provided')).text).toMatch(
    /^One of these libraries needs another one with a name that npm cannot read, such as "constructor"/,
  );
});

test('a missing archive is reported by the name of its library, without the address of the registry', () => {
  const pkgid = 'http://10.0.0.5:4873/npm/@scope/lib/-/lib-1.0.0.tgz';
  expect(failureOf({ code: 'E404', pkgid, uri: pkgid }).text).toBe(
    'The npm registry has no library @scope/lib. Check the spelling of the name.',
  );
});
