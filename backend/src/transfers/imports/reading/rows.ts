import { fieldsFromJson, fieldsFromStored, invalid } from '../../../data/storage/values/extended-json.js';
import { ApiError } from '../../../platform/common/errors.js';
import { csvRows, type Delimiter, guessLayout, RANKED_ROWS, titleLines } from '../parsing/csv-rows.js';
import { type Encoding, encodingOf, toUtf8 } from '../parsing/encodings.js';
import { jsonElements, jsonLines, parseExactJson } from '../parsing/json-rows.js';
import { withoutLines } from '../parsing/lines.js';
import type { ParquetColumn } from '../parsing/parquet/parquet-messages.js';
import { inTurn, openParquet } from '../parsing/parquet/parquet-rows.js';
import { isParquet, isZip, MAGIC_BYTES, type Source, unpacked } from '../parsing/source.js';
import { emptyFile, UnreadableFile } from '../parsing/unreadable.js';
import { openSheets, xlsxRows } from '../parsing/xlsx/xlsx-rows.js';
import type { DecimalMark } from '../values/cell-types.js';
import { type Cell, textOf } from '../values/cells.js';
import { type Column, documentMaker, suggestColumns } from '../values/columns.js';
import { refuseAs, refuseControls, refuseHtml, refuseOtherKinds } from './file-kinds.js';
import { refuseObjectsOfRows } from './json-objects.js';

