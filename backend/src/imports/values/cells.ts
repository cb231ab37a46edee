import { isDate } from 'node:util/types';
import { Long } from 'bson';
import type { CellType } from './cell-types.js';

/** A cell of a table. The cells of CSV are texts; other formats also have values with a type, and undefined for none. */
export type Cell = string | number | boolean | Date | undefined;

/** Returns a cell as text, as CSV would have it. */
export function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (cell === undefined) return '';
  return isDate(cell) ? cell.toISOString() : String(cell);
}

/** Returns the type of a cell that is no text; undefined for a text or an empty cell. */
export function typeOfCell(cell: Cell): CellType | undefined {
  if (isDate(cell)) return 'date';
  return typeof cell === 'number' || typeof cell === 'boolean' ? (typeof cell as 'number' | 'boolean') : undefined;
}

/** Returns the value that a cell has in a document. MongoDB stores whole numbers beyond 32 bits as such. */
export const storedValue = (cell: Exclude<Cell, string | undefined>): unknown =>
  typeof cell === 'number' && Number.isSafeInteger(cell) && Math.abs(cell) >= 2 ** 31 ? Long.fromNumber(cell) : cell;
