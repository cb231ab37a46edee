import { access, constants } from 'node:fs/promises';

const PATHS = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/local/bin/setpriv'];

/** Finds the program setpriv of util-linux; null if there is none. */
export async function findSetpriv(): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  for (const path of PATHS) {
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return null;
}
