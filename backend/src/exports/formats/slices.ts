import { setImmediate } from 'node:timers/promises';
import type { ColumnSet } from './columns.js';
import type { Fields } from './format.js';

/** Number of cells that are converted without a break. More would keep the backend from answering other calls. */
const MAX_CELLS = 20_000;

/** Converts batches of documents to rows, in slices that are small enough to convert at once. */
export async function* rowSlices(batches: AsyncIterable<Fields[]>, columns: ColumnSet): AsyncGenerator<unknown[][]> {
  const sliceRows = Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns.columns.length)));
  for await (const batch of batches) {
    for (let start = 0; start < batch.length; start += sliceRows) {
      yield batch.slice(start, start + sliceRows).map(document => columns.row(document));
      await setImmediate();
    }
  }
}
