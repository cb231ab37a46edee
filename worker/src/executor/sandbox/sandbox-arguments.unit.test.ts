import { sandboxArguments, sharedMounts } from './sandbox-arguments.js';

const OPTIONS = {
  root: '/data/worker/sandbox-root',
  node: '/opt/node/bin/node',
  runtime: '/data/worker/runtime-1',
  libraries: [{ inside: '/trawl/libraries', outside: '/data/worker/libraries', isNeeded: true }],
  chromium: {
    home: '/var/cache/trawl/chromium',
    folders: ['/etc/fonts', '/usr/share/fonts', '/usr/lib/chromium'],
    variables: { CHROME_PATH: '/var/cache/trawl/chromium/chromium' },
  },
  diskBytes: 1_000,
  network: ['--unshare-net'],
  hasSharedMounts: false,
};

const args = sandboxArguments(OPTIONS);

/** Returns the position at which these values follow each other in the arguments. */
function indexOf(...values: string[]): number {
  return args.findIndex((_, at) => values.every((value, n) => args[at + n] === value));
}

test('the sandbox mounts the machine read-only, and limits the size of each writable file system', () => {
  expect(args).not.toContain('--bind');
  for (const [at, arg] of args.entries()) if (arg === '--tmpfs') expect(args[at - 2]).toBe('--size');
  expect(indexOf('--ro-bind', '/data/worker/sandbox-root', '/')).toBe(args.indexOf('--ro-bind'));
});

test('the sandbox has the machine’s programs and harmless devices, but no terminals and nothing of /usr/local', () => {
  const shown = (kind: RegExp) => args.flatMap((arg, at) => (kind.test(arg) ? [args[at + 2] as string] : []));
  expect(shown(/^--ro-bind/).filter(path => path.startsWith('/usr'))).toEqual([
    '/usr/bin',
    '/usr/lib',
    '/usr/lib64',
    '/usr/share/zoneinfo',
    '/usr/share/fonts',
  ]);
  expect(shown(/^--dev-bind/)).toEqual(['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']);
  expect(args).not.toContain('--dev');
});

test('the sandbox gives a run namespaces of its own, and ends it with the worker', () => {
  for (const name of ['user', 'pid', 'ipc', 'uts', 'net']) expect(args).toContain(`--unshare-${name}`);
  for (const name of ['--disable-userns', '--die-with-parent', '--new-session', '--clearenv'])
    expect(args).toContain(name);
});

test('the sandbox has the browser at a fixed path, with the fonts that it reads', () => {
  expect(indexOf('--ro-bind', '/var/cache/trawl/chromium', '/trawl/chromium')).toBeGreaterThan(0);
  expect(indexOf('--ro-bind-try', '/etc/fonts', '/etc/fonts')).toBeGreaterThan(0);
  expect(indexOf('--setenv', 'CHROME_PATH', '/trawl/chromium/chromium')).toBeGreaterThan(indexOf('--clearenv'));
});

test('a sandbox with shared mounts mounts the rest itself: Node, the browser, and files that may change', () => {
  const shared = sharedMounts(OPTIONS.root, { ...OPTIONS, runtime: '/tmp', libraries: [] });
  expect(shared.mounts.map(({ inside }) => inside)).toEqual(
    expect.arrayContaining(['/trawl/runtime', '/usr/bin', '/usr/lib', '/dev/null', '/dev/urandom']),
  );
  const own = sandboxArguments({ ...OPTIONS, hasSharedMounts: true });
  const targets = own.flatMap((arg, at) => (/^--(ro|dev)-bind/.test(arg) ? [own[at + 2]] : []));
  expect(targets).toEqual([
    ...['/', '/trawl/bin/node', '/trawl/chromium', '/etc/hosts', '/etc/resolv.conf'],
    ...['/etc/fonts', '/usr/share/fonts'],
  ]);
});
