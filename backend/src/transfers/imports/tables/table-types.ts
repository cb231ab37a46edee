import { types } from 'node:util';
import type { TableType } from '@trawl/contracts';
import { isDay } from '../../../data/storage/values/days.js';
import { ExactNumber } from '../../../data/storage/values/exact-json.js';
import { isInt64 } from '../../../data/storage/values/extended-json.js';
import { isBson } from '../../../data/storage/values/is-bson.js';
import { type DecimalMark, guessType } from '../values/cell-types.js';

/** Decides how Trawl writes a value of the column as text. PostgreSQL converts the text to the type. */
export type ValueKind = 'text' | 'integer' | 'number' | 'json' | 'array' | 'other';

const KINDS: Partial<Record<TableType, ValueKind>> = {
  text: 'text',
  bigint: 'integer',
  numeric: 'number',
  'double precision': 'number',
  jsonb: 'json',
};
const NUMBERS: ValueKind[] = ['integer', 'number'];
export const kindOf = (type: TableType): ValueKind => KINDS[type] ?? 'other';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BYTES = /^\\x([0-9a-f]{2})*$/i;
const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?$/;
const HAS_ZONE = /(Z|[+-]\d\d(:?\d\d)?)$/;
/** Decimals of any length. Whole numbers of 12 digits or more are identifiers, such as an ISBN. */
const DECIMAL = /^-?(0|[1-9]\d{0,10})(\.\d+)?$|^-?(0|[1-9]\d*)\.\d+$/;
const INTEGER = /^-?(0|[1-9]\d{0,10})$/;

/** Types in the order in which they are tried for texts of tables and documents. */
const OF_ALL_TEXTS: [TableType, (text: string) => boolean][] = [
  ['uuid', text => UUID.test(text)],
  ['bytea', text => BYTES.test(text)],
  ['date', text => DAY.test(text) && isDay(text)],
  ['timestamptz', text => TIME.test(text) && HAS_ZONE.test(text.slice(10)) && isDay(text)],
  ['timestamp', text => TIME.test(text) && !HAS_ZONE.test(text.slice(10)) && isDay(text)],
];

/**
 * Guesses the type of a column by some of its values: the type that all of them have, or that all texts clearly are.
 * Values of several types are `jsonb` if objects or lists are among them, `numeric` if all are numbers, otherwise `text`.
 * @param isTable whether texts are cells of a table, which can also be numbers or truth values.
 */
export function guessTableType(
  values: unknown[],
  { isTable, mark }: { isTable: boolean; mark?: DecimalMark | undefined },
): TableType {
  const filled = values.filter(value => value !== undefined && value !== null && !(isTable && value === ''));
  const found = new Set(filled.map(typeOfValue));
  const [first] = found;
  if (first === undefined) return 'text';
  if (found.size === 1) return first === 'string' ? ofTexts(filled as string[], isTable, mark) : first;
  if (found.has('jsonb')) return 'jsonb';
  return [...found].every(type => type !== 'string' && NUMBERS.includes(kindOf(type))) ? 'numeric' : 'text';
}

/** Tells whether a value in a column of this type is one for which the guess, too, would have been this type. */
export function fitsTableGuess(
  type: TableType,
  value: unknown,
  options: { isTable: boolean; mark?: DecimalMark | undefined },
): boolean {
  if (value === undefined || value === null || value === '' || type === 'text') return true;
  if (type === 'jsonb' && !(options.isTable && typeof value === 'string')) return true;
  const guess = guessTableType([value], options);
  if (guess === type) return true;
  if (type === 'numeric') return guess === 'bigint' || guess === 'double precision';
  // A double holds whole numbers up to this size exactly.
  return type === 'double precision' && guess === 'bigint' && Number.isSafeInteger(Number(value));
}

function ofTexts(texts: string[], isTable: boolean, mark?: DecimalMark): TableType {
  const guessed = OF_ALL_TEXTS.find(([, fits]) => texts.every(fits))?.[0];
  if (guessed || !isTable) return guessed ?? 'text';
  if (mark !== 'comma') {
    if (texts.every(text => INTEGER.test(text) && text !== '-0')) return 'bigint';
    if (texts.every(text => DECIMAL.test(text) && text !== '-0')) return 'numeric';
  }
  switch (guessType('', texts, mark)) {
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'json':
      return 'jsonb';
    default:
      return 'text';
  }
}

const UUID_SUBTYPE = 4;

/** Returns the type of one value; `string` for a text. */
function typeOfValue(value: unknown): TableType | 'string' {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'bigint' : 'numeric';
  if (typeof value === 'boolean') return 'boolean';
  if (types.isDate(value)) return 'timestamptz';
  if (value instanceof ExactNumber) {
    return isInt64(value.text) && value.text !== '-0' ? 'bigint' : 'numeric';
  }
  if (typeof value !== 'object' || value === null || !isBson(value)) return 'jsonb';
  switch (value._bsontype) {
    case 'Int32':
    case 'Long':
      return 'bigint';
    case 'Double':
      return 'double precision';
    case 'Decimal128':
      return 'numeric';
    case 'ObjectId':
      return 'text';
    case 'Binary':
      return (value as unknown as { sub_type: number }).sub_type === UUID_SUBTYPE ? 'uuid' : 'bytea';
    default:
      return 'jsonb';
  }
}
