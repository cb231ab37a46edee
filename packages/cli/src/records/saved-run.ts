import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import type { Row } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import type { RowsByTarget } from '../local-run/inserted-rows.js';

/** Size of the file of a run, because it is in memory as a whole. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Comparing rows needs stack for each level. */
const MAX_DEPTH = 100;

/** The run that a record is of. Its input is JSON text; null for none. */
export interface SavedRun {
  input: string | null;
  output: unknown;
  /** The rows of `dataset.push`. */
  rows: Row[];
  /** The rows of `mongo` and `postgres.insertMany`. Older files lack it, and so do records of older platforms. */
  inserted?: RowsByTarget;
  /** Times as ISO text. Older files lack them. */
  started_at?: string | null;
  ended_at?: string | null;
}

/**
 * Reads the file beside a record.
 *
 * @param name names the file in errors
 * @throws {Failure}
 */
export async function readSavedRun(path: string, name: string): Promise<SavedRun> {
  const refuse = (reason: string) => new Failure(`Trawl refuses ${name}: ${reason}.`);
  const value = parsed(await textOf(path, name, refuse));
  if (value === undefined) throw refuse('it is not valid JSON');
  if (isDeeper(value, MAX_DEPTH)) throw refuse(`it must have at most ${MAX_DEPTH} objects and lists inside each other`);
  const {
    input = null,
    output = null,
    rows,
    inserted,
    started_at = null,
    ended_at = null,
  } = (value ?? {}) as Partial<SavedRun>;
  if (!areRows(rows)) throw refuse('`rows` must be a list of objects');
  if (
    inserted !== undefined &&
    !(isRow(inserted) && Object.values(inserted).every(one => one === null || areRows(one)))
  )
    throw refuse('`inserted` must have a list of objects, or null, for each collection and table');
  if (input !== null && (typeof input !== 'string' || parsed(input) === undefined)) {
    throw refuse('`input` must be null, or text that is JSON');
  }
  for (const time of [started_at, ended_at]) {
    if (time !== null && (typeof time !== 'string' || Number.isNaN(Date.parse(time))))
      throw refuse('`started_at` and `ended_at` must be times as ISO text');
  }
  return { input, output, rows, started_at, ended_at, ...(inserted && { inserted }) };
}

/** @throws {Failure} if `readSavedRun` would refuse it */
export async function writeSavedRun(path: string, run: SavedRun): Promise<void> {
  const json = `${JSON.stringify(run, null, 2)}\n`;
  if (Buffer.byteLength(json) > MAX_BYTES) {
    throw new Failure(
      `The rows, the input and the output of the run must have at most ${MAX_BYTES} bytes in a saved record.`,
    );
  }
  await writeFile(path, json);
}

async function textOf(path: string, name: string, refuse: (reason: string) => Failure): Promise<string> {
  // To open a named pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => null);
  if (!file) throw new Failure(`There is no ${name}. Save a record with: trawl records pull <run>`, EXIT.notFound);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse('it must be a file');
    if (stats.size > MAX_BYTES) throw refuse(`it may have ${MAX_BYTES} bytes, and has ${stats.size}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Returns undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areRows = (value: unknown): value is Row[] => Array.isArray(value) && value.every(isRow);

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some(inner => isDeeper(inner, depth - 1));
}
