import { Binary, Decimal128, Double, Long, UUID } from 'bson';
import type { SchemaElement, SchemaTree } from 'hyparquet';
import type { ParquetColumn } from './parquet-messages.js';

/** Reads values of one element of the schema. */
export interface ValueReader extends Pick<ParquetColumn, 'type' | 'tableType'> {
  /** Returns what MongoDB stores. */
  toStored: (value: unknown) => unknown;
  /** Returns the text that PostgreSQL reads. */
  toText: (value: unknown) => string;
  /** Returns the text of a JSON value. */
  toJson: (value: unknown) => string;
}

const DAY_MS = 86_400_000;
const UINT = { 8: 0xffn, 16: 0xffffn, 32: 0xffff_ffffn, 64: 0xffff_ffff_ffff_ffffn } as Record<number, bigint>;
const MAX_LONG = 2n ** 63n;
const NANOS_OF_DAY = 86_400_000_000_000n;
/** Days of the Julian calendar before 1970. */
const JULIAN_DAYS = 2_440_588n;

const json = (text: string): string => JSON.stringify(text);

/** A value whose text in JSON is a string. */
const asText = (
  type: ValueReader['type'],
  tableType: string,
  toText: (value: unknown) => string,
  toStored: (value: unknown) => unknown = toText,
): ValueReader => ({ type, tableType, toText, toStored, toJson: value => json(toText(value)) });

/** Takes the conversions away from the library, because some of them lose digits, and texts U+FEFF at their start. */
export function withoutConversions(schema: SchemaElement[]): SchemaElement[] {
  return schema.map((element, index) => {
    const { logical_type, converted_type, ...plain } = element;
    if (element.type === undefined) {
      const kind = logical_type?.type === 'LIST' || logical_type?.type === 'MAP' ? logical_type.type : converted_type;
      return { ...plain, ...(kind === undefined ? {} : { converted_type: kind }) };
    }
    // The library makes names of fields from the keys of a map, so they must be texts.
    return isText(element) && isMap(schema[index - 2]) ? { ...plain, converted_type: 'UTF8' } : plain;
  });
}

const isMap = (element: SchemaElement | undefined): boolean =>
  element?.converted_type === 'MAP' || element?.logical_type?.type === 'MAP';

const isText = ({ type, converted_type, logical_type }: SchemaElement): boolean =>
  type === 'BYTE_ARRAY' &&
  (['UTF8', 'ENUM', 'JSON'].includes(String(converted_type)) ||
    ['STRING', 'ENUM', 'JSON'].includes(String(logical_type?.type)));

/** Returns how to read a column. @param node of the schema as the file has it. */
export function readerOf(node: SchemaTree): ValueReader {
  const { element, children } = node;
  const single = children.length === 0 ? leafReader(element) : groupReader(node);
  return element.repetition_type === 'REPEATED' ? listReader(single) : single;
}

function groupReader({ element, children }: SchemaTree): ValueReader {
  const kind = element.logical_type?.type ?? element.converted_type;
  const [inner] = children;
  if (kind === 'LIST' && children.length === 1 && inner?.element.repetition_type === 'REPEATED') {
    const [item] = inner.children;
    if (inner.children.length === 1 && item) return listReader(readerOf(item));
    if (inner.children.length === 0) return listReader(leafReader(inner.element));
  }
  if (kind === 'MAP' && inner?.children.length === 2) {
    const value = readerOf(inner.children[1] as SchemaTree);
    return objectReader(() => value);
  }
  const readers = new Map(children.map(child => [child.element.name, readerOf(child)]));
  return objectReader(name => readers.get(name));
}

function listReader(item: ValueReader): ValueReader {
  const each = (value: unknown): unknown[] => (Array.isArray(value) ? value : [...(value as Iterable<unknown>)]);
  const toJson = (value: unknown) =>
    `[${each(value)
      .map(one => (isMissing(one) ? 'null' : item.toJson(one)))
      .join(',')}]`;
  const toStored = (value: unknown) => each(value).map(one => (isMissing(one) ? null : item.toStored(one)));
  return { type: 'json', tableType: 'jsonb', toText: toJson, toJson, toStored };
}

