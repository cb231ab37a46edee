import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Apt, fetchDebianPackages } from '@trawl/embedded/debian-packages';

const COMMAND_MS = 180_000;

/** The folder with the HTML pages, or the reason why there is none. */
export type PythonDocs = { folder: string } | { folder: null; reason: string };

/**
 * Returns the name of the package with the pages. `python3-doc` has no pages itself; it depends on the package for the
 * Python version of this Debian.
 */
async function docsPackage(apt: Apt): Promise<string[]> {
  const description = await apt('apt-cache', 'show', '--no-all-versions', 'python3-doc');
  const name = /^Depends:.*?\b(python3\.\d+-doc)\b/m.exec(description)?.[1];
  if (!name) throw new Error('no package list contains it: this is not Debian, or its mirror is unreachable');
  return [name];
}

/**
 * Finds the folder `usr/share/doc/<name>/html` in an unpacked package. It skips names where `html` is a symbolic link.
 */
async function htmlFolder(unpacked: string): Promise<string | undefined> {
  const docs = join(unpacked, 'usr/share/doc');
  for (const name of await readdir(docs)) {
    const inside = await readdir(join(docs, name), { withFileTypes: true });
    if (inside.some(entry => entry.name === 'html' && entry.isDirectory())) return join(docs, name, 'html');
  }
  return undefined;
}

/**
 * Returns the folder with the HTML pages of Debian's Python documentation, which it keeps in `cacheDir`. The first time
 * it downloads the pages with apt. If this fails, it returns the reason instead.
 */
export async function fetchPythonDocs(cacheDir: string): Promise<PythonDocs> {
  const kept = resolve(cacheDir, 'python-docs');
  if (!existsSync(kept)) {
    try {
      await fetchDebianPackages({ folder: kept, packages: docsPackage, timeoutMs: COMMAND_MS });
    } catch (error) {
      const reason = error instanceof Error ? error.message.trim() : String(error);
      return { folder: null, reason: `cannot download Debian's python3-doc: ${reason}` };
    }
  }
  const folder = await htmlFolder(kept);
  if (!folder) return { folder: null, reason: `${kept} has no usr/share/doc/*/html: delete the folder and try again` };
  return { folder };
}
