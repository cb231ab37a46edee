import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { refuseLinksOut } from '../skript-folder/own-files.js';
import { readSavedRun, type SavedRun } from './saved-run.js';

/** Folder beside main.js with the records of runs. */
const RECORDS = 'records';
const ENDING = '.record';
const NAME = /^\w[\w.-]{0,99}$/;

/** A record, and the run that it is of. */
export interface SavedRecord {
  /** Names the record in errors. */
  name: string;
  path: string;
  run: SavedRun;
}

/** Returns the names of the records in a skript's folder, in order. */
export async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, RECORDS)).catch(() => []);
  return names
    .filter(name => name.endsWith(ENDING))
    .map(name => name.slice(0, -ENDING.length))
    .sort();
}

/** Path of a record from the skript's folder. */
export const recordFile = (name: string): string => join(RECORDS, name + ENDING);

/**
 * Reads the run of a record, and checks the record: somebody else may have made both files.
 *
 * @throws {Failure} that names the file and the reason
 */
export async function readRecord(folder: string, name: string): Promise<SavedRecord> {
  checkName(name, 'The name of a record');
  const path = join(folder, recordFile(name));
  await refuseLinksOut(folder, [path, `${path}.json`]);
  const run = await readSavedRun(`${path}.json`, `${recordFile(name)}.json`);
  await checkRecordFile(path, recordFile(name));
  return { name: recordFile(name), path, run };
}

/**
 * Refuses a file that is no record.
 *
 * @param name names the file in errors
 * @throws {Failure}
 */
export async function checkRecordFile(path: string, name: string): Promise<void> {
  const { checkRecord } = await import('@trawl/worker/local-worker');
  await checkRecord(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new Failure(`There is no ${name}. Save a record with: trawl records pull <run>`, EXIT.notFound);
    throw new Failure(`Trawl refuses ${name}. ${error.message}`);
  });
}

/** Makes place for a record in a skript's folder, and returns its path. */
export async function prepareRecord(folder: string, name: string, option: string): Promise<string> {
  checkName(name, option);
  const path = join(folder, recordFile(name));
  await refuseLinksOut(folder, [RECORDS, path, `${path}.json`]);
  await mkdir(join(folder, RECORDS), { recursive: true });
  return path;
}

function checkName(name: string, what: string): void {
  if (NAME.test(name)) return;
  const given = JSON.stringify(name.slice(0, 200));
  throw new Failure(`${what} must have at most 100 letters, digits, dots and dashes; you gave ${given}.`, EXIT.usage);
}
