import { pipeline, Readable } from 'node:stream';
import { type CsvError, type Options, parse } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import { UnreadableFile } from './unreadable.js';

/** The largest row: MongoDB's limit for a document. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;
export const MAX_COLUMNS = 10_000;
/** Characters between cells. They have names, because code generators cannot make identifiers of the characters. */
const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };
export type Delimiter = keyof typeof DELIMITERS;
export const DELIMITER_NAMES = Object.keys(DELIMITERS) as Delimiter[];
const RANKED_ROWS = 50;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Stray quotes are part of the text, as in spreadsheets. The three line ends may be mixed in one file: a file that
 * several programs wrote often has more than one.
 */
const options = (delimiter: Delimiter): Options => ({
  delimiter: DELIMITERS[delimiter],
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_quotes: true,
  relax_column_count: true,
  max_record_size: MAX_ROW_BYTES,
});

/**
 * Reads the rows of CSV in UTF-8, including the header. Skips empty lines, unless the file has only one column: then
 * an empty line below the first row is a row with an empty cell.
 * @throws {ApiError} 400 for a quote that is never closed, a row with too many bytes or cells, and a file that seems to
 * be cut off in its last row.
 */
export async function* csvRows(bytes: AsyncIterable<Buffer>, delimiter: Delimiter): AsyncGenerator<string[]> {
  const parser = parse(options(delimiter));
  let lastByte: number | undefined;
  const watched = (async function* () {
    for await (const chunk of bytes) {
      lastByte = chunk.at(-1);
      yield chunk;
    }
  })();
  // `pipeline` destroys the parser if reading fails, so that the loop below throws the error.
  pipeline(Readable.from(watched), parser, () => undefined);
  let columns = 0;
  // Each row waits for the next one, because only the last row may be cut off.
  let waiting: string[] | undefined;
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      const isEmpty = row.length === 1 && row[0] === '';
      if (isEmpty && columns !== 1) continue;
      columns ||= row.length;
      if (row.length > MAX_COLUMNS)
        throw new UnreadableFile(`A row has ${row.length} cells; the limit is ${MAX_COLUMNS}.`);
      if (waiting) yield waiting;
      waiting = row;
    }
  } catch (error) {
    if (waiting) yield waiting;
    throw toReason(error);
  }
  if (!waiting) return;
  if (waiting.length < columns && lastByte !== LINE_FEED && lastByte !== CARRIAGE_RETURN) {
    throw new UnreadableFile(
      `The last row has ${waiting.length} of ${columns} cells and no line end, so the file may be cut off.`,
    );
  }
  yield waiting;
}

function toReason(error: unknown): unknown {
  switch ((error as Partial<CsvError>).code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new UnreadableFile(`The file ends within quotes. ${place(error)}`);
    case 'CSV_MAX_RECORD_SIZE':
      return new UnreadableFile(`A row is larger than ${MAX_ROW_BYTES} bytes. ${place(error)}`);
    default:
      return error;
  }
}

const place = (error: unknown): string =>
  `Look for a quote that is not closed, up to line ${(error as { lines?: number }).lines}.`;

/** Guesses the delimiter: the one by which most rows have as many cells as the first, and more than one. */
export function guessDelimiter(sample: Buffer): Delimiter {
  let best = { delimiter: 'comma' as Delimiter, equal: 0, columns: 1 };
  for (const delimiter of DELIMITER_NAMES) {
    const [first, ...others] = parseSync(sample, {
      ...options(delimiter),
      to: RANKED_ROWS,
      skip_records_with_error: true,
    }) as unknown as string[][];
    const columns = first?.length ?? 0;
    // The last row may be cut off at the end of the sample.
    const equal = others.slice(0, -1).filter(row => row.length === columns).length;
    const isBetter = equal > best.equal || (equal === best.equal && columns > best.columns);
    if (columns > 1 && (best.columns === 1 || isBetter)) best = { delimiter, equal, columns };
  }
  return best.delimiter;
}
