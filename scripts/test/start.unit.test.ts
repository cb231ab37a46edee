import { isInstalled } from '../start/install.mjs';
import { satisfies } from '../start/node-version.mjs';

const RANGE = '^20.19.0 || ^22.12.0 || >=24.0.0';

test.each(['v20.19.0', 'v20.20.2', 'v22.12.0', 'v24.0.0', 'v25.1.0'])('Node.js %s is accepted', version => {
  expect(satisfies(version, RANGE)).toBe(true);
});

test.each(['v18.20.0', 'v20.18.3', 'v21.7.0', 'v22.11.0', 'v23.5.0'])('Node.js %s is refused', version => {
  expect(satisfies(version, RANGE)).toBe(false);
});

const wanted = {
  '': { version: '0.1.0' },
  'packages/echo': { version: '0.1.0' },
  'node_modules/pg': { version: '8.23.1' },
  'node_modules/@trawl/echo': { link: true },
  'node_modules/only-on-a-mac': { version: '1.0.0', optional: true },
};

test('nothing is installed again when everything is there that this machine needs', () => {
  expect(
    isInstalled(wanted, { 'node_modules/pg': { version: '8.23.1' }, 'node_modules/@trawl/echo': { link: true } }),
  ).toBe(true);
});

test.each([
  ['is missing', { 'node_modules/@trawl/echo': { link: true } }],
  ['has another version', { 'node_modules/pg': { version: '8.22.0' }, 'node_modules/@trawl/echo': { link: true } }],
  [
    'is no longer our own folder',
    { 'node_modules/pg': { version: '8.23.1' }, 'node_modules/@trawl/echo': { version: '0.1.0' } },
  ],
])('packages are installed when one %s', (_, installed) => {
  expect(isInstalled(wanted, installed)).toBe(false);
});
