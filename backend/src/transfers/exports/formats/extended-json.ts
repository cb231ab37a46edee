import { setImmediate } from 'node:timers/promises';
import { Binary, Decimal128, Double, deserialize, EJSON, Long } from 'bson';
import { ExactNumber, JsonText } from '../../../data/storage/values/exact-json.js';
import { isInt64 } from '../../../data/storage/values/extended-json.js';
import { ApiError } from '../../../platform/common/errors.js';
import type { ColumnSet } from './columns.js';
import { convertDeclared, type DeclaredColumns } from './declared.js';
import { type Fields, isBytes, type StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';

const CHUNK_CHARS = 256 * 1024;
/** Keeps each type of MongoDB, also that of a whole number. */
const EXACT = { promoteValues: false, bsonRegExp: true } as const;
/** What the library writes for a date that JavaScript cannot hold. Inside a text, the quotes would be escaped. */
const LOST_DATE = '{"$date":{"$numberLong":"NaN"}}';

/** Writes canonical Extended JSON, a document a line: the format that keeps every type of MongoDB. */
async function* write(
  batches: AsyncIterable<StoredDocument[]>,
  _columns: ColumnSet | null,
  _options: FormatOptions,
  declared: DeclaredColumns,
): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const batch of batches) {
    for (const document of batch) {
      text += `${isBytes(document) ? lineOf(deserialize(document, EXACT)) : lineOfRow(document, declared)}\n`;
      if (text.length < CHUNK_CHARS) continue;
      yield Buffer.from(text);
      text = '';
      await setImmediate();
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** @throws {ApiError} 422 for a date that would be lost. */
function lineOf(fields: Fields): string {
  const line = EJSON.stringify(fields, { relaxed: false });
  if (!line.includes(LOST_DATE)) return line;
  throw new ApiError(
    'storage_rejected',
    `The document with the _id ${EJSON.stringify(fields._id).slice(0, 100)} has a date beyond the year 275760, which Extended JSON cannot hold. Leave the document out with a filter.`,
  );
}

/** Writes a row of PostgreSQL with the types of its values. Times stay text, because MongoDB's have no microseconds. */
function lineOfRow(fields: Fields, declared: DeclaredColumns): string {
  const entries = Object.entries(fields).map(([name, value]) => {
    const typed = value instanceof JsonText ? textOfJson(value.value) : textOf(typedValue(value, declared, name));
    return `${JSON.stringify(name)}:${typed}`;
  });
  return `{${entries.join(',')}}`;
}

const MAX_INT32 = 2 ** 31 - 1;

/** For the most frequent values, a call of the library would take longer than all else. */
function textOf(value: unknown): string {
  if (typeof value === 'string' || value === null) return JSON.stringify(value);
  if (typeof value === 'number' && Math.abs(value) < MAX_INT32) {
    return `{"${Number.isInteger(value) ? '$numberInt' : '$numberDouble'}":"${value}"}`;
  }
  return EJSON.stringify(value, { relaxed: false });
}

/** The library would take some names of fields, which may be any text, for its own. */
function textOfJson(value: unknown): string {
  if (value instanceof ExactNumber) return textOf(numberOf(value.text));
  if (value === null || typeof value !== 'object') return textOf(value);
  if (Array.isArray(value)) return `[${value.map(textOfJson).join(',')}]`;
  const fields = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${textOfJson(inner)}`);
  return `{${fields.join(',')}}`;
}

const numberOf = (text: string): unknown => (isInt64(text) && text !== '-0' ? Long.fromString(text) : decimalOf(text));

function typedValue(value: unknown, columns: DeclaredColumns, name: string): unknown {
  const declared = columns.get(name);
  if (!declared || value === null) return value;
  switch (declared.type) {
    case 'long':
      return Long.fromBigInt(BigInt(String(value)));
    case 'double':
      return new Double(Number(value));
    case 'decimal':
      return decimalOf(String(value));
    case 'bytes':
      return new Binary(convertDeclared(value, declared) as Uint8Array);
    default:
      return value;
  }
}

const MAX_DIGITS = 34;

/** MongoDB's decimals have 34 digits. A longer number stays text; the library would drop zeros at its end. */
function decimalOf(text: string): unknown {
  const digits = text.replace(/e.*/i, '').replace(/[-.]/g, '').replace(/^0+/, '');
  if (digits.length > MAX_DIGITS) return text;
  try {
    return Decimal128.fromString(text);
  } catch {
    return text;
  }
}

export const extjson: ExportFormat = {
  extension: 'ndjson',
  contentType: 'application/x-ndjson; charset=utf-8',
  needs: 'nothing',
  write,
};
