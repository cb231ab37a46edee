import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { readSettings } from './settings.js';

const KEY = { TRAWL_WORKER_KEY: 'trw_abc' };

test('the worker requires no setting but TRAWL_WORKER_KEY', () => {
  expect(readSettings(KEY)).toEqual({
    url: 'http://127.0.0.1:3000',
    key: 'trw_abc',
    folder: resolve('.trawl', 'worker'),
    logLevel: 'info',
    chromePath: null,
    librariesMb: 2_048,
    librariesFiles: 200_000,
    diskWarnBytes: 2_048 * 1024 * 1024,
    supervised: false,
    fetchChromium: true,
    calls: null,
    egressAllow: [],
    sandbox: 'full',
    tracing: false,
    slots: null,
    limits: {},
  });
});

test('the worker reads limits of runs from its settings, which must be whole numbers', () => {
  const { limits } = readSettings({ ...KEY, TRAWL_RUN_MEMORY_MB: '1024', TRAWL_RUN_CPU_S: '30' });
  expect(limits).toEqual({ memoryMb: 1_024, cpuS: 30 });
  for (const wrong of ['1.5', 'many', '-1', '1e99'])
    expect(() => readSettings({ ...KEY, TRAWL_RUN_MEMORY_MB: wrong })).toThrow('TRAWL_RUN_MEMORY_MB: expected a whole');
});

test.each([
  'http://localhost:3000',
  'ws://127.0.0.1:3000/',
  'http://[::1]:3000',
  'https://trawl.example.com',
  'wss://a.b',
])('TRAWL_URL of a worker may be %s', TRAWL_URL => {
  expect(readSettings({ ...KEY, TRAWL_URL }).url).toMatch(/^https?:.*[^/]$/);
});

test('TRAWL_URL of a worker may be unencrypted at any address of its own machine', () => {
  const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []);
  for (const { address, family } of own) {
    const host = family === 'IPv6' ? `[${address}]` : address;
    expect(readSettings({ ...KEY, TRAWL_URL: `http://${host}:3000` }).url).toBe(`http://${host}:3000`);
  }
});

test.each([
  'http://trawl.example.com',
  'ws://10.0.0.1',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
])('TRAWL_URL of a worker may not be an unencrypted URL of another machine: %s', TRAWL_URL => {
  expect(() => readSettings({ ...KEY, TRAWL_URL })).toThrow(/TRAWL_URL: plain http:\/\/ and ws:\/\/ are refused/);
});

test('TRAWL_EGRESS_ALLOW lists private addresses that runs may reach; the error for an invalid entry quotes it', () => {
  expect(readSettings({ ...KEY, TRAWL_EGRESS_ALLOW: '127.0.0.1:3001' }).egressAllow).toEqual([
    { network: '127.0.0.1/32', port: 3001 },
  ]);
  expect(() => readSettings({ ...KEY, TRAWL_EGRESS_ALLOW: 'shop' })).toThrow(
    /TRAWL_EGRESS_ALLOW: "shop" is not host:port/,
  );
});

test('the error for invalid settings of a worker names every variable, and shows no key', () => {
  const wrong = { TRAWL_WORKER_KEY: 'my password', TRAWL_URL: 'nowhere', TRAWL_LOG_LEVEL: 'loud' };
  expect(() => readSettings(wrong)).toThrow(/TRAWL_URL.*\nTRAWL_WORKER_KEY: .*trw_\nTRAWL_LOG_LEVEL/);
  expect(() => readSettings(wrong)).not.toThrow(/my password/);
  expect(() => readSettings({})).toThrow(/TRAWL_WORKER_KEY: expected the key that was shown/);
});

test('the worker treats an empty variable as unset', () => {
  const empty = [
    'TRAWL_URL',
    'TRAWL_DATA_DIR',
    'TRAWL_LOG_LEVEL',
    'CHROME_PATH',
    'TRAWL_LIBRARIES_MB',
    'TRAWL_SANDBOX',
  ];
  const environment = Object.fromEntries([...empty, 'TRAWL_NPM_REGISTRY', 'TRAWL_RUN_CPU_S'].map(name => [name, '']));
  expect(readSettings({ ...environment, ...KEY })).toEqual(readSettings(KEY));
  expect(() => readSettings({ TRAWL_WORKER_KEY: '' })).toThrow(/TRAWL_WORKER_KEY: expected the key that was shown/);
  expect(() => readSettings({ ...KEY, TRAWL_LIBRARIES_MB: 'much' })).toThrow(
    /TRAWL_LIBRARIES_MB: expected a whole number of megabytes/,
  );
  expect(() => readSettings({ ...KEY, TRAWL_CALL_PORT: '70000' })).toThrow(/TRAWL_CALL_PORT: expected a port, from 1/);
});

describe('calls to the worker from programs on its machine', () => {
  const CALLS = { TRAWL_CALL_PORT: '4100', TRAWL_CALL_KEY: 'c'.repeat(32), TRAWL_CALL_ACCOUNT_KEY: 'trk_abc' };

  test('are accepted on loopback by default, and only if TRAWL_CALL_PORT is set', () => {
    const calls = { host: '127.0.0.1', port: 4100, key: 'c'.repeat(32), accountKey: 'trk_abc' };
    expect(readSettings({ ...KEY, ...CALLS }).calls).toEqual(calls);
    expect(readSettings({ ...KEY, ...CALLS, TRAWL_CALL_HOST: '0.0.0.0' }).calls).toEqual({ ...calls, host: '0.0.0.0' });
    expect(readSettings({ ...KEY, ...CALLS, TRAWL_CALL_PORT: '' }).calls).toBeNull();
  });

  test.each([
    ['TRAWL_CALL_KEY', ''],
    ['TRAWL_CALL_KEY', 'short'],
    ['TRAWL_CALL_KEY', `trw_${'c'.repeat(40)}`],
    ['TRAWL_CALL_ACCOUNT_KEY', ''],
    ['TRAWL_CALL_ACCOUNT_KEY', 'trw_abc'],
    ['TRAWL_CALL_PORT', 'http'],
  ])('cannot be enabled with %s=%s', (name, value) => {
    expect(() => readSettings({ ...KEY, ...CALLS, [name]: value })).toThrow(name);
  });
});
