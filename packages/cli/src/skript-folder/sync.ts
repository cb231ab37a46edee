import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { fieldPart, type Hashes } from './hashes.js';
import { parseJson } from './manifest.js';
import { BACKUPS, FROM_PLATFORM, OWN_FOLDER, SYNC } from './names.js';
import { refuseLinksOut } from './own-files.js';
import type { Changes } from './send-changes.js';

/**
 * Returns the hashes that a folder and a skript on the platform had in common after the last upload or download; null
 * before the first one. The id of the skript also tells accounts and platforms apart.
 */
export async function readSynced(folder: string, skriptId: string): Promise<Hashes | null> {
  await checkOwnFolder(folder);
  const hashes = (await readAll(folder))[skriptId];
  return hashes ? new Map(Object.entries(hashes)) : null;
}

export async function writeSynced(folder: string, skriptId: string, hashes: Hashes): Promise<void> {
  const path = join(folder, SYNC);
  const all = { ...(await readAll(folder)), [skriptId]: Object.fromEntries([...hashes].sort()) };
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(all, null, 2)}\n`);
  await rename(temporary, path);
}

/**
 * Refuses links in the place of what this program writes and deletes in a skript's folder.
 *
 * @throws {Failure} that names the link
 */
export const checkOwnFolder = (folder: string): Promise<void> =>
  refuseLinksOut(folder, [OWN_FOLDER, FROM_PLATFORM, BACKUPS, SYNC]);

async function readAll(folder: string): Promise<Record<string, Record<string, string>>> {
  const path = join(folder, SYNC);
  try {
    return parseJson(await readFile(path, 'utf8'), path) as Record<string, Record<string, string>>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * Returns the hashes that both sides have in common, before any change is sent. Parts that only differ keep their older
 * common hash, so that a change on the platform is still seen as one later.
 */
export function inCommon(local: Hashes, remote: Hashes, synced: Hashes | null): Hashes {
  const common: Hashes = new Map(synced);
  for (const [name, hash] of remote) {
    // A manifest may leave out fields that have their defaults.
    const isLeftOut = name.startsWith(fieldPart('')) && !local.has(name) && !common.has(name);
    if (isLeftOut || local.get(name) === hash) common.set(name, hash);
  }
  return common;
}

/**
 * Ends a command that would overwrite a change on the platform.
 *
 * @param removes whether the command deletes what only the platform has
 */
export function refuseConflicts(
  { fields, files, inputs }: Pick<Changes, 'fields' | 'files' | 'inputs'>,
  removes: boolean,
  remote: Hashes,
  synced: Hashes | null,
  command: 'upload' | 'update',
): void {
  const touched = [files, inputs].flatMap(({ added, changed, extra }) => [
    ...added,
    ...changed,
    ...(removes ? extra : []),
  ]);
  const names = [...Object.keys(fields).map(fieldPart), ...touched].filter(
    name => remote.get(name) !== synced?.get(name),
  );
  if (names.length === 0) return;
  const why = synced
    ? 'Changed on the platform since your last upload, so nothing was sent:'
    : 'Different on the platform, and this folder was never uploaded to it or downloaded from it, so nothing was sent:';
  const lines = names.map(name => `  ${name}${remote.has(name) ? '' : ' (deleted)'}`);
  const next = `\`trawl download\` keeps both, \`trawl ${command} --force\` overwrites the platform’s.`;
  throw new Failure([why, ...lines, next].join('\n'), EXIT.conflict);
}
