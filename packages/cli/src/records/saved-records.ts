import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Row } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { parseJson } from '../skript-folder/manifest.js';
import { refuseLinksOut } from '../skript-folder/own-files.js';

/** Folder beside main.js with the records of runs. */
const RECORDS = 'records';
const ENDING = '.record';
const NAME = /^[\w][\w.-]{0,99}$/;

/** The run that a record is of. Its input is JSON text; null for none. */
export interface SavedRun {
  input: string | null;
  output: unknown;
  rows: Row[];
}

/** Returns the names of the records in a skript's folder, in order. */
export async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, RECORDS)).catch(() => []);
  return names
    .filter(name => name.endsWith(ENDING))
    .map(name => name.slice(0, -ENDING.length))
    .sort();
}

export const recordPath = (folder: string, name: string): string => join(folder, RECORDS, name + ENDING);

/** @throws {Failure} if there is no such record, or its run is not what `trawl records pull` writes */
export async function readRecord(folder: string, name: string): Promise<{ path: string; run: SavedRun }> {
  const path = recordPath(folder, name);
  const runPath = `${path}.json`;
  await refuseLinksOut(folder, [path, runPath]);
  const text = await readFile(runPath, 'utf8').catch(() => null);
  if (text === null) {
    throw new Failure(`There is no ${runPath}. Save a record with: trawl records pull <run>`, EXIT.notFound);
  }
  const { input = null, output = null, rows } = (parseJson(text, runPath) ?? {}) as Partial<SavedRun>;
  if (!Array.isArray(rows) || (input !== null && typeof input !== 'string')) {
    throw new Failure(`${runPath} must have a list \`rows\`, and an \`input\` that is text or null.`);
  }
  return { path, run: { input, output, rows } };
}

/** Makes place for a record in a skript's folder, and returns its path. */
export async function prepareRecord(folder: string, name: string): Promise<string> {
  if (!NAME.test(name)) {
    throw new Failure(
      `--name must have letters, digits, dots and dashes; you gave ${JSON.stringify(name)}.`,
      EXIT.usage,
    );
  }
  const path = recordPath(folder, name);
  await refuseLinksOut(folder, [RECORDS, path, `${path}.json`]);
  await mkdir(join(folder, RECORDS), { recursive: true });
  return path;
}

export const saveRun = (path: string, run: SavedRun): Promise<void> =>
  writeFile(`${path}.json`, `${JSON.stringify(run, null, 2)}\n`);
