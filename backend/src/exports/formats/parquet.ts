import type { Binary } from 'bson';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { ApiError } from '../../common/errors.js';
import { plainText } from '../../storage/values/cells.js';
import { type Column, type ColumnSet, changed, typeOf } from './columns.js';
import { type ColumnType, convertDeclared, type Declared, type DeclaredColumns } from './declared.js';
import type { StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';
import { rowSlices } from './slices.js';

/**
 * A row group is in memory until it is complete: 50,000 rows of 10 columns, about 100 MB. Programs read large groups
 * faster, but with ten times as many cells an export of 58 columns took 500 MB more.
 */
const GROUP_CELLS = 500_000;
const MIN_GROUP_ROWS = 50;
const MAX_GROUP_CHARS = 16 * 1024 * 1024;
/** A Parquet file ends with a list of these, which stays in memory until then. */
const MAX_COLUMN_CHUNKS = 60_000;

const timeOf = (unit: 'MILLIS' | 'MICROS', isAdjustedToUTC: boolean): Omit<SchemaElement, 'name'> => ({
  type: 'INT64',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit },
});

const ELEMENTS: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  long: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  decimal: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL' },
  timestamp: timeOf('MILLIS', true),
  date: { type: 'INT32', converted_type: 'DATE' },
  instant: timeOf('MICROS', true),
  local: timeOf('MICROS', false),
  bytes: { type: 'BYTE_ARRAY' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

/** A writer whose bytes can be taken away, so that it does not keep the whole file. */
class ChunkWriter extends ByteWriter {
  take(): Uint8Array {
    const bytes = new Uint8Array(this.getBuffer());
    this.index = 0;
    return bytes;
  }
}

async function* write(
  batches: AsyncIterable<StoredDocument[]>,
  columns: ColumnSet | null,
  options: FormatOptions,
  declared: DeclaredColumns,
): AsyncGenerator<Uint8Array> {
  if (!columns) return;
  const list = columns.columns;
  const writer = new ChunkWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(list, declared), createdBy: 'trawl' });
  let group: unknown[][] = list.map(() => []);
  let rows = 0;
  let chars = 0;
  let chunks = 0;
  const writeGroup = (): Uint8Array => {
    chunks += list.length;
    if (chunks > MAX_COLUMN_CHUNKS) throw tooWide(list.length);
    file.write({ columnData: list.map(({ name }, index) => ({ name, data: group[index] ?? [] })), rowGroupSize: rows });
    group = list.map(() => []);
    rows = 0;
    chars = 0;
    return writer.take();
  };
  for await (const slice of rowSlices(batches, columns)) {
    for (const row of slice) {
      for (const [index, column] of list.entries()) {
        const value = typedValue(row[index], column, options, declared.get(column.name));
        if (typeof value === 'string' || value instanceof Uint8Array) chars += value.length;
        group[index]?.push(value);
      }
      rows += 1;
    }
    const isFull =
      rows * list.length >= Math.max(GROUP_CELLS, MIN_GROUP_ROWS * list.length) || chars >= MAX_GROUP_CHARS;
    if (isFull) yield writeGroup();
  }
  if (rows > 0) yield writeGroup();
  file.finish();
  yield writer.take();
}

/** A column without values has the type that the source declares. */
const schemaOf = (columns: Column[], declared: DeclaredColumns): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type }) => {
    const known = declared.get(name);
    const isEndless = known?.type === 'decimal' && !known.decimal;
    const element = ELEMENTS[type ?? (isEndless ? 'text' : (known?.type ?? 'text'))];
    const decimal = element.converted_type === 'DECIMAL' ? known?.decimal : {};
    return { name, repetition_type: 'OPTIONAL' as const, ...element, ...decimal };
  }),
];

/** Converts a value to the type of its column. @throws {ApiError} 409 if it has another type than during the scan. */
function typedValue(
  value: unknown,
  { name, type }: Column,
  { joinsLists }: FormatOptions,
  declared: Declared | undefined,
): unknown {
  if (value === null || value === undefined) return undefined;
  if (type === 'text') return plainText(value, joinsLists);
  if (declared) {
    const converted = convertDeclared(value, declared);
    if (converted === undefined || type === null) throw changed(name);
    return type === 'integer' ? BigInt(converted as number) : converted;
  }
  const found = typeOf(value);
  switch (type) {
    case 'integer':
      if (found === 'integer') return BigInt(value as number);
      break;
    case 'long':
      if (found === 'long' || found === 'integer') return BigInt(String(value));
      break;
    case 'double':
      if (found === 'double' || found === 'integer') return value;
      break;
    case 'bytes':
      if (found === 'bytes') return (value as Binary).buffer.subarray(0, (value as Binary).position);
      break;
    default:
      if (found === type) return value;
  }
  throw changed(name);
}

const tooWide = (columns: number): ApiError =>
  new ApiError(
    'payload_too_large',
    `The documents have too many fields (${columns}) for a Parquet file with this number of rows. Name the fields to export, or choose another format.`,
  );

export const parquet: ExportFormat = {
  extension: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  needs: 'types',
  write,
};
