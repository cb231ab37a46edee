import { types } from 'node:util';
import { Decimal128, EJSON } from 'bson';
import { ApiError } from '../common/errors.js';
import { isNestedDeeper } from '../common/nesting.js';
import { MAX_DEPTH } from './operators.js';

type Fields = Record<string, unknown>;

const isText = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isWhole = (value: unknown, min: bigint, max: bigint): boolean =>
  isText(value, /^-?\d{1,19}$/) && BigInt(value) >= min && BigInt(value) <= max;

export const isInt64 = (value: unknown): boolean => isWhole(value, -(2n ** 63n), 2n ** 63n - 1n);

const isUint32 = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32;

const hasOnly = (value: Fields, ...names: string[]): boolean =>
  Object.keys(value).length === names.length && names.every(name => Object.hasOwn(value, name));

const DATE_MS = 8_640_000_000_000_000n;

/** The values that JSON has no form for, by the name that marks each: what may stand behind it. */
const TYPES: Record<string, (value: unknown) => boolean> = {
  $oid: value => isText(value, /^[0-9a-f]{24}$/i),
  $numberInt: value => isWhole(value, -(2n ** 31n), 2n ** 31n - 1n),
  $numberLong: isInt64,
  $numberDouble: value => isText(value, /^(-?\d+(\.\d+)?(e[+-]?\d+)?|NaN|-?Infinity)$/i),
  $numberDecimal: isDecimal,
  $date: value =>
    isObject(value)
      ? hasOnly(value, '$numberLong') && isWhole(value.$numberLong, -DATE_MS, DATE_MS)
      : isText(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d/) && !Number.isNaN(Date.parse(value)),
  $binary: value =>
    isObject(value) &&
    hasOnly(value, 'base64', 'subType') &&
    isText(value.base64, /^[A-Za-z0-9+/]*={0,2}$/) &&
    isText(value.subType, /^[0-9a-f]{1,2}$/i),
  $uuid: value => isText(value, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
  $timestamp: value => isObject(value) && hasOnly(value, 't', 'i') && isUint32(value.t) && isUint32(value.i),
  $regularExpression: value =>
    isObject(value) &&
    hasOnly(value, 'pattern', 'options') &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: MongoDB takes no NUL in a pattern
    isText(value.pattern, /^[^\u0000]*$/) &&
    isText(value.options, /^[ilmsux]*$/),
  $minKey: value => value === 1,
  $maxKey: value => value === 1,
};

function isDecimal(value: unknown): boolean {
  try {
    return typeof value === 'string' && Decimal128.fromString(value) !== null;
  } catch {
    return false;
  }
}

/**
 * The fields of a JSON object, as MongoDB's own types; whole numbers are exact.
 * @throws {ApiError} 400 naming the place: nesting, a malformed value, a name that means something else to MongoDB.
 */
export function fieldsFromJson(body: unknown): Fields {
  if (!isObject(body)) throw new ApiError('validation_failed', 'The body must be an object with the fields to set.');
  if (isNestedDeeper(body, MAX_DEPTH)) {
    throw new ApiError('validation_failed', `The document is nested more than ${MAX_DEPTH} levels deep.`);
  }
  for (const [name, value] of Object.entries(body)) {
    checkName(name, name);
    checkValue(value, name);
  }
  return EJSON.parse(JSON.stringify(body), { relaxed: false }) as Fields;
}

function checkName(name: string, path: string): void {
  if (name === '' || name.startsWith('$') || name.includes('.') || name.includes('\0')) {
    throw invalid(path, 'a field name must not be empty, begin with $ or contain a dot');
  }
  // The driver would take its object for a value of its own.
  if (name === '_bsontype') throw invalid(path, 'a field cannot have this name');
}

function checkValue(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(item, `${path}.${index}`);
  } else if (isObject(value)) {
    const names = Object.keys(value);
    const [first = ''] = names.filter(name => name.startsWith('$'));
    if (first === '$ref' && hasOnly(value, '$ref', '$id')) {
      if (typeof value.$ref !== 'string') throw malformed(path, '$ref');
      checkValue(value.$id, `${path}.$id`);
    } else if (Object.hasOwn(TYPES, first)) {
      if (names.length !== 1 || !TYPES[first]?.(value[first])) throw malformed(path, first);
    } else {
      for (const name of names) {
        checkName(name, `${path}.${name}`);
        checkValue(value[name], `${path}.${name}`);
      }
    }
  }
}

const malformed = (path: string, type: string): ApiError => invalid(path, `${type} does not stand before such a value`);

export function invalid(path: string, message: string): ApiError {
  const field = path.slice(0, 200);
  return new ApiError('validation_failed', `${field}: ${message}.`, [{ field, message }]);
}

/** A document as relaxed Extended JSON, but for the whole numbers that would not be exact: those stay `$numberLong`. */
export const toRelaxed = (document: object): Fields =>
  EJSON.serialize(keepExact(document) as object, { relaxed: true }) as Fields;

/**
 * By the mark that every build of bson sets, as its class is another one in each: the driver loads CommonJS, we the ES
 * module. What comes from users has no symbols.
 */
const isBson = (value: object): value is { _bsontype: string } => Symbol.for('@@mdb.bson.version') in value;

/** The driver gives a `Long` only for what is too large for a number. */
function keepExact(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || types.isDate(value) || types.isRegExp(value)) return value;
  if (Array.isArray(value)) return value.map(keepExact);
  if (isBson(value)) return value._bsontype === 'Long' ? { $numberLong: String(value) } : value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, keepExact(inner)]));
}
