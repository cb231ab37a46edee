import { isDate } from 'node:util/types';
import { type Binary, Long } from 'bson';
import { isBson } from '../../../data/storage/values/is-bson.js';
import { plain } from '../../../data/storage/values/plain-json.js';
import { UNSAVED_FORMULA } from '../parsing/xlsx/unsaved-formula.js';
import type { CellType } from './cell-types.js';

/**
 * A cell of a table. The cells of CSV are texts; other formats also have values with a type, and undefined for none. An
 * object is a value of MongoDB, a list, or an object with fields.
 */
export type Cell = string | number | boolean | Date | object | typeof UNSAVED_FORMULA | undefined;

/** Returns a cell as text, as CSV would have it. */
export function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (cell === undefined || cell === UNSAVED_FORMULA) return '';
  if (isDate(cell)) return Number.isNaN(cell.getTime()) ? '' : cell.toISOString();
  const value = plain(cell);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the type of a cell that is no text; undefined for a text or an empty cell. */
export function typeOfCell(cell: Cell): CellType | undefined {
  if (isDate(cell)) return 'date';
  if (typeof cell === 'number' || typeof cell === 'boolean') return typeof cell as 'number' | 'boolean';
  if (typeof cell !== 'object') return undefined;
  if (!isBson(cell)) return 'json';
  return (cell as Binary)._bsontype === 'Binary' ? 'binary' : 'number';
}

/** Returns the value that a cell has in a document. MongoDB stores whole numbers beyond 32 bits as such. */
export const storedValue = (cell: Exclude<Cell, string | symbol | undefined>): unknown =>
  typeof cell === 'number' && Number.isSafeInteger(cell) && Math.abs(cell) >= 2 ** 31 ? Long.fromNumber(cell) : cell;
