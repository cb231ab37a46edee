import { accessSync, constants, existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Returns the absolute path of Trawl's cache folder, without creating it. The cache holds downloads and copies that
 * every checkout of the same user shares; you can delete it at any time. Besides the checkout and the data folder it is
 * the only place that Trawl writes to.
 */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  // The cache folder in root's home is not usable: only root can enter its home, but the users of the databases and of
  // the runs need the cache, too.
  if (process.getuid?.() === 0 && platform() === 'linux' && canWriteBelow('/var/cache/trawl'))
    return '/var/cache/trawl';
  if (env.XDG_CACHE_HOME?.startsWith('/')) return join(env.XDG_CACHE_HOME, 'trawl');
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'trawl');
  return join(homedir(), '.cache', 'trawl');
}

function canWriteBelow(path: string): boolean {
  const existing = existsSync(path) ? path : dirname(path);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
