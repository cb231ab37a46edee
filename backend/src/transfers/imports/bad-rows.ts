import { stringify } from 'csv-stringify/sync';
import { exactText } from '../../data/storage/values/exact-json.js';
import { toRelaxed } from '../../data/storage/values/extended-json.js';
import { plain } from '../../data/storage/values/plain-json.js';
import type { ImportParams } from './import-params.js';
import { type Format, isTable, type Row } from './reading/rows.js';
import { type Cell, textOf } from './values/cells.js';

type Fields = Record<string, unknown>;

const MAX_LINE_CHARS = 256 * 1024;

/**
 * Writes the lines of the file of bad rows: for CSV the number of the row, the reason, and its cells; for other formats
 * NDJSON with the same. Cells stay as they are, even if a spreadsheet would run them as formulas, so that the rows can
 * be corrected and imported.
 */
export class BadRowLines {
  constructor(
    private readonly format: Format,
    private readonly names: string[],
    private readonly columns: { index: number; field: string }[],
  ) {}

  static of({ reading, names, columns }: ImportParams): BadRowLines {
    return new BadRowLines(reading.format, names, columns);
  }

  header(): string {
    return isTable(this.format) ? stringify([['row', 'reason', ...this.names]]) : '';
  }

  /** A row as it is in the file. A long one is left out. */
  line(number: number, reason: string, row: Row): string {
    const line = this.#whole(number, reason, row);
    return line.length <= MAX_LINE_CHARS ? line : this.lineOf(number, reason, undefined);
  }

  #whole(number: number, reason: string, row: Row): string {
    if (isTable(this.format))
      return stringify([[String(number), reason, ...Array.from((row ?? []) as Cell[], textOf)]]);
    const sent = typeof row === 'string' ? { text: row } : row === undefined ? {} : { document: row };
    return `${exactText({ row: number, reason, ...sent })}\n`;
  }

  /** A row of which only the document is left. */
  lineOf(number: number, reason: string, document: Fields | undefined): string {
    if (!document) return this.#whole(number, `${reason} (The row is too long to repeat here.)`, undefined);
    if (!isTable(this.format)) return `${JSON.stringify({ row: number, reason, document: toRelaxed(document) })}\n`;
    const cells = this.names.map(() => '');
    for (const { index, field } of this.columns) cells[index] = textAt(document, field);
    return this.line(number, reason, cells);
  }
}

function textAt(document: Fields, field: string): string {
  const value = plain(
    field.split('.').reduce<unknown>((inner, name) => (inner as Fields | undefined)?.[name], document),
  );
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
