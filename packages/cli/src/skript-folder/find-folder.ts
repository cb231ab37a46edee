import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { readManifest } from './manifest.js';
import { MANIFEST } from './names.js';

export interface FolderOptions {
  /** Title of a skript whose folder is in the current one. */
  skript?: string;
  /** All skripts whose folders are in the current one. */
  all?: boolean;
}

/** Finds the folders that a command is for: by default the current one. */
export async function findFolders({ skript, all }: FolderOptions, from = process.cwd()): Promise<string[]> {
  if (skript === undefined && !all) return [await checked(from)];
  const folders: string[] = [];
  const entries = await readdir(from, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (!entry.isDirectory()) continue;
    const folder = join(from, entry.name);
    const manifest = await readManifest(folder);
    if (manifest && (all || manifest.title === skript)) folders.push(folder);
  }
  if (folders.length === 0) {
    const wanted = all ? 'a skript' : `a skript titled ${JSON.stringify(skript)}`;
    throw new Failure(`No folder in ${from} has ${wanted} in its ${MANIFEST}.`, EXIT.notFound);
  }
  if (!all && folders.length > 1) {
    throw new Failure(
      `Several folders have the title ${JSON.stringify(skript)}: ${folders.join(', ')}.`,
      EXIT.conflict,
    );
  }
  return folders;
}

export async function findFolder(skript?: string): Promise<string> {
  const [folder] = await findFolders({ skript });
  return folder as string;
}

/** Returns the title of the skript in the current folder; undefined if it is not a skript's folder. */
export async function currentTitle(): Promise<string | undefined> {
  return (await readManifest(process.cwd()))?.title;
}

/** Returns the given skript, or the title of the one in the current folder. */
export async function skriptOrCurrent(skript: string | undefined): Promise<string> {
  const found = skript ?? (await currentTitle());
  if (found !== undefined) return found;
  throw new Failure(`Name a skript, or go to the folder of one: here is no ${MANIFEST}.`, EXIT.usage);
}

async function checked(folder: string): Promise<string> {
  if (await readManifest(folder)) return folder;
  throw new Failure(
    `${folder} is not the folder of a skript: it has no ${MANIFEST}. Go to one, or create one with: trawl init`,
    EXIT.notFound,
  );
}
