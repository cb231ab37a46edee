import { types } from 'node:util';
import { isNestedDeeper } from '@trawl/contracts';
import { BSONSymbol, Code, DBRef, Decimal128, EJSON, Long, type ObjectId } from 'bson';
import { ApiError } from '../../../platform/common/errors.js';
import { StorageFailure } from '../mongodb/storage-failures.js';
import { isDay } from './days.js';
import { isBson } from './is-bson.js';
import { checkOperator, checkOperators, MAX_DEPTH } from './operators.js';

type Fields = Record<string, unknown>;

const isText = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isInteger = (value: unknown, min: bigint, max: bigint): boolean =>
  isText(value, /^-?\d{1,19}$/) && BigInt(value) >= min && BigInt(value) <= max;

export const isInt64 = (value: unknown): boolean => isInteger(value, -(2n ** 63n), 2n ** 63n - 1n);

const isUint32 = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32;

const hasOnly = (value: Fields, ...names: string[]): boolean =>
  Object.keys(value).length === names.length && names.every(name => Object.hasOwn(value, name));

const DATE_MS = 8_640_000_000_000_000n;

/** For each type of Extended JSON: the key that marks it, and a check of its value. */
const TYPES: Record<string, (value: unknown) => boolean> = {
  $oid: value => isText(value, /^[0-9a-f]{24}$/i),
  $numberInt: value => isInteger(value, -(2n ** 31n), 2n ** 31n - 1n),
  $numberLong: isInt64,
  $numberDouble: value => isText(value, /^(-?\d+(\.\d+)?(e[+-]?\d+)?|NaN|-?Infinity)$/i),
  $numberDecimal: isDecimal,
  $date: value =>
    isObject(value)
      ? hasOnly(value, '$numberLong') && isInteger(value.$numberLong, -DATE_MS, DATE_MS)
      : isText(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d/) && isDay(value) && !Number.isNaN(Date.parse(value)),
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
    // biome-ignore lint/suspicious/noControlCharactersInRegex: MongoDB refuses NUL in a pattern
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

/** Checks a field name; throws if it is not allowed. */
type NameCheck = (name: string, path: string) => void;

/**
 * Converts the fields of a JSON object to MongoDB's types without rounding integers.
 * @throws {ApiError} 400 naming the field, for fields nested too deeply, a malformed value, or a name reserved by
 * MongoDB.
 */
export const fieldsFromJson = (body: unknown): Fields => documentFrom(body, checkFieldName);

/**
 * Does the same for a document that MongoDB has stored already, perhaps from elsewhere: names below the first level may
 * be empty, have dots or begin with $, because they are no query.
 */
export const fieldsFromStored = (body: unknown): Fields => documentFrom(body, checkStoredName);

function documentFrom(body: unknown, checkName: NameCheck): Fields {
  if (!isObject(body)) throw new ApiError('validation_failed', 'The body must be an object with the fields to set.');
  if (isNestedDeeper(body, MAX_DEPTH)) {
    throw new ApiError('validation_failed', `The document is nested more than ${MAX_DEPTH} levels deep.`);
  }
  return fieldsOf(body, '', checkName);
}

/**
 * Converts a filter, update or pipeline from JSON to MongoDB's types and checks its operators.
 * @param parameter name of the body field or query parameter, used in error messages.
 * @throws {ApiError} 400 naming the field, 422 `storage_rejected` naming the operator.
 */
export function queryFromJson<T extends object>(sent: T, parameter: string): T {
  if (isNestedDeeper(sent, MAX_DEPTH)) throw invalid(parameter, `is nested more than ${MAX_DEPTH} levels deep`);
  try {
    // Do not read the query itself as an Extended JSON value, even if its first key marks such a type.
    const query = Array.isArray(sent)
      ? sent.map((item, index) => fromJson(item, `${parameter}.${index}`, checkQueryName))
      : fieldsOf(sent as Fields, parameter, checkQueryName);
    checkOperators(query);
    return query as T;
  } catch (error) {
    throw error instanceof StorageFailure ? new ApiError('storage_rejected', error.message) : error;
  }
}

function checkFieldName(name: string, path: string): void {
  if (name === '' || name.startsWith('$') || name.includes('.') || name.includes('\0')) {
    throw invalid(path, 'a field name must not be empty, begin with $ or contain a dot');
  }
  checkReserved(name, path);
}

function checkStoredName(name: string, path: string): void {
  if (name.includes('\0')) throw invalid(path, 'a field name must not contain a NUL character');
  if (path === name && name.startsWith('$')) throw invalid(path, 'a field name must not begin with $');
  if (name === '$undefined' || name === '$dbPointer') {
    throw invalid(path, 'is of a type that MongoDB no longer has; leave the field out or give it another value');
  }
  checkReserved(name, path);
}

function checkQueryName(name: string, path: string): void {
  if (name === '' || name.includes('\0')) throw invalid(path, 'a name must not be empty or contain a NUL character');
  if (name.startsWith('$')) checkOperator(name);
  checkReserved(name, path);
}

function checkReserved(name: string, path: string): void {
  // The driver would take an object with `_bsontype` for a BSON value. Assigning to `__proto__` would create no field.
  if (name === '_bsontype' || name === '__proto__') throw invalid(path, `a field cannot be named ${name}`);
}

function fieldsOf(value: Fields, path: string, checkName: NameCheck): Fields {
  const fields: Fields = {};
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = path === '' ? name || '""' : `${path}.${name}`;
    checkName(name, innerPath);
    fields[name] = fromJson(inner, innerPath, checkName);
  }
  return fields;
}