export const FORMATS = ['csv', 'ndjson', 'extjson', 'json', 'xlsx', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** Formats with rows of cells, whose columns go to fields. The rows of the others are documents. */
export const isTable = (format: Format | null): boolean =>
  format === 'csv' || format === 'xlsx' || format === 'parquet';

/** How to read a file. */
export interface Reading {
  format: Format;
  encoding: Encoding;
  /** For CSV: the character between two cells. */
  delimiter: Delimiter;
  /** For tables: whether the first row has the names of the columns. */
  header: boolean;
  /** For CSV the number of lines above the header, for XLSX of rows. Missing in jobs from before this setting: none. */
  skip_lines?: number;
  /** For XLSX. Missing in jobs from before this setting: the first sheet that has rows. */
  sheet?: string;
  /** For CSV: the character before the decimals. Missing in jobs from before this setting: a point. */
  decimal_mark?: DecimalMark;
  /**
   * Whether rows go into PostgreSQL. Then an empty cell of CSV without quotes is no value, rather than an empty text, and
   * numbers of JSON keep every digit.
   */
  for_table?: boolean;
}

/** A row of a file: the cells of a table, a line of NDJSON, or an element of a JSON array. */
export type Row = Cell[] | string | unknown;

export interface Inspection {
  reading: Reading;
  /** For tables: the names in the header, and where their cells should go. Empty for other formats. */
  names: string[];
  columns: Column[];
  /** The names of the sheets of a workbook. */
  sheets?: string[];
  /** The types of PostgreSQL that a Parquet file declares. */
  declared?: string[];
  /** The first rows. */
  sample: Row[];
  /** Why the file cannot be read after these rows. */
  problem?: string;
}

type Fields = Record<string, unknown>;

const SAMPLE_ROWS = 1_000;
const SAMPLE_BYTES = 1024 * 1024;
const GUESS_BYTES = 64 * 1024;
/** The names are part of the job's parameters. */
const MAX_HEADER_CHARS = 512 * 1024;

/**
 * Reads the beginning of a file, and guesses what `wished` leaves out.
 * @param file its name, and the encoding that was detected during the upload if it is text.
 * @throws {ApiError} 400 for a file that cannot be read.
 */
export async function inspect(
  source: Source,
  file: { name: string; encoding?: Encoding | undefined },
  wished: Partial<Reading>,
): Promise<Inspection> {
  const magic = await source.slice(0, 4);
  const binary = wished.format ?? (isZip(magic) ? 'xlsx' : isParquet(magic) ? 'parquet' : undefined);
  const isBinary = binary === 'xlsx' || binary === 'parquet';
  const encoding = isBinary
    ? 'utf-8'
    : (wished.encoding ?? file.encoding ?? (await encodingOf(unpacked(source), SAMPLE_BYTES)));
  const isExpected = (binary === 'xlsx' && isZip(magic)) || (binary === 'parquet' && isParquet(magic));
  // As CSV, each text can be read.
  const isAnyText = wished.format === 'csv';
  if (!isExpected) {
    const bytes = await firstBytes(unpacked(source), MAGIC_BYTES);
    await refuseOtherKinds(source, bytes, isAnyText);
    if (isBinary) {
      refuseHtml(bytes.toString());
      await refuseAs(binary, source, bytes);
    }
  }
  const start = isBinary ? Buffer.alloc(0) : await firstBytes(toUtf8(unpacked(source), encoding), GUESS_BYTES);
  if (!isBinary) {
    if (!isAnyText) refuseHtml(start.toString());
    refuseControls(start.toString());
  }
  const format = isBinary ? binary : (wished.format ?? guessFormat(file.name.replace(/\.gz$/i, ''), start));
  if (wished.sheet !== undefined && format !== 'xlsx') throw invalid('sheet', 'is only for XLSX');
  const book = format === 'xlsx' ? await sheetOf(source, wished.sheet) : undefined;
  const layout = format === 'csv' ? guessLayout(start, wished.delimiter) : undefined;
  const reading = {
    format,
    encoding,
    delimiter: wished.delimiter ?? layout?.delimiter ?? 'comma',
    skip_lines: wished.skip_lines ?? (book ?? layout)?.skip_lines ?? 0,
    ...(book ? { sheet: book.sheet } : {}),
    header: wished.header ?? true,
    decimal_mark: wished.decimal_mark ?? 'point',
    ...(wished.for_table ? { for_table: true } : {}),
  };
  const readSample = () => sampleOf(source, reading);
  const { names, declared, sample, problem } = await (format === 'parquet' ? inTurn(readSample) : readSample());
  if (format === 'ndjson' || format === 'extjson') {
    refuseObjectsOfRows(sample as string[], wished.format !== undefined || LINES_NAME.test(file.name));
  }
  const types = declared?.map(({ type }) => type);
  const columns = isTable(format) ? suggestColumns(names, sample as Cell[][], reading.decimal_mark, types) : [];
  return {
    reading,
    names,
    columns,
    ...(book ? { sheets: book.sheets } : {}),
    sample,
    ...(declared ? { declared: declared.map(({ tableType }) => tableType) } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

async function sampleOf(source: Source, reading: Reading) {
  const { names, declared, rows } = await readRows(source, reading, SAMPLE_BYTES);
  const sample: Row[] = [];
  let problem: string | undefined;
  try {
    for await (const row of rows) if (sample.push(row) >= SAMPLE_ROWS) break;
  } catch (error) {
    if (!(error instanceof UnreadableFile) || sample.length === 0) throw error;
    problem = error.message;
  }
  return { names, declared, sample, problem };
}

/**
 * Reads a file.
 * @param sampleBytes stops after about this many bytes, but not before the first row.
 * @returns the names of the columns, and the rows without the header.
 * @throws {ApiError} 400 for a file that cannot be read, also while `rows` are read.
 */
export async function readRows(
  source: Source,
  { format, encoding, delimiter, header, sheet, skip_lines = 0, for_table = false }: Reading,
  sampleBytes = Number.POSITIVE_INFINITY,
): Promise<{ names: string[]; declared?: ParquetColumn[]; rows: AsyncIterable<Row> }> {
  if (format === 'parquet') {
    const { columns, rows } = await openParquet(source, for_table, sampleBytes);
    return { names: columns.map(({ name }) => name), declared: columns, rows };
  }
  let bytesRead = 0;
  const counted = (async function* () {
    const text = toUtf8(unpacked(source), encoding);
    for await (const bytes of format === 'csv' && skip_lines > 0 ? withoutLines(text, skip_lines) : text) {
      bytesRead += bytes.length;
      yield bytes;
    }
  })();
  const all = ROWS_OF[format]({ source, text: counted, delimiter, isForTable: for_table, skipRows: skip_lines, sheet });
  const first = await all.next();
  if (first.done && format !== 'json') throw emptyFile(isTable(format) ? skip_lines : 0);
  const isHeader = isTable(format) && header;
  const headerCells = isTable(format) ? Array.from(first.value as Cell[], textOf) : [];
  const headerChars = isHeader ? headerCells.join('').length : 0;
  if (headerChars > MAX_HEADER_CHARS) {
    throw new UnreadableFile(`The header has ${headerChars} characters; the limit is ${MAX_HEADER_CHARS}.`);
  }
  const rows = (async function* () {
    if (!first.done && !isHeader) yield first.value;
    while (bytesRead < sampleBytes) {
      const { done, value } = await all.next();
      if (done) return;
      yield value;
    }
    await all.return(undefined);
  })();
  return { names: headerCells.map(name => (header ? name : '')), rows };
}

interface Opened {
  source: Source;
  /** The file as UTF-8, without the lines above the header. */
  text: AsyncIterable<Buffer>;
  delimiter: Delimiter;
  isForTable: boolean;
  skipRows: number;
  sheet: string | undefined;
}

const ROWS_OF: Record<Exclude<Format, 'parquet'>, (opened: Opened) => AsyncGenerator<Row>> = {
  csv: ({ text, delimiter, isForTable, skipRows }) => csvRows(text, delimiter, isForTable, skipRows),
  ndjson: ({ text }) => jsonLines(text),
  extjson: ({ text }) => jsonLines(text),
  json: ({ text, isForTable }) => jsonElements(text, isForTable),
  xlsx: async function* ({ source, skipRows, sheet }) {
    let above = 0;
    for await (const row of xlsxRows(source, sheet)) {
      above += 1;
      if (above > skipRows) yield row;
    }
  },
};

/** An error names so many sheets. */
const NAMED_SHEETS = 20;

function listOf(sheets: string[]): string {
  const named = sheets.slice(0, NAMED_SHEETS).map(name => `"${name}"`);
  return `${named.join(', ')}${sheets.length > NAMED_SHEETS ? ` and ${sheets.length - NAMED_SHEETS} more` : ''}`;
}

/**
 * Finds the sheet to read: the wished one, or the first that has rows.
 * @throws {ApiError} 400 for a name that no sheet has, and if there are no rows.
 */
async function sheetOf(source: Source, wished?: string) {
  const all = await openSheets(source);
  const sheets = [...new Set(all.map(({ name }) => name))];
  if (wished !== undefined && !sheets.includes(wished)) {
    throw invalid('sheet', `must be a sheet of the workbook, which has ${listOf(sheets)}; you sent "${wished}"`);
  }
  for (const { name, rows } of all) {
    if (wished !== undefined && name !== wished) continue;
    const first: string[][] = [];
    for await (const row of rows()) if (first.push(Array.from(row, textOf)) >= RANKED_ROWS) break;
    if (first.length > 0) return { sheets, sheet: name, skip_lines: titleLines(first) };
  }
  const empty = wished === undefined ? 'No sheet of the workbook has rows' : `The sheet "${wished}" has no rows`;
  throw new UnreadableFile(`${empty}. The workbook has ${listOf(sheets)}.`);
}

async function firstBytes(chunks: AsyncIterable<Buffer>, count: number): Promise<Buffer> {
  const found: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    found.push(chunk);
    length += chunk.length;
    if (length >= count) break;
  }
  return Buffer.concat(found).subarray(0, count);
}

/** Names of files with a document a line. */
const LINES_NAME = /\.(ndjson|jsonl)(\.gz)?$/i;

function guessFormat(name: string, start: Buffer): Format {
  const [first = ''] = start.toString().trimStart();
  if (/\.(csv|tsv|txt)$/i.test(name)) return 'csv';
  const lines = /"\$(oid|date|number(Int|Long|Double|Decimal)|binary|uuid)"\s*:/.test(start.toString())
    ? 'extjson'
    : 'ndjson';
  if (LINES_NAME.test(name)) return lines;
  if (first === '[') return 'json';
  return first === '{' ? lines : 'csv';
}

/**
 * Returns a function that converts a row to a document.
 * @param width for CSV: the number of columns in the file.
 * @throws {ApiError} 400 from that function, with the reason why the row is bad.
 */
export function documentReader(
  { format, decimal_mark }: Pick<Reading, 'format' | 'decimal_mark'>,
  columns: Column[],
  width: number,
): (row: Row) => Fields {
  if (format === 'extjson') return row => fromJson(parseExactJson(row as string), fieldsFromStored);
  if (format === 'ndjson') return row => fromJson(parseExactJson(row as string));
  if (format === 'json') return row => fromJson(row);
  const make = documentMaker(columns, decimal_mark);
  return row => {
    const cells = row as Cell[];
    if (cells.length <= width) return make(format === 'csv' ? filledUp(cells, width) : cells);
    throw tooManyCells(format, cells.length, width);
  };
}

/** @returns the error for a row with more cells than the file has columns. */
export function tooManyCells(format: Format, cells: number, columns: number): ApiError {
  const advice = format === 'csv' ? ' Choose another `delimiter` or quote the cells that contain it.' : '';
  return new ApiError('validation_failed', `The row has ${cells} cells; the file has ${columns} columns.${advice}`);
}

/** A row of CSV may leave out empty cells at its end. */
const filledUp = (cells: Cell[], width: number): Cell[] =>
  cells.length === width ? cells : Array.from({ length: width }, (_, at) => cells[at] ?? '');

function fromJson(value: unknown, convert = fieldsFromJson): Fields {
  if ((value as Fields | null)?._id === null && convert === fieldsFromJson) {
    throw new ApiError('validation_failed', '_id: must not be null. Leave it out, and Trawl makes one.');
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return convert(value);
  throw new ApiError('validation_failed', 'A row must be a JSON object.');
}
