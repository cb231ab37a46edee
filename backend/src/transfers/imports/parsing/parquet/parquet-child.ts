/**
 * The program of the process that reads one Parquet file. It is a process with a memory limit because the library allocates
 * what the file declares. The backend answers its requests for bytes of the file, and asks it for rows.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { serialize } from 'bson';
import {
  type AsyncBuffer,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { mostUnpacked } from '../source.js';
import type { Answer, Question } from './parquet-messages.js';
import { isMissing, readerOf, type ValueReader, withoutConversions } from './parquet-types.js';

/** Rows that are decoded at once: the library holds all of their values. */
const SLICE_CELLS = 200_000;
const MAX_SLICE_ROWS = 10_000;
/** Rows that are sent at once. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 1024 * 1024;
const MAX_ROW_BYTES = 16 * 1024 * 1024;
const MAX_COLUMNS = 10_000;
const MAX_NAME_CHARS = 512 * 1024;
const MAX_DEPTH = 100;
const ENCRYPTED_FOOTER = 'PARE';

class Unreadable extends Error {}

/** Node's own decompressors are faster than those of the library. */
const UNPACK: Compressors = {
  ...compressors,
  GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
};
/** The same, but refuses pages that unpack to far more than a table does. */
const LIMITED = Object.fromEntries(
  Object.entries(UNPACK).map(([codec, unpack]) => [
    codec,
    (bytes: Uint8Array, length: number) => {
      if (length <= mostUnpacked(bytes.length)) return unpack(bytes, length);
      throw new Unreadable(`a page unpacks from ${bytes.length} to ${length} bytes`);
    },
  ]),
) as Compressors;

const waiting = new Map<number, (bytes: Uint8Array) => void>();
let lastId = 0;
const say = (answer: Answer): void => void process.send?.(answer);

/** Asks the backend for bytes of the file, and keeps those of the row group. */
class RemoteFile implements AsyncBuffer {
  #kept = new Map<string, Promise<ArrayBuffer>>();
  constructor(readonly byteLength: number) {}

  slice(start: number, end = this.byteLength): Promise<ArrayBuffer> {
    if (!(start >= 0 && end >= start && end <= this.byteLength)) {
      throw new Unreadable(`a part of it is said to be at bytes ${start} to ${end}, but it has ${this.byteLength}`);
    }
    const key = `${start}-${end}`;
    let part = this.#kept.get(key);
    if (!part) {
      part = new Promise<Uint8Array>(resolve => {
        lastId += 1;
        waiting.set(lastId, resolve);
        say({ type: 'read', id: lastId, start, end });
      }).then(bytes => new Uint8Array(bytes).buffer);
      this.#kept.set(key, part);
    }
    return part;
  }

  forget(): void {
    this.#kept = new Map();
  }
}

interface Column {
  name: string;
  reader: ValueReader;
}

async function* batches(bytes: number, forTable: boolean): AsyncGenerator<Answer> {
  const file = new RemoteFile(bytes);
  if (bytes < 12) throw new Unreadable('it is too short');
  const end = Buffer.from(await file.slice(bytes - 4)).toString('latin1');
  if (end === ENCRYPTED_FOOTER) throw encrypted();
  if (end !== 'PAR1') throw new Unreadable('it does not end as a Parquet file does, so it may be cut off');
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const isEncrypted = metadata.row_groups.some(({ columns }) => columns.some(column => column.crypto_metadata));
  if (isEncrypted) throw encrypted();
  const columns = columnsOf(metadata);
  metadata.schema = withoutConversions(metadata.schema);
  yield {
    type: 'columns',
    columns: columns.map(({ name, reader: { type, tableType } }) => ({ name, type, tableType })),
  };
  const rowsAtOnce = Math.max(
    1,
    Math.min(MAX_SLICE_ROWS, Math.floor(SLICE_CELLS / Math.max(1, metadata.schema.length))),
  );
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupRows = Number(group.num_rows);
    if (!(groupRows >= 0)) throw new Unreadable(`a row group has ${groupRows} rows`);
    file.forget();
    for (let start = groupStart; start < groupStart + groupRows; start += rowsAtOnce) {
      const range = [start, Math.min(groupStart + groupRows, start + rowsAtOnce)] as const;
      yield* slice(file, metadata, columns, range, forTable);
    }
    groupStart += groupRows;
  }
}

