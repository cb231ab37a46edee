import { existsSync, readFileSync } from 'node:fs';
import { hashOf, PANEL, TOOL_SETTINGS, websiteSettings } from '../common/build.mjs';
import { isInstalled, withAddresses } from '../common/install.mjs';
import { satisfies, whyRefused } from '../common/node-version.mjs';
import { ROOT } from '../common/paths.mjs';
import type { Api } from '../start/api.mjs';
import { runSample, tryRunSample } from '../start/first-run.mjs';
import { openTo } from '../start/open-to.mjs';
import { withoutSecrets } from '../start/platform.mjs';

const RANGE = '^20.19.0 || ^22.12.0 || >=24.0.0';

test.each(['v20.19.0', 'v20.20.2', 'v22.12.0', 'v24.0.0', 'v25.1.0'])('`npm start` accepts Node.js %s', version => {
  expect(satisfies(version, RANGE)).toBe(true);
});

test.each(['v18.20.0', 'v20.18.3', 'v21.7.0', 'v22.11.0', 'v23.5.0'])('`npm start` refuses Node.js %s', version => {
  expect(satisfies(version, RANGE)).toBe(false);
});

test('the error about an unsupported Node.js names every supported version line', () => {
  expect(whyRefused('v21.7.0', RANGE)).toBe(
    'Trawl needs Node.js 20.19 or later of 20, 22.12 or later of 22, or 24 or later, and this is v21.7.0. ' +
      'Install one of them, e.g. with "nvm install 22".',
  );
});

const siteSettings = readFileSync(`${ROOT}/website/site-settings.ts`, 'utf8');
const settingsOfTheSite = [
  ...new Set([...siteSettings.matchAll(/\benv\.(?!NODE_ENV)(\w+)/g)].map(([, name]) => name as string)),
];

const websiteHash = (env: NodeJS.ProcessEnv) => hashOf({ sources: [], settings: websiteSettings }, env);

test.each(settingsOfTheSite)('a website for another server is rebuilt when %s changes', name => {
  const elsewhere = { SITE_API_URL: 'https://trawl.example.com' };
  expect(websiteHash({ ...elsewhere, [name]: 'a' })).not.toBe(websiteHash({ ...elsewhere, [name]: 'b' }));
});

test.each(['PORT', 'TRAWL_PUBLIC_URL', 'SITE_EMAIL', 'SITE_OPERATOR'])(
  'the website that the backend serves is not rebuilt when %s changes',
  name => {
    expect(websiteHash({ [name]: 'a' })).toBe(websiteHash({ [name]: 'b' }));
  },
);

