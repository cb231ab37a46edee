import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { isJsonNestedDeeper } from '@trawl/contracts';
import { exactNumber, parseNumbers, UNUSUAL_NUMBER } from '../../../data/storage/values/exact-json.js';
import { isInt64 } from '../../../data/storage/values/extended-json.js';
import { MAX_DEPTH } from '../../../data/storage/values/operators.js';
import { ApiError } from '../../../platform/common/errors.js';
import { MAX_ROW_BYTES } from './csv-rows.js';
import { adviceOnJson } from './json-advice.js';
import { emptyFile, reasonOf, UnreadableFile } from './unreadable.js';

const LINE_FEED = 0x0a;
const TOO_LARGE = `is larger than ${MAX_ROW_BYTES} bytes, which is the limit of a document`;

/**
 * Reads the lines of NDJSON. Skips lines that are empty or have only spaces.
 * @throws {ApiError} 400 for a line that is too large.
 */
export async function* jsonLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)])
        .toString()
        .trim();
      begun = [];
      begunBytes = 0;
      from = end + 1;
      if (line !== '') yield line;
    }
    begun.push(Buffer.from(chunk.subarray(from)));
    begunBytes += chunk.length - from;
    if (begunBytes > MAX_ROW_BYTES) throw new UnreadableFile(`A line ${TOO_LARGE}. Is it the format json?`);
  }
  const last = Buffer.concat(begun).toString().trim();
  if (last !== '') yield last;
}

/** A text of this length can be nested so deeply that parsing it takes hundreds of megabytes. */
const LONG_TEXT = 64 * 1024;
/** Integers with this many digits may exceed the safe range of JavaScript. */
const LONG_INTEGER = /\d{16}/;

/**
 * Parses JSON without rounding integers: those beyond the safe range of JavaScript become `$numberLong`, or text if they
 * have more than 64 bits.
 * @throws {ApiError} 400 for text that is not JSON or nested too deeply.
 */
export const parseExactJson = (text: string): unknown => parsed(text, LONG_INTEGER, longNumber);

/** Parses JSON without losing a digit: numbers that JavaScript would write differently become `ExactNumber`. */
export const parseDigits = (text: string): unknown => parsed(text, UNUSUAL_NUMBER, exactNumber);

function parsed(text: string, isUnusual: RegExp, toNumber: (text: string) => unknown): unknown {
  if (text.length > LONG_TEXT && isJsonNestedDeeper(Buffer.from(text), MAX_DEPTH)) throw tooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(adviceIn(text) ?? `This is not JSON: ${reasonOf(error as Error)}.`);
  }
  if (!isUnusual.test(text)) return value;
  if (isJsonNestedDeeper(Buffer.from(text), MAX_DEPTH)) throw tooDeep();
  return parseNumbers(text, toNumber);
}

/** Longer texts get no advice, because it would hold up other calls. */
const MAX_ADVISED_CHARS = 1024 * 1024;

/** Finds the place by another parser, because the messages of `JSON.parse` seldom tell it. */
function adviceIn(text: string): string | undefined {
  if (text.length > MAX_ADVISED_CHARS) return undefined;
  const bytes = Buffer.from(text);
  const tokens = new Tokenizer();
  tokens.onToken = () => undefined;
  try {
    tokens.write(bytes);
    return undefined;
  } catch (error) {
    return adviceOnJson(bytes, error as Error);
  }
}

/**
 * Reads the elements of a JSON array. It holds only one element at a time.
 * @param keepsDigits whether numbers are as in `parseDigits`, rather than as in `parseExactJson`.
 * @throws {ApiError} 400 for text that is not a JSON array, and for an element that is too large or nested too deeply.
 */
export async function* jsonElements(bytes: AsyncIterable<Buffer>, keepsDigits: boolean): AsyncGenerator<unknown> {
  let found: unknown[] = [];
  const parser = elementsParser(value => found.push(value), keepsDigits ? exactNumber : longNumber);
  let sinceElement = 0;
  let elements = 0;
  for await (const chunk of bytes) {
    const failure = failureOf(() => parser.write(chunk), chunk);
    sinceElement = found.length > 0 ? chunk.length : sinceElement + chunk.length;
    yield* found;
    elements += found.length;
    found = [];
    if (failure) throw failure;
    if (sinceElement > MAX_ROW_BYTES) throw new UnreadableFile(`An element of the array ${TOO_LARGE}.`);
  }
  if (parser.isUnfinished()) {
    throw new UnreadableFile(
      `The file ends within the JSON array, after ${elements} complete ${elements === 1 ? 'element' : 'elements'}. It may be cut off: an array ends with "]".`,
    );
  }
  const failure = failureOf(() => parser.end());
  if (failure) throw failure;
}

function failureOf(parse: () => void, chunk?: Buffer): Error | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    const advice = chunk && adviceOnJson(chunk, error as Error);
    return new UnreadableFile(
      `The file cannot be read as a JSON array: ${reasonOf(error as Error)}. ${advice ?? 'Correct the file, or choose another format.'}`,
    );
  }
}

/** Calls `onValue` with each element of an array. */
function elementsParser(onValue: (value: unknown) => void, toNumber: (text: string) => unknown) {
  const tokens = new ExactTokenizer(toNumber);
  const values = new TokenParser({ paths: ['$.*'], keepStack: false });
  let depth = 0;
  let isFirst = true;
  tokens.onToken = token => {
    const type = token.token;
    if (isFirst && type !== TokenType.LEFT_BRACKET) {
      throw new UnreadableFile(
        'The file must be a JSON array. If an object holds the list, upload the list alone. For one document a line, choose the format ndjson.',
      );
    }
    isFirst = false;
    if (type === TokenType.LEFT_BRACKET || type === TokenType.LEFT_BRACE) depth += 1;
    else if (type === TokenType.RIGHT_BRACKET || type === TokenType.RIGHT_BRACE) depth -= 1;
    // The array around the elements is no level of a document.
    if (depth > MAX_DEPTH + 1) throw tooDeep();
    values.write(token);
  };
  values.onValue = ({ value }) => onValue(value);
  values.onEnd = () => tokens.isEnded || tokens.end();
  return {
    write: (text: string | Buffer) => tokens.write(text),
    /** Tells whether a value has begun and not ended. */
    isUnfinished: () => !isFirst && !values.isEnded,
    end: () => {
      if (isFirst) throw emptyFile();
      if (!tokens.isEnded) tokens.end();
      if (!values.isEnded) values.end();
    },
  };
}

class ExactTokenizer extends Tokenizer {
  constructor(private readonly toNumber: (text: string) => unknown) {
    super({ stringBufferSize: 4_096, numberBufferSize: 64 });
    // The library's decoder takes U+FEFF at the beginning of a text for a byte order mark, and drops it.
    const { bufferedString } = this as unknown as { bufferedString: { decoder: unknown } };
    bufferedString.decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the library declares numbers, but passes on any value
  override parseNumber(text: string): any {
    return this.toNumber(text);
  }
}

/** Returns Extended JSON for a long integer, which `fieldsFromJson` converts to MongoDB's type. */
function longNumber(text: string): unknown {
  const value = Number(text);
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return value;
  return isInt64(text) ? { $numberLong: text } : text;
}

const tooDeep = () => new UnreadableFile(`The document is nested more than ${MAX_DEPTH} levels deep.`);
