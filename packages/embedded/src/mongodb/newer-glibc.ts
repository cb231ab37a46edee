import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchDebianPackages } from '../debian/debian-packages.js';

const run = promisify(execFile);

/** A second C library, besides that of the system, with which a program can run. */
export interface OtherLibc {
  /** Path of the dynamic loader. To run a program, start the loader with `args`, followed by the program. */
  loader: string;
  args: string[];
}

/** For each distribution, the first release with glibc 2.38 or newer. */
const RELEASES: Record<string, Release> = {
  debian: { suite: 'trixie', component: 'main', keyring: '/usr/share/keyrings/debian-archive-keyring.gpg' },
  ubuntu: { suite: 'noble', component: 'main', keyring: '/usr/share/keyrings/ubuntu-archive-keyring.gpg' },
};

const ARCHITECTURES: Record<string, { triplet: string; loader: string }> = {
  x64: { triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

/** Returns the version of this machine's glibc, such as `2.36`; undefined if this machine has another C library. */
export function glibcVersion(): string | undefined {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime;
}

export function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number);
  return major !== thanMajor ? major < thanMajor : minor < thanMinor;
}

/**
 * Returns a newer glibc in the cache folder. The first time, downloads it from the mirror that this machine's apt uses.
 *
 * @throws Error with the reason, such as a system other than Debian or Ubuntu
 */
export async function newerGlibc(cacheDir: string, onProgress: (line: string) => void): Promise<OtherLibc> {
  const architecture = ARCHITECTURES[process.arch];
  const distribution = RELEASES[distributionId()];
  if (!architecture || !distribution) throw new Error('Trawl knows no newer C library for this system');
  const root = join(cacheDir, `glibc-${distribution.suite}-${process.arch}`);
  const libraries = join(root, 'usr', 'lib', architecture.triplet);
  const loader = join(libraries, architecture.loader);
  if (!existsSync(loader)) {
    onProgress('Downloading a newer C library for the MongoDB engine (once, 3 MB)');
    await fetchDebianPackages({ folder: root, packages: ['libc6'], source: await sourceOf(distribution) });
    if (!existsSync(loader))
      throw new Error(`the package libc6 of ${distribution.suite} has no ${architecture.loader}`);
  }
  return {
    loader,
    args: ['--library-path', `${libraries}:/usr/lib/${architecture.triplet}:/lib/${architecture.triplet}`],
  };
}

function distributionId(): string {
  if (!existsSync('/etc/os-release')) return '';
  const field = /^ID="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'));
  return field?.[1] ?? '';
}

interface Release {
  suite: string;
  component: string;
  keyring: string;
}

async function sourceOf({ suite, component, keyring }: Release): Promise<string> {
  if (!existsSync(keyring)) throw new Error(`apt needs the keyring ${keyring} to check packages, and it is missing`);
  return `deb [signed-by=${keyring}] ${await mirror()} ${suite} ${component}`;
}

/** Returns the mirror from which this machine's apt gets the main archive of the distribution. */
async function mirror(): Promise<string> {
  const { stdout } = await run('apt-get', [
    'indextargets',
    '--format',
    '$(ORIGIN) $(REPO_URI)',
    'Created-By: Packages',
  ]);
  const lines = stdout.split('\n').filter(line => line.trim() && !line.includes('security'));
  const own = lines.find(line => /^(Debian|Ubuntu) /.test(line)) ?? lines[0];
  const address = own?.split(' ').at(-1);
  if (!address) throw new Error('apt has no package source');
  return address;
}
