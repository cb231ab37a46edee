import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { MANIFEST } from './names.js';

/** The fields of a skript. Those that are missing have their defaults on the platform. */
export type Manifest = { title: string; environment?: string } & Record<string, unknown>;

/** Returns the manifest of a folder; null if it has none. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return parseManifest(text, join(folder, MANIFEST));
}

/** @param place named in errors */
export function parseManifest(text: string, place: string): Manifest {
  const value = parseJson(text, place);
  const title = (value as Partial<Manifest> | null)?.title;
  if (typeof title === 'string' && title.trim() !== '') return { ...(value as object), title: title.trim() };
  throw new Failure(`${place} must be an object with a title, such as { "title": "Books" }.`, EXIT.usage);
}

/** @param place named in errors, which never quote the text: it may be a secret */
export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Failure(`${place} is not valid JSON.`, EXIT.usage);
  }
}
