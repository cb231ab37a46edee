import { setImmediate } from 'node:timers/promises';
import type { Binary } from 'bson';
import type { RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { plainText } from '../../../data/storage/values/cells.js';
import { ApiError } from '../../../platform/common/errors.js';
import { type Column, type ColumnSet, changed, typeOf } from './columns.js';
import { type ColumnType, convertDeclared, type Declared, type DeclaredColumns } from './declared.js';
import type { StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';
import { PackedColumn } from './packed-column.js';
import { rowSlices } from './slices.js';

/**
 * A row group is in memory until it is complete. Programs read groups of many rows faster; groups of large values end
 * earlier, because a column is encoded without a break.
 */
const GROUP_ROWS = 50_000;
const MAX_GROUP_BYTES = 128 * 1024 * 1024;
const MAX_COLUMN_BYTES = 16 * 1024 * 1024;
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
  // Programs refuse a file without columns. Exporters write files without documents.
  if (columns.columns.length === 0) columns.scan({ _id: null });
  const list = columns.columns;
  const writer = new ChunkWriter();
  const schema = schemaOf(list, declared);
  const file = new ParquetWriter({ writer, schema, createdBy: 'trawl' });
  const emptyGroup = () => list.map(({ type }) => new PackedColumn(type ?? 'text'));
  let group = emptyGroup();
  let rows = 0;
  let chunks = 0;

  /** Writes a column at a time, so that the backend answers other calls meanwhile. */
  async function* writeGroup(): AsyncGenerator<Uint8Array> {
    chunks += list.length;
    if (chunks > MAX_COLUMN_CHUNKS) throw tooWide(list.length);
    const before = file.row_groups.length;
    for (const [index, { name }] of list.entries()) {
      // The library looks at the whole schema each time, which takes long for thousands of columns.
      file.schema = [ROOT, schema[index + 1] as SchemaElement];
      file.write({ columnData: [{ name, data: group.shift()?.values() ?? [] }], rowGroupSize: rows });
      yield writer.take();
      await setImmediate();
    }
    file.schema = schema;
    file.row_groups.push(joined(file.row_groups.splice(before)));
    file.num_rows -= BigInt(rows * (list.length - 1));
    group = emptyGroup();
    rows = 0;
  }

  for await (const slice of rowSlices(batches, columns)) {
    let bytes = 0;
    let largest = 0;
    for (const row of slice) {
      for (const [index, column] of list.entries()) {
        group[index]?.push(typedValue(row[index], column, options, declared.get(column.name)));
      }
      rows += 1;
    }
    for (const column of group) {
      bytes += column.bytes;
      largest = Math.max(largest, column.bytes);
    }
    if (rows >= GROUP_ROWS || bytes >= MAX_GROUP_BYTES || largest >= MAX_COLUMN_BYTES) yield* writeGroup();
  }
  if (rows > 0) yield* writeGroup();
  file.finish();
  yield writer.take();
}

/** Makes one row group of groups that have the same rows and one column each. */
function joined(groups: RowGroup[]): RowGroup {
  const sum = (sizeOf: (group: RowGroup) => bigint | undefined) =>
    groups.reduce((total, group) => total + (sizeOf(group) ?? 0n), 0n);
  return {
    columns: groups.flatMap(({ columns }) => columns),
    num_rows: groups[0]?.num_rows ?? 0n,
    total_byte_size: sum(group => group.total_byte_size),
    total_compressed_size: sum(group => group.total_compressed_size),
  };
}

const ROOT: SchemaElement = { name: 'root', num_children: 1 };

/** A column without values has the type that the source declares. */
const schemaOf = (columns: Column[], declared: DeclaredColumns): SchemaElement[] => [
  { ...ROOT, num_children: columns.length },
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
