import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { ApiError } from '../../common/errors.js';
import { plainText } from '../../storage/values/cells.js';
import { type Column, type ColumnSet, type ColumnType, changed, typeOf } from './columns.js';
import type { StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';
import { rowSlices } from './slices.js';

/**
 * A row group is in memory until it is complete. Cells that outlive two collections of young garbage stay until the next
 * full one, so that large groups let the heap grow by hundreds of megabytes.
 */
const MIN_GROUP_CELLS = 20_000;
const MIN_GROUP_ROWS = 50;
const MAX_GROUP_CELLS = 500_000;
const MAX_GROUP_CHARS = 4 * 1024 * 1024;
/** A Parquet file ends with a list of these, which stays in memory until then. */
const MAX_COLUMN_CHUNKS = 60_000;

/** Returns the number of cells of the next group. Groups of long files grow, so that the list of chunks does not. */
const groupCells = (columns: number, chunks: number): number =>
  Math.min(MAX_GROUP_CELLS, Math.max(MIN_GROUP_CELLS, MIN_GROUP_ROWS * columns, chunks ** 2 / 800));

const ELEMENTS: Record<ColumnType, Omit<SchemaElement, 'name'>> = {
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  long: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
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
): AsyncGenerator<Uint8Array> {
  if (!columns) return;
  const list = columns.columns;
  const writer = new ChunkWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(list), createdBy: 'trawl' });
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
        const value = typedValue(row[index], column, options);
        if (typeof value === 'string') chars += value.length;
        group[index]?.push(value);
      }
      rows += 1;
    }
    const isFull = rows * list.length >= groupCells(list.length, chunks) || chars >= MAX_GROUP_CHARS;
    if (isFull) yield writeGroup();
  }
  if (rows > 0) yield writeGroup();
  file.finish();
  yield writer.take();
}

const schemaOf = (columns: Column[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...ELEMENTS[type ?? 'text'] })),
];

/** Converts a value to the type of its column. @throws {ApiError} 409 if it has another type than during the scan. */
function typedValue(value: unknown, { name, type }: Column, { joinsLists }: FormatOptions): unknown {
  if (value === null || value === undefined) return undefined;
  if (type === 'text') return plainText(value, joinsLists);
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
