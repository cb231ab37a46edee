import { readFileSync } from 'node:fs';

/** The version of this backend, which all packages of a release share. */
export const { version: TRAWL_VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };
