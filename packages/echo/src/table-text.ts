import { objectText } from './object-text.js';

const MAX_ROWS = 100;
/** Longer cells are written in full, but do not widen their column. */
const MAX_PADDED_CHARS = 40;
const BETWEEN_CELLS = '│';

/**
 * Writes rows as a table in plain text: a line with the column names, a rule, and a line for each of the first 100 rows.
 * The panel draws a table for text of this form. Cells are never cut: a part of a secret could not be redacted.
 *
 * @param rows objects, whose keys become the columns. Any other value becomes a row with the column `value`.
 */
export function tableText(rows: unknown): string {
  const all = Array.isArray(rows) ? rows : [rows];
  // The conversion to JSON and back leaves only plain data.
  const shown = [JSON.parse(objectText(all.slice(0, MAX_ROWS)))].flat().map(cellsOf);
  const names = [...new Set(shown.flatMap(cells => [...cells.keys()]))];
  if (names.length === 0) return '(no rows)';
  const lines = [names.map(cellText), ...shown.map(cells => names.map(name => cellText(cells.get(name))))];
  const widths = names.map((_, column) => Math.max(...lines.map(line => paddedChars(line[column]))));
  const [header = '', ...body] = lines.map(line => lineText(line, widths));
  const rule = widths.map(width => '─'.repeat(width)).join('─┼─');
  const more = all.length - shown.length;
  return [header, rule, ...body, ...(more > 0 ? [`… and ${more} more rows`] : [])].join('\n');
}

const cellsOf = (row: unknown): Map<string, unknown> =>
  new Map(typeof row === 'object' && row !== null ? Object.entries(row) : [['value', row]]);

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(BETWEEN_CELLS, '|').replace(/\r\n|[\r\n]/g, '⏎');
}

const paddedChars = (text = ''): number => Math.min(text.length, MAX_PADDED_CHARS);

const lineText = (line: string[], widths: number[]): string =>
  line
    .map((text, column) => text.padEnd(widths[column] ?? 0))
    .join(` ${BETWEEN_CELLS} `)
    .trimEnd();
