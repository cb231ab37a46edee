import { isJsonNestedDeeper, LIMITS } from '@trawl/contracts';
import { isSafeNumber, parse } from 'lossless-json';

/** A number of JSON that JavaScript would write differently, such as `1.10` or `12345678901234567890`. */
export class ExactNumber {
  constructor(readonly text: string) {}

  /** The number; its text if JavaScript has no such number. */
  get plain(): number | string {
    return isSafeNumber(this.text) ? Number(this.text) : this.text;
  }
}

export function exactNumber(text: string): number | ExactNumber {
  const number = Number(text);
  return String(number) === text ? number : new ExactNumber(text);
}

/** A number that may have to be an `ExactNumber`: a long one, one with an exponent or a zero at its end, or -0. */
export const UNUSUAL_NUMBER = /(?:^|[\s,:[])-?(?:\d[\d.]{15}|\d[\d.]*(?:[eE]|\.\d*0(?!\d))|(?<=-)0(?![\d.]))/;

/**
 * Parses JSON like `JSON.parse`, without losing a digit. Of a field that occurs twice, the last value wins.
 * @throws {SyntaxError} for a text that is not JSON.
 */
export function parseExact(text: string): unknown {
  // The exact parser takes several times as long, and accepts the same texts.
  return UNUSUAL_NUMBER.test(text) ? parseNumbers(text, exactNumber) : JSON.parse(text);
}

/** Parses JSON with a function for its numbers. */
export const parseNumbers = (text: string, toNumber: (text: string) => unknown): unknown =>
  parse(text, null, { parseNumber: toNumber, onDuplicateKey: ({ newValue }) => newValue });

/** Writes what `parseExact` returns, with every digit. */
export function exactText(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`;
  const fields = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${exactText(inner)}`);
  return `{${fields.join(',')}}`;
}

/** A value of a `json` or `jsonb` column, as PostgreSQL writes it. */
export class JsonText {
  #value: unknown;

  constructor(readonly text: string) {}

  /** The value, parsed exactly. The text, if it is nested too deeply to be written again, or if it is not JSON. */
  get value(): unknown {
    this.#value ??= isJsonNestedDeeper(Buffer.from(this.text), LIMITS.bodyDepth) ? this.text : parsedOr(this.text);
    return this.#value;
  }

  /** The text as a value inside other JSON, in one line: strings of JSON contain no raw line breaks. */
  get line(): string {
    // A statement that changes the encoding of its session may damage quotes. It leaves such characters behind.
    if (this.text.includes('\ufffd') && this.value === this.text) return JSON.stringify(this.text);
    return this.text.replace(/[\r\n]+/g, ' ');
  }
}

function parsedOr(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
