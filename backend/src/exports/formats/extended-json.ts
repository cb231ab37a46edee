import { setImmediate } from 'node:timers/promises';
import { Binary, Decimal128, Double, deserialize, EJSON, Long } from 'bson';
import { ApiError } from '../../common/errors.js';
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
      text += `${lineOf(isBytes(document) ? deserialize(document, EXACT) : typed(document, declared))}\n`;
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

/** Gives the values of PostgreSQL their types. Times stay text, because MongoDB's have no microseconds. */
function typed(fields: Fields, declared: DeclaredColumns): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [name, typedValue(value, declared, name)]);
  return Object.fromEntries(entries);
}

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

/** MongoDB's decimals have 34 digits. A longer number stays text. */
function decimalOf(text: string): unknown {
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
