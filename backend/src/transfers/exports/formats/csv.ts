import { stringify } from 'csv-stringify/sync';
import { cellText, withoutFormula } from '../../../data/storage/values/cells.js';
import type { ColumnSet } from './columns.js';
import type { DeclaredColumns } from './declared.js';
import type { StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';
import { rowSlices } from './slices.js';

const EMPTY = /^$/;

async function* write(
  batches: AsyncIterable<StoredDocument[]>,
  columns: ColumnSet | null,
  options: FormatOptions,
  declared: DeclaredColumns,
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
  // PostgreSQL tells NULL from an empty text by quotes. An import into MongoDB has no such rule, so its documents have none.
  const quotesEmpty = declared.size > 0;
  const cell = (value: unknown) => (quotesEmpty && (value ?? null) === null ? null : cellText(value, options));
  for await (const rows of rowSlices(batches, columns)) {
    yield Buffer.from(
      stringify(
        Array.from(rows, row => row.map(cell)),
        quotesEmpty ? { quoted_match: EMPTY } : {},
      ),
    );
  }
}

export const csv: ExportFormat = {
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8',
  needs: 'names',
  write,
};
