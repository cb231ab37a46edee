import { accessSync, constants, existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The one folder outside checkout and data folder that Trawl writes to: downloads and copies that any checkout of the
 * same user can share, and that may be deleted at any time. Absolute; not created here.
 */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  // Root's own cache is below a 0700 folder, where the users that databases and runs get cannot look.
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
