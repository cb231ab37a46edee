import fs, {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSandboxRoot } from '../src/executor/sandbox/sandbox-root.js';

const onLinux = process.platform === 'linux' ? test : test.skip;

let folder: string;
let root: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-root-'));
  root = join(folder, 'root');
});

afterEach(() => rmSync(folder, { recursive: true }));

const mount = { inside: '/trawl/libraries', outside: '/usr', isNeeded: true };
const sources = () => ({ node: process.execPath, runtime: folder, libraries: [mount], chromium: null });

onLinux('every user can read the whole sandbox root, even with a strict umask; private keys are left out', async () => {
  const before = process.umask(0o077);
  try {
    await makeSandboxRoot(root, sources());
  } finally {
    process.umask(before);
  }
  // The recursive list follows the link /dev/fd to the files that this process has open.
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => !name.startsWith('dev/fd/'));
  const entries = names.map(name => join(root, name));
  for (const entry of [root, ...entries]) {
    const stats = lstatSync(entry);
    if (!stats.isSymbolicLink()) expect([entry, stats.mode & 0o007]).toEqual([entry, stats.isDirectory() ? 5 : 4]);
  }
  const isPrivate = (path: string) => existsSync(path) && (statSync(path).mode & 0o005) !== 0o005;
  if (isPrivate('/etc/ssl/private')) expect(existsSync(join(root, 'etc', 'ssl', 'private'))).toBe(false);
});

onLinux('the sandbox root has a mount point for each mount, and is created anew with each start', async () => {
  await makeSandboxRoot(root, sources());
  writeFileSync(join(root, 'etc', 'old'), '');
  await makeSandboxRoot(root, sources());
  expect(readdirSync(join(root, 'trawl')).sort()).toEqual(['bin', 'egress', 'libraries', 'runtime']);
  expect(statSync(join(root, 'trawl', 'bin', 'node')).isFile()).toBe(true);
  expect(existsSync(join(root, 'etc', 'old'))).toBe(false);
});

onLinux('the sandbox root has the machine’s /etc/alternatives links to programs, but not to manual pages', async () => {
  await makeSandboxRoot(root, sources());
  const links = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);
  expect(links(join(root, 'etc', 'alternatives'))).toEqual(
    links('/etc/alternatives').filter(name => !name.endsWith('.gz')),
  );
});

/** Simulates a machine that has no files for name resolution, because it has no network. */
onLinux('the sandbox root has the files hosts and resolv.conf, even if the machine has none', async () => {
  const stat = jest.spyOn(fs, 'statSync').mockReturnValue(undefined);
  try {
    await makeSandboxRoot(root, sources());
  } finally {
    stat.mockRestore();
  }
  for (const name of ['hosts', 'resolv.conf']) expect(readFileSync(join(root, 'etc', name), 'utf8')).toBe('');
});
