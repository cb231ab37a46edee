import { setImmediate } from 'node:timers/promises';
import { ColumnSet } from './columns.js';
import type { DeclaredColumns } from './declared.js';
import { fieldsOf, type StoredDocument } from './documents.js';
import type { FormatOptions } from './format.js';
import { FORMATS, type FormatName } from './formats.js';

export interface WriteOptions extends FormatOptions {
  format: FormatName;
  /** The columns; null to find them by reading all documents once more. */
  fields: string[] | null;
  flatten: boolean;
}

/**
 * Reads all documents, in batches. Each call starts again.
 * @param declare receives the columns before the first batch, from sources that have columns.
 */
export type ReadBatches = (declare: (columns: DeclaredColumns) => void) => AsyncIterable<StoredDocument[]>;

/**
 * Finds the columns, then starts to write the file. Errors of the request and of its columns come before the first
 * piece.
 * See docs/decisions/0144-exports-stream-in-two-passes.md.
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
  const declared: DeclaredColumns = new Map();
  const declare = (found: DeclaredColumns) => {
    for (const [name, column] of found) declared.set(name, column);
  };
  if (needs !== 'nothing') {
    columns = new ColumnSet(flatten, fields, declared);
    if (needs === 'types' || fields === null) await scan(read(declare), columns, needs === 'types');
    // Without rows, the names of the columns are all that there is.
    if (columns.columns.length === 0) columns.scan(Object.fromEntries([...declared.keys()].map(name => [name, null])));
  }
  const batches = read(declare)[Symbol.asyncIterator]();
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
      yield* write(documents(), columns, options, declared);
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