test('the panel is rebuilt when a library changes whose types its code editor has', () => {
  const collected = readFileSync(`${ROOT}/packages/type-check/src/collect-types.ts`, 'utf8');
  const libraries = [...collected.matchAll(/'@trawl\/([\w-]+)/g)].map(([, name]) => `packages/${name}/src`);
  expect(libraries).toContain('packages/echo/src');
  expect(PANEL.sources).toEqual(expect.arrayContaining(libraries));
});

test.each([
  'POSTGRES_URL',
  'USER_POSTGRES_URL',
  'MONGODB_URI',
  'REDIS_URL',
  'TRAWL_SECRET',
  'TRAWL_SECRET_PREVIOUS',
  'SMTP_URL',
])('`npm start` gives its worker no %s', name => {
  expect(withoutSecrets({ [name]: 'smtp://user:password@host', PATH: '/bin' })).toEqual({ PATH: '/bin' });
});

test('the list of slow test files names only files that exist', () => {
  const paths: string[] = JSON.parse(readFileSync(`${ROOT}/scripts/jest/slow-files.json`, 'utf8'));
  expect(paths.filter(path => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});

test('build tools keep their caches and temporary files inside the checkout', () => {
  const { TMPDIR, XDG_CACHE_HOME, XDG_CONFIG_HOME } = TOOL_SETTINGS;
  for (const folder of [TMPDIR, XDG_CACHE_HOME, XDG_CONFIG_HOME])
    expect(folder.startsWith(`${ROOT}/node_modules/`)).toBe(true);
});

const common = { netmask: '', mac: '', cidr: null };
const interfaces = {
  lo: [{ ...common, family: 'IPv4' as const, address: '127.0.0.1', internal: true }],
  eth0: [
    { ...common, family: 'IPv4' as const, address: '192.0.2.7', internal: false },
    { ...common, family: 'IPv6' as const, address: '2001:db8::7', internal: false, scopeid: 0 },
    { ...common, family: 'IPv6' as const, address: 'fe80::7', internal: false, scopeid: 2 },
  ],
};

test.each([
  ['127.0.0.1', []],
  ['localhost', []],
  ['::1', []],
  ['192.0.2.7', ['http://192.0.2.7:3000']],
  ['0.0.0.0', ['http://192.0.2.7:3000']],
  ['::', ['http://192.0.2.7:3000', 'http://[2001:db8::7]:3000']],
])('with HOST=%s other machines reach the platform at %j', (host, addresses) => {
  expect(openTo({ host, port: 3000 }, interfaces)).toEqual(addresses);
});

const wanted = {
  '': { version: '0.1.0' },
  'packages/echo': { version: '0.1.0' },
  'node_modules/pg': { version: '8.23.1' },
  'node_modules/@trawl/echo': { link: true },
  'node_modules/only-on-a-mac': { version: '1.0.0', optional: true },
};

test('npm scripts run with the machine’s Node.js, not with the Node.js package for runs', () => {
  expect(existsSync(`${ROOT}/node_modules/.bin/node`)).toBe(false);
});

test('`npm start` installs no packages if the machine has every package that it needs', () => {
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
])('`npm start` installs packages when one %s', (_, installed) => {
  expect(isInstalled(wanted, installed)).toBe(false);
});

test('`npm start` tells npm the registry URL of each package that it installs', () => {
  const packages = {
    '': { name: 'trawl', version: '0.1.0' },
    'node_modules/pg': { version: '8.23.1' },
    'node_modules/@swc/core/node_modules/@types/node': { version: '20.0.0' },
    'node_modules/node-18': { name: 'node', version: '18.0.0' },
    'node_modules/@trawl/echo': { link: true },
    'node_modules/forked': { version: '1.0.0', resolved: 'git+https://example.com/forked' },
  };
  const addressed = withAddresses({ packages }, 'https://example.com/npm');
  expect(
    Object.entries(addressed.packages).map(([path, locked]) => [path, 'resolved' in locked && locked.resolved]),
  ).toEqual([
    ['', false],
    ['node_modules/pg', 'https://example.com/npm/pg/-/pg-8.23.1.tgz'],
    ['node_modules/@swc/core/node_modules/@types/node', 'https://example.com/npm/@types/node/-/node-20.0.0.tgz'],
    ['node_modules/node-18', 'https://example.com/npm/node/-/node-18.0.0.tgz'],
    ['node_modules/@trawl/echo', false],
    ['node_modules/forked', 'git+https://example.com/forked'],
  ]);
});

describe('the sample run of the first start', () => {
  const LISTS = '/joint-api/mongo-databases/list?limit=1000';
  /** Answers like a platform on which the run ended like this, with this number of rows in its only collection. */
  const platform = (action: string, rows: number) =>
    ({
      get: async (path: string) => {
        if (path === LISTS) return { items: [{ id: 'd1' }] };
        if (path === '/joint-api/mongo-collections/d1/list') return { items: [{ name: 'products', count: rows }] };
        if (path.startsWith('/joint-api/mongo/d1/products/list')) return { items: [], total: rows };
        if (path.startsWith('/joint-api/echoes/')) return { items: [] };
        return { id: 'e1', action, last_seq: 0, error_code: 'storage_unavailable', error_stack: null };
      },
    }) as unknown as Api;
  const run = (action: string, rows: number) => runSample(platform(action, rows), { skriptId: 's1', title: 'Shop' });

  beforeEach(() => void jest.spyOn(process.stdout, 'write').mockReturnValue(true));
  afterEach(() => jest.restoreAllMocks());

  it('succeeds if its rows are in the database, and fails if there are none', async () => {
    expect(await run('end', 1_000)).toBe(1_000);
    await expect(run('end', 0)).rejects.toThrow('The skript "Shop" ended, but it stored no rows.');
  });

  it('fails with the error code of the run if that fails', async () => {
    await expect(run('error', 1_000)).rejects.toThrow('The skript "Shop" failed (storage_unavailable).');
  });

  it('does not end `npm start` if it fails', async () => {
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    await tryRunSample(platform('error', 0), { skriptId: 's1', title: 'Shop' });
    expect(said.mock.calls.join()).toMatch(/"Shop" failed \(storage_unavailable\)[\s\S]*Trawl is running/);
  });
});