function columnsOf(metadata: FileMetaData): Column[] {
  if (metadata.schema.length > MAX_COLUMNS) throw new Unreadable(`it has more than ${MAX_COLUMNS} columns`);
  const tree = parquetSchema(metadata);
  const names = tree.children.map(({ element }) => element.name);
  const seen = new Set<string>();
  const twice = names.find(name => seen.size === seen.add(name).size);
  if (twice !== undefined) throw new Unreadable(`it has two columns named ${twice.slice(0, 100)}`);
  if (names.join('').length > MAX_NAME_CHARS) throw new Unreadable('the names of its columns are too long');
  if (names.length === 0) throw new Unreadable('it has no columns');
  return tree.children.map(node => {
    checkDepth(node, 1);
    return { name: node.element.name, reader: readerOf(node) };
  });
}

function checkDepth({ children }: SchemaTree, depth: number): void {
  if (depth > MAX_DEPTH) throw new Unreadable(`its columns are nested more than ${MAX_DEPTH} levels deep`);
  for (const child of children) checkDepth(child, depth + 1);
}

/** Reads some rows of one row group. */
async function* slice(
  file: RemoteFile,
  metadata: FileMetaData,
  columns: Column[],
  [start, end]: readonly [number, number],
  forTable: boolean,
): AsyncGenerator<Answer> {
  const found = new Map<string, { rowStart: number; values: DecodedArray }[]>();
  await parquetRead({
    file,
    metadata,
    compressors: LIMITED,
    utf8: false,
    rowStart: start,
    rowEnd: end,
    onChunk: ({ columnName, columnData, rowStart }) => {
      const chunks = found.get(columnName) ?? [];
      chunks.push({ rowStart, values: columnData });
      found.set(columnName, chunks);
    },
  });
  const cells = columns.map(({ name }) => valuesOf(name, found.get(name) ?? [], start, end));
  let rows: Uint8Array[] = [];
  let bytes = 0;
  for (let at = 0; at < end - start; at += 1) {
    const row = columns.map(({ reader }, column) => {
      const value = cells[column]?.[at];
      if (isMissing(value)) return null;
      return forTable ? reader.toText(value) : reader.toStored(value);
    });
    const packed = serialize({ r: row }, { ignoreUndefined: false });
    if (packed.length > MAX_ROW_BYTES) throw new Unreadable(`a row is larger than ${MAX_ROW_BYTES} bytes`);
    rows.push(packed);
    bytes += packed.length;
    if (rows.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield { type: 'rows', rows };
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield { type: 'rows', rows };
}

/** Returns the values of some rows. @throws {Unreadable} if the file has fewer than it says. */
function valuesOf(
  name: string,
  chunks: { rowStart: number; values: DecodedArray }[],
  start: number,
  end: number,
): unknown[] {
  const values: unknown[] = new Array(end - start);
  let count = 0;
  for (const { rowStart, values: chunk } of chunks) {
    const [from, to] = [Math.max(start, rowStart), Math.min(end, rowStart + chunk.length)];
    for (let row = from; row < to; row += 1) values[row - start] = chunk[row - rowStart];
    count += Math.max(0, to - from);
  }
  if (count === end - start) return values;
  throw new Unreadable(`the column ${name.slice(0, 100)} has fewer values than rows`);
}

const encrypted = (): Unreadable => new Unreadable('it is encrypted, and Trawl has no key');

let answers: AsyncGenerator<Answer> | undefined;

async function answer(question: Question): Promise<void> {
  if (question.type === 'bytes') {
    waiting.get(question.id)?.(question.bytes);
    waiting.delete(question.id);
    return;
  }
  try {
    if (question.type === 'open') answers = batches(question.bytes, question.forTable);
    const next = await answers?.next();
    say(next?.done === false ? next.value : { type: 'rows', rows: [] });
  } catch (error) {
    const message = String((error as Error)?.message ?? error).slice(0, 300);
    const isOwn = error instanceof Unreadable;
    say({ type: 'failed', reason: isOwn ? message : `it is damaged, or uses what Trawl does not know (${message})` });
  }
}

process.on('message', (question: Question) => void answer(question));
// The backend has ended, or needs no more rows.
process.on('disconnect', () => process.exit());