function objectReader(readerOfField: (name: string) => ValueReader | undefined): ValueReader {
  const entries = (value: unknown): [string, unknown, ValueReader][] =>
    Object.entries(value as object).flatMap(([name, inner]) => {
      const reader = readerOfField(name);
      return reader ? [[name, inner, reader] as [string, unknown, ValueReader]] : [];
    });
  const toJson = (value: unknown) =>
    `{${entries(value)
      .map(([name, inner, reader]) => `${json(name)}:${isMissing(inner) ? 'null' : reader.toJson(inner)}`)
      .join(',')}}`;
  const toStored = (value: unknown) =>
    Object.fromEntries(
      entries(value).map(([name, inner, reader]) => [name, isMissing(inner) ? null : reader.toStored(inner)]),
    );
  return { type: 'json', tableType: 'jsonb', toText: toJson, toJson, toStored };
}

export const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined;

function leafReader(element: SchemaElement): ValueReader {
  const { type, logical_type: logical, converted_type: converted } = element;
  if (type === 'BOOLEAN') {
    const toText = (value: unknown) => String(Boolean(value));
    return { type: 'boolean', tableType: 'boolean', toStored: Boolean, toText, toJson: toText };
  }
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    return decimalReader(element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0));
  }
  if (isText(element)) {
    if (converted !== 'JSON' && logical?.type !== 'JSON') return asText('text', 'text', textOf);
    // The text of JSON stays as it is, also inside other values.
    return { type: 'json', tableType: 'jsonb', toStored: textOf, toText: textOf, toJson: value => json(textOf(value)) };
  }
  if (type === 'INT32' && (converted === 'DATE' || logical?.type === 'DATE')) return dateReader;
  const timeUnit = unitOf(element);
  if (timeUnit && (logical?.type === 'TIME' || converted?.startsWith('TIME_'))) return timeReader(timeUnit);
  if (timeUnit) return timestampReader(timeUnit, logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : true);
  if (type === 'INT96') return int96Reader;
  if (type === 'INT32' || type === 'INT64') return integerReader(element);
  if (type === 'FLOAT' || type === 'DOUBLE') return doubleReader(value => Number(value));
  if (logical?.type === 'FLOAT16') return doubleReader(value => float16Of(bytesOf(value)));
  if (logical?.type === 'UUID' && element.type_length === 16) {
    return asText(
      'binary',
      'uuid',
      value => uuidOf(value).toString(),
      value => uuidOf(value).toBinary(),
    );
  }
  return asText(
    'binary',
    'bytea',
    value => `\\x${bytesOf(value).toString('hex')}`,
    value => new Binary(bytesOf(value)),
  );
}

const bytesOf = (value: unknown): Buffer => Buffer.from(value as Uint8Array);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : bytesOf(value).toString());
const uuidOf = (value: unknown): UUID => new UUID(bytesOf(value));

/** The library gives numbers of 32 bits as numbers, and of 64 bits as bigints. */
function integerReader({ type, logical_type: logical, converted_type: converted }: SchemaElement): ValueReader {
  const isUnsigned = logical?.type === 'INTEGER' ? !logical.isSigned : converted?.startsWith('UINT_') === true;
  const bits = logical?.type === 'INTEGER' ? logical.bitWidth : Number(/\d+$/.exec(converted ?? '')?.[0] ?? 64);
  const mask = isUnsigned ? (UINT[bits] ?? UINT[64]) : undefined;
  const read = (value: unknown): bigint => (mask ? BigInt(value as bigint) & mask : BigInt(value as bigint));
  const toText = (value: unknown) => String(read(value));
  const toStored = (value: unknown) => {
    const number = read(value);
    if (number >= -(2n ** 31n) && number < 2n ** 31n) return Number(number);
    return number < MAX_LONG ? Long.fromBigInt(number) : Decimal128.fromString(String(number));
  };
  const isHuge = isUnsigned && bits === 64 && type === 'INT64';
  return { type: 'number', tableType: isHuge ? 'numeric' : 'bigint', toStored, toText, toJson: toText };
}

function decimalReader(scale: number): ValueReader {
  const toText = (value: unknown): string => {
    const unscaled = value instanceof Uint8Array ? signedOf(value) : BigInt(value as bigint);
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
    const text = scale > 0 ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
    return unscaled < 0n ? `-${text}` : text;
  };
  const toStored = (value: unknown): unknown => {
    try {
      return Decimal128.fromString(toText(value));
    } catch {
      // It has more digits than MongoDB's decimals.
      return toText(value);
    }
  };
  return { type: 'number', tableType: 'numeric', toStored, toText, toJson: toText };
}

