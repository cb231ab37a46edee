import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchDebianPackages } from '../debian/debian-packages.js';
import { newerRelease, sourceOf } from '../debian/newer-release.js';

/** A second C library, besides that of the system, with which a program can run. */
export interface OtherLibc {
  /** Path of the dynamic loader. To run a program, start the loader with `args`, followed by the program. */
  loader: string;
  args: string[];
}

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
  const distribution = newerRelease();
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
