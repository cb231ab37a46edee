import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryOfWorker } from '@trawl/contracts';
import { Failure } from '../failure.js';
import { parseJson } from '../skript-folder/manifest.js';
import { isThere } from './is-there.js';

/** Built into runs, and on npm too. */
const ON_NPM = ['puppeteer', 'puppeteer-core'];

/**
 * Reads the `dependencies` of a skript's package.json.
 *
 * @throws {Failure} if libraries must be installed first
 */
export async function readDependencies(folder: string): Promise<Record<string, unknown>> {
  const path = join(folder, 'package.json');
  if (!(await isThere(path))) return {};
  const { dependencies } = (parseJson(await readFile(path, 'utf8'), path) ?? {}) as { dependencies?: unknown };
  const found = { ...(dependencies as Record<string, unknown>) };
  const toInstall: string[] = [];
  const notOnNpm: string[] = [];
  for (const [name, range] of Object.entries(found)) {
    const { library } = libraryOfWorker(name, range) ?? {};
    if (library === undefined) {
      if (!(await isThere(join(folder, 'node_modules', name)))) toInstall.push(name);
    } else if (!ON_NPM.includes(library)) notOnNpm.push(name);
  }
  if (toInstall.length === 0) return found;
  const advice =
    notOnNpm.length === 0
      ? `Run npm install in ${folder}.`
      : `Take ${notOnNpm.join(', ')} out of package.json, then run npm install in ${folder}. These are built into every run, and strangers may register their names on npm.`;
  throw new Failure(`These libraries are not installed: ${toInstall.join(', ')}. ${advice}`);
}
