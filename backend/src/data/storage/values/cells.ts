import { ExactNumber, JsonText } from './exact-json.js';
import { isBson } from './is-bson.js';
import { plain } from './plain-json.js';

/** A spreadsheet runs a cell that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** A spreadsheet reads it as a number. Numbers of PostgreSQL that JSON cannot hold are texts. */
const NUMBER = /^-\d+(?:\.\d+)?$/;
const NUMBERS = ['Long', 'Decimal128', 'Int32', 'Double'];
const LIST_SEPARATOR = ', ';

export interface CellOptions {
  /** Leaves texts alone that a spreadsheet would run as a formula. */
  keepsFormulas?: boolean;
  /** Lists of simple values become their values with commas between them. Other lists stay JSON. */
  joinsLists?: boolean;
}

/**
 * Converts a value of a document to the text of a cell. An object or list becomes JSON text; null becomes an empty cell.
 * A text that a spreadsheet would run as a formula gets an apostrophe before it, because documents contain what
 * strangers wrote.
 */
export function cellText(value: unknown, { keepsFormulas = false, joinsLists = false }: CellOptions = {}): string {
  const text = plainText(value, joinsLists);
  return keepsFormulas || isNumeric(value) ? text : withoutFormula(text);
}

/** Converts a value to text in the same way, without regard to formulas. */
export function plainText(value: unknown, joinsLists = false): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return Object.is(value, -0) ? '-0' : String(value);
  if (value instanceof JsonText) return (joinsLists ? joined(exactItems(value.value)) : undefined) ?? value.text;
  const text = plain(value);
  if (typeof text === 'string') return text;
  if (text === null) return '';
  return (joinsLists ? joined(text) : undefined) ?? JSON.stringify(text);
}

/** Writes the numbers of a list with every digit. */
const exactItems = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(item => (item instanceof ExactNumber ? item.text : item)) : value;

/** Joins a list of simple values; undefined for other values. */
function joined(value: unknown): string | undefined {
  const isSimple = Array.isArray(value) && value.every(item => typeof item !== 'object' || item === null);
  return isSimple ? value.map(item => item ?? '').join(LIST_SEPARATOR) : undefined;
}

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. A negative number is none. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

function isNumeric(value: unknown): boolean {
  if (typeof value !== 'object') return typeof value === 'number' || typeof value === 'bigint';
  return value !== null && isBson(value) && NUMBERS.includes(value._bsontype);
}