/** Reads a number in two's complement, the first byte the highest. */
function signedOf(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytesOf(bytes).toString('hex')}`));
}

function doubleReader(read: (value: unknown) => number): ValueReader {
  const toText = (value: unknown) => {
    const number = read(value);
    return Object.is(number, -0) ? '-0' : String(number);
  };
  const toJson = (value: unknown) => (Number.isFinite(read(value)) ? toText(value) : json(toText(value)));
  return {
    type: 'number',
    tableType: 'double precision',
    toStored: value => new Double(read(value)),
    toText,
    toJson,
  };
}

function float16Of(bytes: Buffer): number {
  const bits = bytes.readUInt16LE(0);
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1_024);
}

type Unit = 'MILLIS' | 'MICROS' | 'NANOS';
const IN_MICROS: Record<Unit, (value: bigint) => bigint> = {
  MILLIS: value => value * 1_000n,
  MICROS: value => value,
  NANOS: value => floorDiv(value, 1_000n),
};

function unitOf({ logical_type: logical, converted_type: converted }: SchemaElement): Unit | undefined {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') return logical.unit;
  return /^TIME(STAMP)?_(MILLIS|MICROS)$/.exec(converted ?? '')?.[2] as Unit | undefined;
}

const floorDiv = (value: bigint, by: bigint): bigint => {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
};

const dateReader = asText(
  'date',
  'date',
  value => textOfDay(Number(value)),
  value => dateOf(Number(value) * DAY_MS, () => textOfDay(Number(value))),
);

function timestampReader(unit: Unit, isUtc: boolean): ValueReader {
  const micros = (value: unknown) => IN_MICROS[unit](BigInt(value as bigint));
  return instantReader(micros, isUtc);
}

function instantReader(micros: (value: unknown) => bigint, isUtc: boolean): ValueReader {
  const toText = (value: unknown) => textOfTime(micros(value), isUtc);
  // MongoDB has no microseconds.
  const toStored = (value: unknown) => dateOf(Number(floorDiv(micros(value), 1_000n)), () => toText(value));
  return asText('date', isUtc ? 'timestamptz' : 'timestamp', toText, toStored);
}

const int96Reader = instantReader(value => {
  const bits = BigInt.asUintN(96, value as bigint);
  const days = BigInt.asIntN(32, bits >> 64n) - JULIAN_DAYS;
  return floorDiv(days * NANOS_OF_DAY + BigInt.asIntN(64, bits), 1_000n);
}, false);

function timeReader(unit: Unit): ValueReader {
  return asText('text', 'time', value => {
    const micros = IN_MICROS[unit](BigInt(value as bigint));
    const [seconds, fraction] = [micros / 1_000_000n, micros % 1_000_000n];
    const two = (part: bigint) => String(part).padStart(2, '0');
    const clock = `${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
    return fraction === 0n ? clock : `${clock}.${String(fraction).padStart(6, '0')}`;
  });
}

/** A time beyond the range of JavaScript is stored as text. */
function dateOf(ms: number, text: () => string): unknown {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? text() : date;
}

function textOfTime(micros: bigint, isUtc: boolean): string {
  const days = floorDiv(micros, 86_400_000_000n);
  const rest = micros - days * 86_400_000_000n;
  const clock = timeReader('MICROS').toText(rest);
  return textOfDay(Number(days), `T${clock}${isUtc ? 'Z' : ''}`);
}

/** PostgreSQL has no sign before a year, and no year 0. @param end follows the day, but not the letters of the era. */
function textOfDay(days: number, end = ''): string {
  const date = new Date(days * DAY_MS);
  if (Number.isNaN(date.getTime())) throw new Error(`a date is ${days} days after 1970`);
  const year = date.getUTCFullYear();
  const rest = date
    .toISOString()
    .replace(/^[+-]?\d+/, '')
    .slice(0, 6);
  if (year > 0) return `${String(year).padStart(4, '0')}${rest}${end}`;
  return `${String(1 - year).padStart(4, '0')}${rest}${end} BC`;
}
