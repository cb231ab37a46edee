import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TypePack } from '@trawl/type-check';
import { isThere } from './is-there.js';

const HERE = dirname(fileURLToPath(import.meta.url));
/** The types of Trawl's libraries, which the build copies here. */
const TYPES = join(HERE, 'types');
/** The types of other built-in libraries and of Node, as JSON. */
const PACKS = join(HERE, 'type-packs');
const PLACE = join('.trawl', 'types');
const LIBRARIES = '/node_modules/';

/** Reads the types of a library, of Node or of the language. */
export const readTypePack = async (name: string): Promise<TypePack> =>
  JSON.parse(await readFile(join(PACKS, `${name}.json`), 'utf8'));

/** Writes the types of built-in libraries to the place that the skript's jsconfig.json or tsconfig.json names. */
export async function writeTypes(folder: string): Promise<void> {
  const place = join(folder, PLACE);
  await cp(TYPES, place, { recursive: true });
  for (const file of await readdir(PACKS)) {
    const pack = Object.entries(await readTypePack(file.replace('.json', '')));
    // Trawl's own are beside them already.
    await Promise.all(pack.filter(([path]) => isOfLibrary(path)).map(([path, text]) => write(join(place, path), text)));
  }
}

const isOfLibrary = (path: string): boolean =>
  path.startsWith(LIBRARIES) && !path.startsWith(`${LIBRARIES}@trawl/`) && !path.startsWith(`${LIBRARIES}bson/`);

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** As `writeTypes`, if a skript's configuration names types that are not there: a download or a clone leaves them out. */
export async function writeTypesIfMissing(folder: string): Promise<void> {
  if (await isThere(join(folder, PLACE))) return;
  for (const name of ['jsconfig.json', 'tsconfig.json']) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    if (text.includes('.trawl/types')) return writeTypes(folder);
  }
}
