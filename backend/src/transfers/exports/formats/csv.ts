import { stringify } from 'csv-stringify/sync';
import { cellText, withoutFormula } from '../../../data/storage/values/cells.js';
import type { ColumnSet } from './columns.js';
import type { StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';
import { rowSlices } from './slices.js';

async function* write(
  batches: AsyncIterable<StoredDocument[]>,
  columns: ColumnSet | null,
  options: FormatOptions,
): AsyncGenerator<Uint8Array> {
  // Without documents there are no names, and a blank line would be a row to other programs.
  if (!columns) return;
  if (columns.columns.length === 0) {
    // Reads rows without columns, because other formats count them.
    for await (const _ of batches);
    return;
  }
  const names = columns.columns.map(({ name }) => (options.keepsFormulas ? name : withoutFormula(name)));
  yield Buffer.from(stringify([names], { bom: options.bom === true }));
  for await (const rows of rowSlices(batches, columns)) {
    yield Buffer.from(stringify(Array.from(rows, row => row.map(value => cellText(value, options)))));
  }
}

export const csv: ExportFormat = {
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8',
  needs: 'names',
  write,
};
