import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThere } from './is-there.js';

/** The types of Trawl's libraries, which the build copies here. */
const TYPES = join(dirname(fileURLToPath(import.meta.url)), 'types');

/** Writes the types of Trawl's libraries to the place that the skript's jsconfig.json names. */
export const writeTypes = (folder: string): Promise<void> => cp(TYPES, placeOf(folder), { recursive: true });

/** As `writeTypes`, if a skript with a jsconfig.json lacks them: a download or a clone of the folder leaves them out. */
export async function writeTypesIfMissing(folder: string): Promise<void> {
  if ((await isThere(join(folder, 'jsconfig.json'))) && !(await isThere(placeOf(folder)))) await writeTypes(folder);
}

const placeOf = (folder: string): string => join(folder, '.trawl', 'types');
