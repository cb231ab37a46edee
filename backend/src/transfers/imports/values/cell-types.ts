import { Binary, Long, ObjectId } from 'bson';
import { isDay } from '../../../data/storage/values/days.js';
import { fieldsFromJson, isInt64 } from '../../../data/storage/values/extended-json.js';
import { ApiError } from '../../../platform/common/errors.js';
import { parseExactJson } from '../parsing/json-rows.js';

/** The types of the columns of tables. */
export const CELL_TYPES = ['text', 'number', 'boolean', 'date', 'object_id', 'binary', 'json'] as const;
export type CellType = (typeof CELL_TYPES)[number];

/** The character before the decimals of a number. */
export const DECIMAL_MARKS = ['point', 'comma'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
// No part may match the same digits in two ways: the time would grow with the square of the length.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** With a decimal comma, points may only group the digits: `1.234.567,8`. */
const GROUPED = /^[+-]?\d{1,3}(\.\d{3})+(,\d*)?$/;
const INTEGER = /^[+-]?\d+$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
/** A day and a time; the time zone is optional. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;
const INSTANT = /(Z|[+-]\d\d:?\d\d)$/i;
/** The dates that MongoDB stores without loss: down to milliseconds, with a time zone. */
const EXACT_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const OBJECT_ID = /^[0-9a-f]{24}$/i;
/** Whole numbers of so many digits are identifiers, such as an ISBN: nobody counts with them. */
const IDENTIFIER_DIGITS = 12;
/** A double holds any decimal number of this many digits exactly. */
const EXACT_DIGITS = 15;

type Parse = (text: string, mark: DecimalMark) => unknown;

/** Convert a cell that is not empty. @throws {ApiError} 400 with the reason. */
const PARSERS: Record<CellType, Parse> = {
  text: text => text,
  number: parseNumber,
  boolean: text => {
    const lower = text.trim().toLowerCase();
    if (lower !== 'true' && lower !== 'false') throw not('true or false', text);
    return lower === 'true';
  },
  date: parseDate,
  object_id: text => {
    if (!OBJECT_ID.test(text.trim())) throw not('an ObjectId of 24 hex digits', text);
    return new ObjectId(text.trim());
  },
  binary: text => {
    if (!BASE64.test(text.trim())) throw not('base64', text);
    return new Binary(Buffer.from(text.trim(), 'base64'));
  },
  json: text => fieldsFromJson({ value: parseExactJson(text) }).value,
};

/** Returns the function that converts the cells of a column. The function returns undefined for an empty cell. */
export const parserOf = (type: CellType, mark: DecimalMark = 'point'): ((text: string) => unknown) => {
  const parse = PARSERS[type];
  return text => (type !== 'text' && text.trim() === '' ? undefined : parse(text, mark));
};

/** Returns a number with a decimal point; undefined for points that group no digits, as in `1.5` with a decimal comma. */
export function withPoint(text: string, mark: DecimalMark): string | undefined {
  if (mark === 'point') return text;
  return text.includes('.') && !GROUPED.test(text) ? undefined : text.replaceAll('.', '').replace(',', '.');
}

/** Integers stay exact: MongoDB stores those of up to 64 bits as such. */
function parseNumber(sent: string, mark: DecimalMark): unknown {
  const text = withPoint(sent.trim(), mark);
  if (text === undefined || !NUMBER.test(text)) throw not(`a number such as ${EXAMPLES[mark]}`, sent);
  const value = Number(text);
  if (!INTEGER.test(text)) {
    if (Number.isFinite(value)) return value;
    throw not('a number that MongoDB can store', sent);
  }
  const digits = text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  if (Math.abs(value) < 2 ** 31) return value;
  if (!isInt64(digits)) throw not('a whole number of at most 64 bits; choose the type text', sent);
  return Long.fromString(digits);
}

/** Times without a time zone are read as UTC. */
function parseDate(sent: string): Date {
  const text = sent.trim();
  const isDateTime = DATE_TIME.test(text);
  if (!isDateTime && !DATE.test(text)) throw not('a date such as 2026-02-15 or 2026-02-15T09:30:00Z', sent);
  const iso = text.replace(' ', 'T');
  const date = new Date(!isDateTime || INSTANT.test(iso) ? iso : `${iso}Z`);
  if (Number.isNaN(date.getTime()) || !isDay(text)) throw not('a date that exists', sent);
  return date;
}

const EXAMPLES: Record<DecimalMark, string> = { point: '1234.5', comma: '1234,5' };

const not = (expected: string, text: string): ApiError =>
  new ApiError('validation_failed', `${JSON.stringify(text.slice(0, 100))} is not ${expected}.`);

/** Types in the order in which they are tried, with a check whether a cell keeps its meaning as such a value. */
const GUESSES: [CellType, (text: string, mark: DecimalMark) => boolean][] = [
  ['boolean', text => /^(true|false)$/i.test(text)],
  ['number', isPlainNumber],
  ['date', text => EXACT_DATE.test(text) && parses('date', text)],
  ['json', text => /^\s*[[{]/.test(text) && parses('json', text)],
];

/**
 * Guesses the type of a column by some of its cells. The guess is `text` unless every cell says clearly that it is
 * something else: not for leading zeros (a postcode), separators (`1,234` is a thousand in one country and one in
 * another, unless the user chose the decimal comma), exponents (an article number), days without a time zone, whole
 * numbers of 12 digits or more (an ISBN), and more digits than a number can hold.
 */
export function guessType(field: string, cells: string[], mark: DecimalMark = 'point'): CellType {
  const filled = cells.filter(cell => cell !== '');
  if (filled.length === 0) return 'text';
  if (field === '_id' && filled.every(cell => OBJECT_ID.test(cell))) return 'object_id';
  return GUESSES.find(([, fits]) => filled.every(cell => fits(cell, mark)))?.[0] ?? 'text';
}

/** Tells whether a text in a column of this type is one for which the guess, too, would have been this type. */
export function fitsGuess(type: CellType, text: string, mark: DecimalMark = 'point'): boolean {
  if (type === 'object_id') return OBJECT_ID.test(text);
  return GUESSES.find(([guess]) => guess === type)?.[1](text, mark) ?? true;
}

/** The reason why a cell does not fit the type that Trawl has guessed for its column. */
export const notAsGuessed = (text: string, type: string): ApiError =>
  new ApiError(
    'validation_failed',
    `${JSON.stringify(text.slice(0, 100))} does not say clearly that it is of the type ${type}, which Trawl guessed from the first rows. Choose the type text for this column.`,
  );

function isPlainNumber(sent: string, mark: DecimalMark): boolean {
  const text = withPoint(sent, mark);
  if (text === undefined || !PLAIN_NUMBER.test(text) || text === '-0') return false;
  return INTEGER.test(text)
    ? text.replace('-', '').length < IDENTIFIER_DIGITS
    : text.replace(/\D/g, '').replace(/^0+/, '').length <= EXACT_DIGITS;
}

function parses(type: CellType, text: string): boolean {
  try {
    PARSERS[type](text, 'point');
    return true;
  } catch {
    return false;
  }
}
