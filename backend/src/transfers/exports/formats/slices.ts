import { setImmediate } from 'node:timers/promises';
import type { ColumnSet } from './columns.js';
import { fieldsOf, type StoredDocument } from './documents.js';

/**
 * Number of cells that are converted without a break. More would keep the backend from answering other calls, and the
 * driver from releasing the batch that it has handed over.
 */
const MAX_CELLS = 1_000;

/** Converts batches of documents to rows, in slices that are small enough to convert at once. Use each slice once. */
export async function* rowSlices(
  batches: AsyncIterable<StoredDocument[]>,
  columns: ColumnSet,
): AsyncGenerator<Iterable<unknown[]>> {
  const sliceRows = Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns.columns.length)));
  for await (const batch of batches) {
    for (let start = 0; start < batch.length; start += sliceRows) {
      yield rowsOf(batch.slice(start, start + sliceRows), columns);
      await setImmediate();
    }
  }
}

function* rowsOf(documents: StoredDocument[], columns: ColumnSet): Generator<unknown[]> {
  for (const document of documents) yield columns.row(fieldsOf(document));
}
