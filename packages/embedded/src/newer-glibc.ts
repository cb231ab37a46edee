import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A C library beside the system's own, under which a program can be run. */
export interface OtherLibc {
  /** Its dynamic loader, which is the command; the program comes after `args`. */
  loader: string;
  args: string[];
}

/** The release of each distribution that is fetched from: the first one with glibc 2.38 or newer. */
const RELEASES: Record<string, { suite: string; component: string; keyring: string }> = {
  debian: { suite: 'trixie', component: 'main', keyring: '/usr/share/keyrings/debian-archive-keyring.gpg' },
  ubuntu: { suite: 'noble', component: 'main', keyring: '/usr/share/keyrings/ubuntu-archive-keyring.gpg' },
};

const ARCHITECTURES: Record<string, { triplet: string; loader: string }> = {
  x64: { triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

/** The version of this machine's glibc, e.g. `2.36`; undefined where the C library is another one. */
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
 * A newer glibc in the cache folder, fetched once with apt (which checks signature and hash) from the mirror that this
 * machine uses; nothing is installed and no right is needed. Rejects with the reason where that cannot be done.
 */
export async function newerGlibc(cacheDir: string, onProgress: (line: string) => void): Promise<OtherLibc> {
  const architecture = ARCHITECTURES[process.arch];
  const distribution = RELEASES[distributionId()];
  if (!architecture || !distribution) throw new Error('no newer C library is known for this system');
  const root = join(cacheDir, `glibc-${distribution.suite}-${process.arch}`);
  const libraries = join(root, 'usr', 'lib', architecture.triplet);
  const loader = join(libraries, architecture.loader);
  if (!existsSync(loader)) {
    onProgress('Fetching a newer C library for the MongoDB engine (once, 3 MB)');
    await fetchInto(root, cacheDir, distribution);
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

/** Works in a folder of its own that gets its name last, so that starts at the same time do not meet. */
async function fetchInto(
  root: string,
  cacheDir: string,
  { suite, component, keyring }: { suite: string; component: string; keyring: string },
): Promise<void> {
  if (!existsSync(keyring)) throw new Error(`the file ${keyring}, with which apt checks packages, is missing`);
  mkdirSync(cacheDir, { recursive: true, mode: 0o755 });
  const work = mkdtempSync(`${root}.`);
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(work, folder), { recursive: true });
    const sources = join(work, 'sources.list');
    const options = [
      `Dir::Etc::sourcelist=${sources}`,
      'Dir::Etc::sourceparts=-',
      `Dir::State::lists=${join(work, 'lists')}`,
      `Dir::Cache=${join(work, 'cache')}`,
      // apt as root gives downloads to a user who cannot enter this folder.
      'APT::Sandbox::User=',
      'Acquire::Retries=2',
    ].flatMap(option => ['-o', option]);
    writeFileSync(sources, `deb [signed-by=${keyring}] ${await mirror()} ${suite} ${component}\n`);
    await run('apt-get', [...options, 'update', '-qq'], { cwd: work });
    await run('apt-get', [...options, 'download', '-qq', 'libc6'], { cwd: work });
    const archive = readdirSync(work).find(name => name.endsWith('.deb'));
    if (!archive) throw new Error('apt brought no package');
    await run('dpkg', ['-x', archive, 'root'], { cwd: work });
    renameSync(join(work, 'root'), root);
  } catch (error) {
    if (existsSync(root)) return; // another start was first
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error((stderr?.trim() || message).split('\n').slice(-2).join(' '));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Address of the mirror of the distribution's main archive that this machine's own apt uses. */
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
