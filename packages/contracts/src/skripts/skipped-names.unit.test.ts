import { skippedPart } from './skipped-names.js';

it.each([
  'node_modules/',
  'lib/.trawl/',
  '.env.local',
  'lib/.yarnrc.yml',
  '.netrc',
  '.git-credentials',
  '.pypirc',
  'lib/.aws/',
  '.docker/',
  'id_rsa',
  'keys/id_ed25519_work',
  'server.pem',
  'SERVER.KEY',
  'store.p12',
  'prod.env',
])('an upload skips the private or generated file %s', name => {
  expect(skippedPart(name.endsWith('/') ? `${name}config.json` : name)).toBe(name);
});

it.each(['main.js', 'id_rsa.pub', 'environment.js', 'key.js', 'pem/a.js', 'input.json', 'netrc.md', 'aws/config'])(
  'an upload stores the file %s',
  name => {
    expect(skippedPart(name)).toBeNull();
  },
);
