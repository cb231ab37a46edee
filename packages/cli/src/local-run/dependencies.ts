import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryOfWorker } from '@trawl/contracts';
import { Failure } from '../failure.js';
import { parseJson } from '../skript-folder/manifest.js';
import { isThere } from './is-there.js';

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
  const toInstall = Object.keys(found).filter(name => libraryOfWorker(name, found[name]) === null);
  if (toInstall.length === 0 || (await isThere(join(folder, 'node_modules')))) return found;
  throw new Failure(`The libraries ${toInstall.join(', ')} are not installed. Run npm install in ${folder}.`);
}
