import { Binary, BSONRegExp, EJSON, ObjectId } from 'bson';
import type { Document } from '../protocol/document.js';
import { StorageError } from '../protocol/storage-error.js';

/** Keys by which Extended JSON marks a value that JSON does not have. */
const TYPES = new Set([
  '$oid',
  '$numberInt',
  '$numberLong',
  '$numberDouble',
  '$numberDecimal',
  '$date',
  '$binary',
  '$uuid',
  '$timestamp',
  '$regularExpression',
  '$minKey',
  '$maxKey',
]);

/** Nesting of values that the platform accepts. */
const MAX_DEPTH = 80;

const words = (text: string): string[] =>
  text
    .trim()
    .split(/\s+/)
    .map(word => `$${word}`);

/** The operators that the platform allows and mingo evaluates as MongoDB does. */
const OPERATORS = new Set([
  // filters
  ...words(`eq ne gt gte lt lte in nin and or nor not exists type all elemMatch size regex options expr
    bitsAllSet bitsAllClear bitsAnySet bitsAnyClear`),
  // updates
  ...words(`set unset setOnInsert inc mul min max rename currentDate push addToSet pull pullAll pop bit each position
    slice sort`),
  // stages
  ...words(`match project group limit skip unwind addFields count sortByCount bucket bucketAuto facet replaceRoot
    replaceWith sample redact setWindowFields densify fill lookup graphLookup unionWith`),
  // expressions
  ...words(`abs add ceil divide exp floor ln log log10 multiply pow round sqrt subtract trunc sin cos tan asin acos atan
    atan2 asinh acosh atanh sinh cosh tanh degreesToRadians radiansToDegrees arrayElemAt arrayToObject concatArrays filter
    first firstN indexOfArray isArray last lastN map maxN minN objectToArray range reduce reverseArray sortArray zip cmp
    cond ifNull switch literal let rand dateAdd dateDiff dateFromParts dateFromString dateSubtract dateToParts
    dateToString dateTrunc dayOfMonth dayOfWeek dayOfYear hour isoDayOfWeek isoWeek isoWeekYear millisecond minute month
    second week year toDate mergeObjects getField setField unsetField allElementsTrue anyElementTrue setDifference
    setEquals setIntersection setIsSubset setUnion concat indexOfBytes ltrim rtrim trim regexFind regexFindAll
    regexMatch replaceOne replaceAll split strLenBytes strLenCP strcasecmp substr substrBytes substrCP toLower toUpper
    toString convert isNumber toBool toDouble toInt toLong avg sum stdDevPop stdDevSamp top topN bottom bottomN median
    percentile denseRank documentNumber expMovingAvg derivative integral covariancePop covarianceSamp linearFill locf rank
    shift bitAnd bitOr bitNot bitXor`),
]);

/** Parses a document, which is JSON of Extended JSON. @throws {StorageError} for a value that files cannot hold */
export const toDocument = (json: unknown): Document => parse(json, refuseName) as Document;

/**
 * Parses a filter, update, pipeline or projection. Regular expressions become those of JavaScript.
 *
 * @throws {StorageError} that names an operator or type which local files do not support
 */
export function toQuery<T>(json: unknown): T {
  return parse(json, name => {
    if (!name.startsWith('$')) return;
    if (!OPERATORS.has(name)) throw rejected(`Local files do not support ${name}.`);
  }) as T;
}

/** @throws {StorageError} if a filter or pipeline has a value that mingo cannot compare */
export function checkComparable(value: unknown): void {
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof RegExp) return;
  if (value instanceof ObjectId || value instanceof Binary) return;
  const { _bsontype: type } = value as { _bsontype?: string };
  if (type) throw rejected(`Local files do not support values of the type ${type} in queries.`);
  for (const inner of Object.values(value)) checkComparable(inner);
}

function parse(json: unknown, checkName: (name: string) => void, depth = 0): unknown {
  if (json === null || typeof json !== 'object') return json;
  if (depth > MAX_DEPTH) throw rejected(`A value is nested more than ${MAX_DEPTH} levels deep.`);
  if (Array.isArray(json)) return json.map(item => parse(item, checkName, depth + 1));
  const names = Object.keys(json);
  if (names.length === 1 && TYPES.has(names[0] ?? '')) return typed(json, checkName !== refuseName);
  const value: Document = {};
  for (const name of names) {
    if (name.split('.').includes('__proto__')) throw rejected('A field cannot be named __proto__.');
    checkName(name);
    value[name] = parse((json as Document)[name], checkName, depth + 1);
  }
  return value;
}

function refuseName(name: string): void {
  if (!name.startsWith('$')) return;
  throw rejected(`A field of a document cannot be named ${name.slice(0, 60)}: names that begin with $ are operators.`);
}

function typed(json: object, isQuery: boolean): unknown {
  const { value } = EJSON.deserialize({ value: json }, { relaxed: true }) as { value: unknown };
  if (typeof value === 'number' && '$numberLong' in json && String(value) !== json.$numberLong) {
    throw rejected(
      `Local files do not support the integer ${json.$numberLong}, which a JavaScript number cannot hold.`,
    );
  }
  if (!isQuery || !(value instanceof BSONRegExp)) return value;
  try {
    return new RegExp(value.pattern, value.options);
  } catch {
    throw rejected(`Local files do not support the regular expression /${value.pattern}/${value.options}.`);
  }
}

/** Text by which two values are the same for unique indexes. */
export const textOf = (value: unknown): string => EJSON.stringify(value, { relaxed: true });

export const rejected = (message: string): StorageError => new StorageError('storage_rejected', message);
