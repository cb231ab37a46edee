import { sandboxArguments } from './sandbox-arguments.js';

const OPTIONS = {
  root: '/data/worker/sandbox-root',
  node: '/opt/node/bin/node',
  runtime: '/data/worker/runtime-1',
  libraries: '/data/worker/libraries',
  chromium: {
    home: '/var/cache/trawl/chromium',
    folders: ['/etc/fonts', '/usr/share/fonts'],
    variables: { CHROME_PATH: '/var/cache/trawl/chromium/chromium' },
  },
  diskBytes: 1_000,
  network: ['--unshare-net'],
};

const args = sandboxArguments(OPTIONS);

/** Where an argument with these values stands. */
function place(...values: string[]): number {
  return args.findIndex((_, at) => values.every((value, n) => args[at + n] === value));
}

test('nothing of the machine can be written to, and what can has a size', () => {
  expect(args).not.toContain('--bind');
  expect(args).not.toContain('--dev-bind');
  for (const [at, arg] of args.entries()) if (arg === '--tmpfs') expect(args[at - 2]).toBe('--size');
  expect(place('--ro-bind', '/data/worker/sandbox-root', '/')).toBe(args.indexOf('--ro-bind'));
  expect(place('--remount-ro', '/dev')).toBeGreaterThan(args.lastIndexOf('--tmpfs'));
});

test('a run has namespaces of its own, and ends with the worker', () => {
  for (const name of ['user', 'pid', 'ipc', 'uts', 'net']) expect(args).toContain(`--unshare-${name}`);
  for (const name of ['--disable-userns', '--die-with-parent', '--new-session', '--clearenv'])
    expect(args).toContain(name);
});

test('a browser is there besides, at a path of the sandbox’s own, and what it reads', () => {
  expect(place('--ro-bind', '/var/cache/trawl/chromium', '/trawl/chromium')).toBeGreaterThan(0);
  expect(place('--ro-bind-try', '/etc/fonts', '/etc/fonts')).toBeGreaterThan(0);
  expect(place('--setenv', 'CHROME_PATH', '/trawl/chromium/chromium')).toBeGreaterThan(place('--clearenv'));
});
