import { type CsvError, type Options, Parser } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import { UnreadableFile } from './unreadable.js';

/** The largest row: MongoDB's limit for a document. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;
export const MAX_COLUMNS = 10_000;
/** Characters between cells. They have names, because code generators cannot make identifiers of the characters. */
const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };
type Cells = (string | undefined)[];
export type Delimiter = keyof typeof DELIMITERS;
export const DELIMITER_NAMES = Object.keys(DELIMITERS) as Delimiter[];
/** Rows by which the layout is guessed. */
export const RANKED_ROWS = 50;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Stray quotes are part of the text, as in spreadsheets. The three line ends may be mixed in one file: a file that
 * several programs wrote often has more than one.
 */
const options = (delimiter: Delimiter, hasNulls = false): Options => ({
  delimiter: DELIMITERS[delimiter],
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_quotes: true,
  relax_column_count: true,
  max_record_size: MAX_ROW_BYTES,
  ...(hasNulls ? { cast: (cell, { quoting }) => (cell === '' && !quoting ? undefined : cell) } : {}),
});

/**
 * Reads the rows of CSV in UTF-8, including the header. Skips empty lines, unless the file has only one column: then
 * an empty line below the first row is a row with an empty cell.
 * @param hasNulls whether an empty cell without quotes is undefined, as PostgreSQL writes a value that is missing.
 * @param linesAbove number of lines of the file that are left out before `bytes`, for the places in errors.
 * @throws {ApiError} 400 for a quote that is never closed, a row with too many bytes or cells, and a file that seems to
 * be cut off in its last row.
 */
export async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  hasNulls = false,
  linesAbove = 0,
): AsyncGenerator<Cells> {
  const read = new LineCounter();
  /** Number of lines of the file up to the end of the last row. */
  let lines = linesAbove;
  let columns = 0;
  // Each row waits for the next one, because only the last row may be cut off.
  let waiting: Cells | undefined;
  try {
    for await (const rows of parsedRows(bytes, options(delimiter, hasNulls), read)) {
      for (const row of rows) {
        lines += linesOf(row);
        const isEmpty = row.length === 1 && (row[0] ?? '') === '';
        if (isEmpty && columns !== 1) continue;
        columns ||= row.length;
        if (row.length > MAX_COLUMNS)
          throw new UnreadableFile(`A row has ${row.length} cells; the limit is ${MAX_COLUMNS}.`);
        if (waiting) yield waiting;
        waiting = row;
      }
    }
  } catch (error) {
    if (waiting) yield waiting;
    throw toReason(error, lines + 1, linesAbove + read.lines);
  }
  if (!waiting) return;
  if (waiting.length < columns && !read.isAtLineEnd) {
    throw new UnreadableFile(
      `The last row has ${waiting.length} of ${columns} cells and no line end, so the file may be cut off.`,
    );
  }
  yield waiting;
}

/**
 * Keeps the rows until they are taken, also those before an error: as a stream, the parser would drop those that were not yet read.
 * Its option `on_record` would do the same, but it makes an object with the position of each row, which takes a fifth of the time.
 */
class RowParser extends Parser {
  #rows: Cells[] = [];

  override push(row: Cells | null): boolean {
    if (row) this.#rows.push(row);
    return true;
  }

