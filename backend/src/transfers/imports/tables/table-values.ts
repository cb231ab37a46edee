import { types } from 'node:util';
import { isJsonNestedDeeper, type TableType } from '@trawl/contracts';
import { type Binary, EJSON } from 'bson';
import { ExactNumber } from '../../../data/storage/values/exact-json.js';
import { fieldsFromStored } from '../../../data/storage/values/extended-json.js';
import { isBson } from '../../../data/storage/values/is-bson.js';
import { MAX_DEPTH } from '../../../data/storage/values/operators.js';
import { ApiError } from '../../../platform/common/errors.js';
import { parseDigits, parseExactJson } from '../parsing/json-rows.js';
import { UNSAVED_FORMULA, UNSAVED_FORMULA_REASON } from '../parsing/xlsx/unsaved-formula.js';
import { isTable, type Reading, type Row, tooManyCells } from '../reading/rows.js';
import { type DecimalMark, notAsGuessed, withPoint } from '../values/cell-types.js';
import { type Cell, textOf } from '../values/cells.js';
import type { TableColumn } from './table-columns.js';
import { fitsTableGuess, type ValueKind } from './table-types.js';

type Fields = Record<string, unknown>;
type Kinds = Pick<TableColumn, 'kind' | 'item_kind'>;

const UUID_SUBTYPE = 4;

