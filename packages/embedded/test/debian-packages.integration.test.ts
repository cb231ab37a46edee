import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Apt, fetchDebianPackages } from '../src/debian/debian-packages.js';

const onUnix = process.platform === 'win32' ? describe.skip : describe;

let home: string;
let folder: string;
const { PATH } = process.env;

/** Puts a shell script on the PATH that is run instead of this program. */
function standIn(program: string, script: string): void {
  const path = join(home, 'bin', program);
  writeFileSync(path, `#!/bin/sh\necho "$0 $*" >> ${home}/calls\n${script}\n`);
  chmodSync(path, 0o755);
}

const calls = (): string[] => readFileSync(join(home, 'calls'), 'utf8').trim().split('\n');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-debian-'));
  folder = join(home, 'cache', 'tool');
  mkdirSync(join(home, 'bin'));
  process.env.PATH = `${join(home, 'bin')}:${PATH}`;
  standIn('dpkg', 'mkdir -p "$3/usr/bin" && cp "$2" "$3/usr/bin/"');
});

afterEach(() => {
  process.env.PATH = PATH;
  rmSync(home, { recursive: true });
});

onUnix('fetching Debian packages', () => {
  test('unpacks all packages into one folder that everybody can read', async () => {
    standIn('apt-get', 'touch one.deb two.deb');
    await fetchDebianPackages({ folder, packages: ['one', 'two'] });
    expect(readdirSync(join(folder, 'usr/bin'))).toEqual(['one.deb', 'two.deb']);
    expect(readdirSync(join(home, 'cache'))).toEqual(['tool']);
    expect(calls().filter(call => call.includes('apt-get'))).toHaveLength(1);
  });

  test('downloads new package lists if those of this machine are outdated', async () => {
    standIn('apt-get', 'case "$*" in *State::lists*download*) touch one.deb;; *update*) ;; *) exit 100;; esac');
    await fetchDebianPackages({ folder, packages: ['one'] });
    expect(existsSync(join(folder, 'usr/bin/one.deb'))).toBe(true);
  });

  test('uses only the given source, and looks package names up in its lists', async () => {
    standIn('apt-get', 'touch one.deb');
    standIn('apt-cache', 'cat sources.list > /dev/null && echo found');
    const packages = async (apt: Apt) => [(await apt('apt-cache', 'show', 'one')).trim()];
    await fetchDebianPackages({ folder, packages, source: 'deb http://mirror.example stable main' });
    const [update, look, download] = calls();
    for (const call of [update, look, download]) expect(call).toContain('Dir::Etc::sourceparts=-');
    expect(download).toMatch(/download found$/);
  });

  test('fails with apt’s last error message and leaves no files behind', async () => {
    standIn('apt-get', 'echo "E: Unable to locate package one" >&2; exit 100');
    await expect(fetchDebianPackages({ folder, packages: ['one'] })).rejects.toThrow('E: Unable to locate package one');
    expect(readdirSync(join(home, 'cache'))).toEqual([]);
  });
});
