import { ApiError } from '../../../platform/common/errors.js';
import type { Source } from '../parsing/source.js';
import { UnreadableFile } from '../parsing/unreadable.js';
import { isTable, type Reading, type Row, readRows } from '../reading/rows.js';

const BATCH_ROWS = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;

export interface StagingWork<Stored extends { number: number }> {
  source: Source;
  reading: Reading;
  /**
   * Makes what is stored from a row of the file.
   * @throws {ApiError} with the reason why the row is bad.
   */
  convert: (row: Row, number: number) => { stored: Stored; bytes: number };
  signal: AbortSignal;
  /** Stores a batch, and returns the reasons for rows that the database refuses. */
  store: (rows: Stored[], bytes: number) => Promise<Map<Stored, string>>;
  /** Gets each row that cannot be imported. */
  onBadRow: (number: number, reason: string, row: Row) => Promise<void>;
  onProgress: (rows: number) => void;
}

interface Batch<Stored> {
  rows: Stored[];
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
 * Reads the file and stores its rows. While the database stores a batch, it reads the next one. If the file cannot be read any
 * further, the rest of it counts as one bad row.
 */
export async function stageRows<Stored extends { number: number }>(work: StagingWork<Stored>): Promise<Staged> {
  const staged: Staged = { last: 0, rows: 0, bytes: 0 };
  const { rows } = await readRows(work.source, work.reading);
  let storing: Promise<void> = Promise.resolve();
  let batch = emptyBatch<Stored>();
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
      const { stored, bytes } = work.convert(row, staged.last);
      batch.rows.push(stored);
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
async function* readable<Stored extends { number: number }>(
  rows: AsyncIterable<Row>,
  work: StagingWork<Stored>,
  staged: Staged,
): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const reason = `${error.message} Trawl cannot read the rest of the file.`;
    await work.onBadRow(staged.last + 1, reason, isTable(work.reading.format) ? [] : '');
  }
}

const emptyBatch = <Stored>(): Batch<Stored> => ({ rows: [], sources: [], bytes: 0 });

async function storeBatch<Stored extends { number: number }>(
  work: StagingWork<Stored>,
  { rows, sources, bytes }: Batch<Stored>,
  staged: Staged,
): Promise<void> {
  const refused = await work.store(rows, bytes);
  staged.rows += rows.length - refused.size;
  staged.bytes += bytes;
  for (const [row, reason] of refused) await work.onBadRow(row.number, reason, sources[rows.indexOf(row)]);
}