  takeRows(): Cells[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** Yields the rows of each chunk. */
async function* parsedRows(bytes: AsyncIterable<Buffer>, how: Options, read: LineCounter): AsyncGenerator<Cells[]> {
  const parser = new RowParser(how);
  // The callbacks of `write` and `end` get the errors.
  parser.on('error', () => undefined);
  const call = (send: (done: (error?: Error | null) => void) => void) =>
    new Promise<Error | null | undefined>(resolve => send(resolve));
  for await (const chunk of bytes) {
    read.add(chunk);
    const failure = await call(done => parser.write(chunk, done));
    yield parser.takeRows();
    if (failure) throw failure;
  }
  const failure = await call(done => parser.end(done));
  yield parser.takeRows();
  if (failure) throw failure;
}

/** Counts the lines of a text: their ends may be LF, CRLF or CR. */
class LineCounter {
  #ends = 0;
  #lastByte: number | undefined;

  add(chunk: Buffer): void {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) {
      const before = at === 0 ? this.#lastByte : chunk[at - 1];
      // The carriage return has been counted.
      if (before !== CARRIAGE_RETURN) this.#ends += 1;
    }
    for (let at = chunk.indexOf(CARRIAGE_RETURN); at >= 0; at = chunk.indexOf(CARRIAGE_RETURN, at + 1)) this.#ends += 1;
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
  }

  get isAtLineEnd(): boolean {
    return this.#lastByte === LINE_FEED || this.#lastByte === CARRIAGE_RETURN;
  }

  get lines(): number {
    return this.#ends + (this.isAtLineEnd ? 0 : 1);
  }
}

const LINE_END = /\r\n|\n|\r/g;

/** Counts the lines that a row has in the file: more than one if its cells have line ends. */
function linesOf(row: Cells): number {
  let lines = 1;
  for (const cell of row) {
    if (cell !== undefined && (cell.includes('\n') || cell.includes('\r'))) lines += cell.match(LINE_END)?.length ?? 0;
  }
  return lines;
}

/** @param from the line in which the row begins that cannot be read, and `to` the last line that was read. */
function toReason(error: unknown, from: number, to: number): unknown {
  switch ((error as Partial<CsvError>).code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new UnreadableFile(
        `The file ends within quotes: the row that begins in line ${from} has a quote that is not closed, so its ${to - from + 1} lines up to line ${to}, the last one, are one bad row. Close the quote, or double it if it is text.`,
      );
    case 'CSV_MAX_RECORD_SIZE':
      return new UnreadableFile(
        `The row that begins in line ${from} is larger than ${MAX_ROW_BYTES} bytes. Look there for a quote that is not closed.`,
      );
    default:
      return error;
  }
}

/** How the rows of a file are laid out. */
export interface Layout {
  delimiter: Delimiter;
  /** Number of lines above the header: titles, and Excel's `sep=;`. */
  skip_lines: number;
}

const SEPARATOR_LINE = /^sep=(.)(\r\n|\n|\r|$)/i;
const MAX_TITLE_LINES = 20;
/** Only so many equal rows below other lines say that these are titles. */
const MIN_ROWS_BELOW_TITLE = 3;

/** Guesses the layout of a file by its beginning. `wished` is the user's choice of a delimiter. */
export function guessLayout(sample: Buffer, wished?: Delimiter): Layout {
  const [line = '', character = ''] = SEPARATOR_LINE.exec(sample.subarray(0, 16).toString()) ?? [];
  const named = DELIMITER_NAMES.find(name => DELIMITERS[name] === character);
  if (line !== '') {
    const rest = sample.subarray(Buffer.byteLength(line));
    const { delimiter, skip_lines } = guessBelow(rest, wished ?? named);
    return { delimiter, skip_lines: skip_lines + 1 };
  }
  return guessBelow(sample, wished);
}

/** Takes the delimiter by which most rows have as many cells as the first below the titles, and more than one. */
function guessBelow(sample: Buffer, wished?: Delimiter): Layout {
  let best = { delimiter: wished ?? ('comma' as Delimiter), skip_lines: 0, equal: 0, columns: 1 };
  for (const delimiter of wished ? [wished] : DELIMITER_NAMES) {
    const rows = parseSync(sample, {
      ...options(delimiter),
      to: RANKED_ROWS,
      skip_records_with_error: true,
    }) as unknown as string[][];
    const skip_lines = provenTitleLines(rows);
    const [first, ...others] = rows.slice(skip_lines);
    const columns = first?.length ?? 0;
    // The last row may be cut off at the end of the sample.
    const equal = others.slice(0, -1).filter(row => row.length === columns).length;
    const isBetter = equal > best.equal || (equal === best.equal && columns > best.columns);
    if (columns > 1 && (best.columns === 1 || isBetter)) best = { delimiter, skip_lines, equal, columns };
  }
  return { delimiter: best.delimiter, skip_lines: best.skip_lines };
}

/**
 * Counts the titles of CSV. A file with one column of text has lines without a delimiter, too: above others, they are titles only
 * if all rows below have equally many cells, and no cell of the header begins with a space, as after a comma of a sentence.
 */
function provenTitleLines(rows: string[][]): number {
  const lines = titleLines(rows);
  if (rows.slice(0, lines).some(row => row.length > 1)) return lines;
  const [header = [], ...below] = rows.slice(lines).filter(row => row.length > 1 || row[0] !== '');
  // The last row may be cut off at the end of the sample.
  const whole = below.length > MIN_ROWS_BELOW_TITLE ? below.slice(0, -1) : below;
  const isTable = whole.length >= MIN_ROWS_BELOW_TITLE && whole.every(row => row.length === header.length);
  return isTable && !header.some(cell => cell.startsWith(' ')) ? lines : 0;
}

/**
 * Counts the titles above a header: rows with one filled cell. Two rows look so, too, and are no titles: `,price`, which is
 * the header of numbered rows, and a header with few names. The first row below such a header has numbers.
 */
export function titleLines(rows: string[][]): number {
  const isTitle = (row: string[]) =>
    row.filter(cell => cell !== '').length <= 1 && (row.length > 2 || !row[1]) && !/[\r\n]/.test(row.join(''));
  const lines = rows.findIndex(row => !isTitle(row));
  if (lines <= 0 || lines > MAX_TITLE_LINES) return 0;
  // Empty lines alone are no titles: they are skipped anyway.
  if (rows.slice(0, lines).every(row => row.length === 1 && row[0] === '')) return 0;
  const width = rows[lines]?.length ?? 0;
  const isHeader = rows[lines]?.every(cell => cell !== '' && !isNumber(cell)) ?? false;
  const below = rows.slice(lines, lines + MIN_ROWS_BELOW_TITLE);
  const isTable = below.length === MIN_ROWS_BELOW_TITLE && below.every(row => row.length === width);
  return isHeader && isTable && (rows[0]?.length ?? 0) <= width ? lines : 0;
}

/** Whether a cell is a number, a date or a time. Years are names of columns, too. */
const isNumber = (cell: string): boolean =>
  /^[\d\s.,:/%+-]*\d[\d\s.,:/%+-]*$/.test(cell) && !/^(1[5-9]|2[01])\d\d$/.test(cell);
