/**
 * The type of all values of a column that are not null; `text` if they differ. An `integer` is exact as a number of
 * JavaScript, a `long` is not. Only sources declare `decimal`, `date`, `instant` (a time with microseconds) and `local`
 * (the same without a time zone).
 */
export type ColumnType =
  | 'boolean'
  | 'integer'
  | 'long'
  | 'double'
  | 'decimal'
  | 'timestamp'
  | 'date'
  | 'instant'
  | 'local'
  | 'bytes'
  | 'text';

/** What a source says about a column. The values of the column are text, or what JSON has for them. */
export interface Declared {
  type: ColumnType;
  /** Only of `decimal`: the number of digits, and of those after the point. Without it, numbers of any length. */
  decimal?: { precision: number; scale: number };
}
export type DeclaredColumns = Map<string, Declared>;

const INTEGER = /^-?\d+$/;
export const DECIMAL = /^-?\d+(\.\d+)?$/;
const DATE = /^(\d{4,6})-(\d\d)-(\d\d)$/;
const TIME = /^(\d{4,6})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|\+00)?$/;
const DAY_MS = 86_400_000;

/**
 * Converts a value of a declared column: `long` and `decimal` to a bigint (without the point), `date` to days, `local`
 * and `instant` to microseconds since 1970, `bytes` to bytes.
 * @returns undefined for a value that has no such form, for example `infinity` or a year before Christ.
 */
export function convertDeclared(value: unknown, { type, decimal }: Declared): unknown {
  const text = String(value);
  switch (type) {
    case 'long':
      return INTEGER.test(text) ? BigInt(text) : undefined;
    case 'double':
      // The text of -0 is 0.
      return typeof value === 'number' ? value : Number(text);
    case 'decimal':
      return decimal && DECIMAL.test(text) ? unscaled(text, decimal.scale) : undefined;
    case 'date':
      return daysOf(text);
    case 'instant':
    case 'local':
      return microsecondsOf(text);
    case 'bytes':
      return text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex') : undefined;
    default:
      return value;
  }
}

function unscaled(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** The constructor of Date would take the years 0 to 99 for 1900 to 1999. */
const midnightOf = (year: string, month: string, day: string): number =>
  new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));

/** PostgreSQL has times after the year 275760, the last of JavaScript. */
const inRange = (time: number): number | undefined => (Number.isNaN(time) ? undefined : time);

function daysOf(text: string): number | undefined {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  return year === '' ? undefined : inRange(midnightOf(year, month, day) / DAY_MS);
}

function microsecondsOf(text: string): bigint | undefined {
  const [, year = '', month = '', day = '', hour, minute, second, fraction = ''] = TIME.exec(text) ?? [];
  if (year === '') return undefined;
  const midnight = inRange(midnightOf(year, month, day));
  if (midnight === undefined) return undefined;
  const seconds = midnight / 1_000 + Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

/** Returns the time of a declared column in milliseconds since 1970; undefined if the value or the column is no time. */
export function millisecondsOf(value: unknown, { type }: Declared): number | undefined {
  if (type === 'date') {
    const days = daysOf(String(value));
    return days === undefined ? undefined : days * DAY_MS;
  }
  if (type !== 'instant' && type !== 'local') return undefined;
  const microseconds = microsecondsOf(String(value));
  return microseconds === undefined ? undefined : Math.round(Number(microseconds) / 1_000);
}
