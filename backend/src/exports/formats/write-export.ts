import { setImmediate } from 'node:timers/promises';
import { ColumnSet } from './columns.js';
import { fieldsOf, type StoredDocument } from './documents.js';
import type { FormatOptions } from './format.js';
import { FORMATS, type FormatName } from './formats.js';

export interface WriteOptions extends FormatOptions {
  format: FormatName;
  /** The columns; null to find them by reading all documents once more. */
  fields: string[] | null;
  flatten: boolean;
}

/** Reads all documents, in batches. Each call starts again. */
export type ReadBatches = () => AsyncIterable<StoredDocument[]>;

/**
 * Finds the columns, then starts to write the file. Errors of the request and of its columns come before the first
 * piece.
 * @param onRows is called with the number of documents that the file has so far.
 * @returns the pieces of the file. If reading them fails, the file is incomplete.
 */
export async function writeExport(
  read: ReadBatches,
  { format, fields, flatten, ...options }: WriteOptions,
  onRows: (rows: number) => void = () => {},
): Promise<AsyncGenerator<Uint8Array>> {
  const { needs, write } = FORMATS[format];
  let columns: ColumnSet | null = null;
  if (needs !== 'nothing') {
    columns = new ColumnSet(flatten, fields);
    if (needs === 'types' || fields === null) await scan(read(), columns, needs === 'types');
  }
  const batches = read()[Symbol.asyncIterator]();
  const first = await batches.next();

  async function* documents(): AsyncGenerator<StoredDocument[]> {
    let rows = 0;
    for (let batch = first; !batch.done; batch = await batches.next()) {
      yield batch.value;
      rows += batch.value.length;
      onRows(rows);
    }
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      yield* write(documents(), columns, options);
    } finally {
      await batches.return?.();
    }
  }
  return pieces();
}

async function scan(batches: AsyncIterable<StoredDocument[]>, columns: ColumnSet, needsTypes: boolean): Promise<void> {
  for await (const batch of batches) {
    for (const document of batch) {
      if (needsTypes) columns.scanTypes(fieldsOf(document));
      else columns.scan(document);
    }
    await setImmediate();
  }
}
