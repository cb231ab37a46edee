import { ApiError } from '../../../platform/common/errors.js';
import { cellText, withoutFormula } from '../values/cells.js';

/** A document as a row of CSV: the text of each of its fields. */
export type CsvRow = ReadonlyMap<string, string>;

export const MAX_COLUMNS = 1_000;

/** Converts a document to a row. */
export const csvRow = (document: Record<string, unknown>): CsvRow =>
  new Map(Object.entries(document).map(([name, value]) => [name, cellText(value)]));

/**
 * Makes the lines of the CSV, the first with the names of the columns: `_id`, the selected fields, then all other
 * fields in the order in which the documents have them.
 * @throws {ApiError} 413 for too many columns: each row has all of them, so that the CSV could become far larger than
 * the documents.
 */
export function csvLines(rows: CsvRow[], selected: string[]): Iterable<string[]> {
  const columns = [...new Set(['_id', ...selected, ...rows.flatMap(row => [...row.keys()])])];
  if (columns.length <= MAX_COLUMNS) return linesOf(columns, rows);
  throw new ApiError(
    'payload_too_large',
    `The documents of this page have ${columns.length} different fields; CSV has at most ${MAX_COLUMNS} columns. Select the fields that you need.`,
  );
}

function* linesOf(columns: string[], rows: CsvRow[]): Generator<string[]> {
  yield columns.map(withoutFormula);
  for (const row of rows) yield columns.map(name => row.get(name) ?? '');
}