/** The names of all fields of some documents, in the order in which they occur. */
export function fieldsIn(reading: Reading, sample: Row[]): string[] {
  const names = new Set<string>();
  for (const row of sample) {
    try {
      for (const name of Object.keys(documentOf(reading, row))) names.add(name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return [...names];
}

/** Returns the values of a row in the order of `names`; an empty list for a bad row. */
export function sampleValues(reading: Reading, names: string[], row: Row): unknown[] {
  if (isTable(reading.format)) {
    return Array.from(row as Cell[], cell => (cell === UNSAVED_FORMULA ? undefined : cell));
  }
  try {
    const document = documentOf(reading, row);
    return names.map(name => (Object.hasOwn(document, name) ? document[name] : undefined));
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** @throws {ApiError} for a row that is no JSON object. */
function documentOf({ format }: Reading, row: Row): Fields {
  const isTyped = format === 'extjson';
  const value = typeof row !== 'string' ? row : isTyped ? parseExactJson(row) : parseDigits(row);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw bad('A row must be a JSON object.');
  if (isTyped) return fieldsFromStored(value);
  // The parser of the format json has counted the levels already.
  if (typeof row === 'string' && isJsonNestedDeeper(Buffer.from(row), MAX_DEPTH))
    throw bad(`The document is nested more than ${MAX_DEPTH} levels deep.`);
  return value as Fields;
}

/** PostgreSQL's text for each column; null for NULL, undefined if the row does not name the column. */
export type RowValues = (string | null | undefined)[];

/**
 * Returns a function that makes the values of the columns from a row of the file. Only rows of JSON leave columns out.
 * @param names the columns of the file.
 * @throws {ApiError} from that function, with the reason why the row is bad.
 */
export function valuesReader(
  reading: Reading,
  names: string[],
  columns: TableColumn[],
  key: string[],
): (row: Row) => RowValues {
  const mark = reading.decimal_mark ?? 'point';
  const checked = (values: RowValues): RowValues => {
    for (const [at, { field }] of columns.entries()) {
      const value = values[at];
      if (value?.includes('\0')) throw bad(`${field}: PostgreSQL cannot store the character NUL in a text.`);
      if (key.includes(field) && (value ?? '') === '') throw bad(`${field}: a key must not be empty.`);
    }
    return values;
  };
  const isOfTable = isTable(reading.format);
  const asGuessed = ({ field, type, guessed }: TableColumn, value: unknown): unknown => {
    if (value === UNSAVED_FORMULA) throw bad(`${field}: ${UNSAVED_FORMULA_REASON}`);
    if (!guessed || fitsTableGuess(type as TableType, value, { isTable: isOfTable, mark })) return value;
    throw bad(`${field}: ${notAsGuessed(textOf(value as Cell), type).message}`);
  };
  if (isOfTable) {
    return row => {
      const cells = row as unknown[];
      if (cells.length > names.length) {
        throw tooManyCells(reading.format, cells.length, names.length);
      }
      return checked(columns.map(column => textOfCell(asGuessed(column, cells[column.index]), column, mark)));
    };
  }
  const known = new Set(names);
  return row => {
    const document = documentOf(reading, row);
    const unknown = Object.keys(document).find(name => !known.has(name));
    if (unknown !== undefined) {
      throw bad(`The row has the field ${unknown.slice(0, 100)}, for which the import has no column.`);
    }
    return checked(
      columns.map(column => {
        const name = names[column.index] as string;
        return Object.hasOwn(document, name) ? textOfValue(asGuessed(column, document[name]), column) : undefined;
      }),
    );
  };
}

/** Texts of a table are what PostgreSQL reads: JSON is the text of a JSON value, and an empty cell has no value. */
function textOfCell(cell: unknown, { kind, item_kind }: Kinds, mark: DecimalMark): string | null {
  if (typeof cell !== 'string') return textOfValue(cell, { kind, item_kind });
  if (cell === '' && kind !== 'text') return null;
  if (kind === 'array') return arrayOfText(cell, item_kind);
  const isNumber = kind === 'number' || kind === 'integer';
  // If the points group no digits, PostgreSQL refuses the text.
  return isNumber && mark === 'comma' ? (withPoint(cell.trim(), mark) ?? cell) : cell;
}

function textOfValue(value: unknown, { kind, item_kind }: Kinds): string | null {
  if (value === undefined || value === null) return null;
  if (kind === 'array') {
    if (Array.isArray(value)) return arrayText(value, item_kind);
    if (typeof value === 'string') return arrayOfText(value, item_kind);
  }
  return oneText(value, kind);
}

function oneText(value: unknown, kind: ValueKind | undefined): string {
  if (kind === 'json') return jsonText(value);
  // PostgreSQL reads 1.0 as a whole number only if it is written as 1.
  if (kind === 'integer' && value instanceof ExactNumber) return String(value.plain);
  return scalarText(value) ?? jsonText(value);
}

/** A list in JSON, or PostgreSQL's own form: `{a,b}`. */
function arrayOfText(text: string, kind: ValueKind | undefined): string {
  if (!text.startsWith('[')) return text;
  try {
    const list = parseDigits(text);
    return Array.isArray(list) ? arrayText(list, kind) : text;
  } catch {
    return text;
  }
}

const arrayText = (items: unknown[], kind: ValueKind | undefined): string =>
  `{${items.map(item => itemText(item, kind)).join(',')}}`;

/** A list within a list is another dimension of the array, but in an array of JSON a value. */
function itemText(item: unknown, kind: ValueKind | undefined): string {
  if (item === null || item === undefined) return 'NULL';
  if (Array.isArray(item) && kind !== 'json') return arrayText(item, kind);
  return `"${oneText(item, kind).replace(/["\\]/g, '\\$&')}"`;
}

/** Returns the text of a value that is no object or list; otherwise undefined. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'boolean') return String(value);
  if (types.isDate(value)) return timeText(value);
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object' || value === null || !isBson(value)) return undefined;
  switch (value._bsontype) {
    case 'Double':
      return scalarText(Number(value));
    case 'Int32':
    case 'Long':
    case 'Decimal128':
    case 'ObjectId':
    case 'BSONSymbol':
      return String(value);
    case 'Binary': {
      const binary = value as unknown as Binary;
      return binary.sub_type === UUID_SUBTYPE && binary.position === 16
        ? binary.toUUID().toString()
        : `\\x${Buffer.from(binary.value()).toString('hex')}`;
    }
    default:
      return undefined;
  }
}

/** PostgreSQL has no sign before a year, and no year 0. */
export function timeText(date: Date): string {
  const iso = date.toISOString();
  if (iso.startsWith('+')) return iso.replace(/^\+0*/, '');
  if (date.getUTCFullYear() > 0) return iso;
  return `${String(1 - date.getUTCFullYear()).padStart(4, '0')}${iso.replace(/^-?\d+/, '')} BC`;
}

/** What JSON has as a number: no NaN and no infinity. */
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Writes a value as JSON. Long whole numbers and decimals keep all digits, other types of MongoDB become texts. */
export function jsonText(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  const text = scalarText(value);
  if (text !== undefined) return isNumber(value) && NUMBER.test(text) ? text : JSON.stringify(text);
  const fields = isBson(value) ? (EJSON.serialize(value, { relaxed: true }) as object) : value;
  return `{${Object.entries(fields)
    .map(([name, inner]) => `${JSON.stringify(name)}:${jsonText(inner)}`)
    .join(',')}}`;
}

const isNumber = (value: object): boolean =>
  isBson(value) && ['Int32', 'Long', 'Double', 'Decimal128'].includes(value._bsontype);

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns a line of COPY's text format. */
export const copyLine = (values: RowValues): string =>
  `${values.map(value => (value === null || value === undefined ? '\\N' : value.replace(/[\\\n\r\t]/g, character => ESCAPES[character] as string))).join('\t')}\n`;

const bad = (message: string): ApiError => new ApiError('validation_failed', message);
