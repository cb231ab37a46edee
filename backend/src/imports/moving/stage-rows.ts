import { calculateObjectSize } from 'bson';
import { ApiError } from '../../common/errors.js';
import type { Source } from '../parsing/source.js';
import { UnreadableFile } from '../parsing/unreadable.js';
import { documentReader, isTable, type Reading, type Row, readRows } from '../reading/rows.js';
import type { Column } from '../values/columns.js';
import type { RowIds } from './row-ids.js';
import type { StagedRow } from './staging.js';

type Fields = Record<string, unknown>;

const BATCH_ROWS = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;
/** MongoDB's limit, less the fields that the import adds. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 - 1_024;

export interface StagingWork {
  source: Source;
  reading: Reading;
  columns: Column[];
  /** Number of columns in the file. */
  width: number;
  /** Fields that each row must have. */
  key: string[];
  /** Makes each `_id` that the file lacks. */
  ids: RowIds;
  signal: AbortSignal;
  /** Stores a batch, and returns the reasons for rows that MongoDB refuses. */
  store: (rows: StagedRow[], bytes: number) => Promise<Map<StagedRow, string>>;
  /** Gets each row that cannot be imported. */
  onBadRow: (number: number, reason: string, row: Row) => Promise<void>;
  onProgress: (rows: number) => void;
}

interface Batch {
  rows: StagedRow[];
  /** The rows as they are in the file. */
  sources: Row[];
  bytes: number;
}

/** The outcome of staging. */
export interface Staged {
  /** Number of the last row in the file. */
  last: number;
  /** Number of stored rows, and their size. */
  rows: number;
  bytes: number;
}

/**
 * Reads the file and stores its rows. While MongoDB stores a batch, it reads the next one. If the file cannot be read any
 * further, the rest of it counts as one bad row.
 */
export async function stageRows(work: StagingWork): Promise<Staged> {
  const staged: Staged = { last: 0, rows: 0, bytes: 0 };
  const toDocument = documentReader(work.reading, work.columns, work.width);
  const { rows } = await readRows(work.source, work.reading);
  let storing: Promise<void> = Promise.resolve();
  let batch = emptyBatch();
  const flush = async () => {
    const full = batch;
    batch = emptyBatch();
    await storing;
    storing = full.rows.length > 0 ? storeBatch(work, full, staged) : Promise.resolve();
    // The failure is thrown by the next `await storing`.
    storing.catch(() => undefined);
    work.onProgress(staged.last);
    work.signal.throwIfAborted();
  };
  const add = async (row: Row) => {
    staged.last += 1;
    try {
      const document = withId(toDocument(row), work, staged.last);
      const bytes = sizeOf(document);
      batch.rows.push({ number: staged.last, document });
      batch.sources.push(row);
      batch.bytes += bytes;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await work.onBadRow(staged.last, error.message, row);
    }
    if (batch.rows.length >= BATCH_ROWS || batch.bytes >= BATCH_BYTES) await flush();
  };
  try {
    for await (const row of readable(rows, work, staged)) await add(row);
    await flush();
    await storing;
    return staged;
  } finally {
    // After a failure, the caller drops the collection. A later write would create it again.
    await storing.catch(() => undefined);
  }
}

/** Yields the rows up to the place where the file cannot be read any further. */
async function* readable(rows: AsyncIterable<Row>, work: StagingWork, staged: Staged): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const reason = `${error.message} Trawl cannot read the rest of the file.`;
    await work.onBadRow(staged.last + 1, reason, isTable(work.reading.format) ? [] : '');
  }
}

const emptyBatch = (): Batch => ({ rows: [], sources: [], bytes: 0 });

async function storeBatch(work: StagingWork, { rows, sources, bytes }: Batch, staged: Staged): Promise<void> {
  const refused = await work.store(rows, bytes);
  staged.rows += rows.length - refused.size;
  staged.bytes += bytes;
  for (const [row, reason] of refused) await work.onBadRow(row.number, reason, sources[rows.indexOf(row)]);
}

/** Puts the `_id` first, and checks the fields that MongoDB needs to have a value. */
function withId(fields: Fields, { key, ids }: StagingWork, number: number): Fields {
  const _id = Object.hasOwn(fields, '_id') ? fields._id : ids.of(number);
  if (Array.isArray(_id)) throw bad('_id: a list cannot be an _id.');
  const document: Fields = { _id, ...fields };
  for (const field of key) {
    const value = valueAt(document, field);
    if (value === undefined || value === null || value === '') throw bad(`${field}: a key must not be empty.`);
    if (Array.isArray(value)) throw bad(`${field}: a key must not be a list.`);
  }
  return document;
}

function valueAt(document: Fields, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
    value = (value as Fields)[name];
  }
  return value;
}

function sizeOf(document: Fields): number {
  const bytes = calculateObjectSize(document);
  if (bytes > MAX_DOCUMENT_BYTES) throw bad(`The document has ${bytes} bytes; the limit is ${MAX_DOCUMENT_BYTES}.`);
  return bytes;
}

const bad = (message: string): ApiError => new ApiError('validation_failed', message);