function fromJson(value: unknown, path: string, checkName: NameCheck): unknown {
  if (typeof value === 'number') return isInt32(value) || !isLong(value) ? value : Long.fromNumber(value);
  if (Array.isArray(value)) return value.map((item, index) => fromJson(item, `${path}.${index}`, checkName));
  if (!isObject(value)) return value;
  const first = Object.keys(value).find(name => name.startsWith('$')) ?? '';
  if (
    first === '$ref' &&
    (hasOnly(value, '$ref', '$id') || (checkName === checkStoredName && hasOnly(value, '$ref', '$id', '$db')))
  ) {
    const { $ref, $id, $db } = value;
    if (typeof $ref !== 'string' || ($db !== undefined && typeof $db !== 'string')) throw malformed(path, '$ref');
    return new DBRef($ref, fromJson($id, `${path}.$id`, checkName) as ObjectId, $db);
  }
  if (checkName === checkStoredName && first === '$code') return codeFrom(value, path);
  if (checkName === checkStoredName && first === '$symbol') return symbolFrom(value, path);
  if (!Object.hasOwn(TYPES, first)) return fieldsOf(value, path, checkName);
  if (Object.keys(value).length !== 1 || !TYPES[first]?.(value[first])) throw malformed(path, first);
  return (EJSON.deserialize({ value }, { relaxed: false }) as Fields).value;
}

function symbolFrom(value: Fields, path: string): BSONSymbol {
  const { $symbol } = value;
  if (typeof $symbol !== 'string' || !hasOnly(value, '$symbol')) throw malformed(path, '$symbol');
  return new BSONSymbol($symbol);
}

function codeFrom(value: Fields, path: string): Code {
  const { $code, $scope } = value;
  const hasScope = hasOnly(value, '$code', '$scope') && isObject($scope);
  if (typeof $code !== 'string' || !(hasScope || hasOnly(value, '$code'))) throw malformed(path, '$code');
  return hasScope ? new Code($code, fieldsOf($scope as Fields, `${path}.$scope`, checkStoredName)) : new Code($code);
}

const isInt32 = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 31;

/** True if a number should be stored as an integer, not as a double. JSON has only one type for numbers. */
const isLong = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63;

const malformed = (path: string, type: string): ApiError => invalid(path, `has a malformed ${type} value`);

export function invalid(path: string, message: string): ApiError {
  const field = path.slice(0, 200);
  return new ApiError('validation_failed', `${field}: ${message}.`, [{ field, message }]);
}

/**
 * Converts a document to relaxed Extended JSON, but writes integers beyond the safe range of JavaScript as
 * `$numberLong`. `EJSON.serialize` would round them. It is also slow: for a page of documents it takes longer than
 * reading them.
 */
export const toRelaxed = (document: object): Fields => relaxed(document) as Fields;

function relaxed(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return typeof value === 'number' ? relaxedNumber(value) : value;
  if (Array.isArray(value)) return value.map(relaxed);
  if (isBson(value)) return relaxedBson(value);
  if (types.isDate(value)) return relaxedDate(value);
  if (types.isRegExp(value)) return EJSON.serialize(value, { relaxed: true });
  const fields: Fields = {};
  for (const name of Object.keys(value)) {
    const inner = relaxed((value as Fields)[name]);
    if (name === '__proto__') Object.defineProperty(fields, name, { ...PLAIN_PROPERTY, value: inner });
    else fields[name] = inner;
  }
  return fields;
}

const PLAIN_PROPERTY = { enumerable: true, configurable: true, writable: true } as const;

const relaxedNumber = (value: number): unknown => (Number.isFinite(value) ? value : { $numberDouble: String(value) });

/** Writes dates of the years 1970 to 9999 as text and all others as numbers, as relaxed Extended JSON requires. */
function relaxedDate(value: Date): unknown {
  const ms = value.getTime();
  if (!(ms >= 0 && ms < FIRST_MS_OF_10000)) return { $date: { $numberLong: String(ms) } };
  const text = value.toISOString();
  return { $date: ms % 1_000 === 0 ? text.replace('.000', '') : text };
}

const FIRST_MS_OF_10000 = Date.UTC(10_000, 0);

function relaxedBson(value: { _bsontype: string }): unknown {
  switch (value._bsontype) {
    case 'ObjectId':
      return { $oid: (value as ObjectId).toHexString() };
    // The driver returns a Long only for an integer beyond the safe range, so it must not become a number.
    case 'Long':
      return { $numberLong: String(value) };
    case 'DBRef': {
      const { collection, oid, db, fields } = value as DBRef;
      return { $ref: collection, $id: relaxed(oid), ...(db ? { $db: db } : {}), ...(relaxed(fields) as Fields) };
    }
    default:
      return (EJSON.serialize({ value }, { relaxed: true }) as Fields).value;
  }
}
