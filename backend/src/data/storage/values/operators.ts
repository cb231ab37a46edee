import { collectionNameProblem } from '../mongodb/collection-names.js';
import { StorageFailure } from '../mongodb/storage-failures.js';
import { isBson } from './is-bson.js';

const words = (text: string): string[] =>
  text
    .trim()
    .split(/\s+/)
    .map(word => `$${word}`);

/**
 * Operators that are allowed in filters, updates, projections and pipelines. The list lacks operators that run code,
 * read the server's state or write to another collection. MongoDB itself refuses an operator in the wrong place.
 */
const ALLOWED = new Set([
  // filters
  ...words(`eq ne gt gte lt lte in nin and or nor not exists type all elemMatch size mod regex options text search language
    caseSensitive diacriticSensitive expr comment bitsAllSet bitsAllClear bitsAnySet bitsAnyClear geoWithin geoIntersects near
    nearSphere geometry maxDistance minDistance center centerSphere box polygon`),
  // updates
  ...words(
    `set unset setOnInsert inc mul min max rename currentDate push addToSet pull pullAll pop bit each position slice sort`,
  ),
  // stages
  ...words(`match project group limit skip unwind addFields count sortByCount bucket bucketAuto facet replaceRoot replaceWith
    sample redact geoNear setWindowFields densify fill lookup graphLookup unionWith`),
  // expressions
  ...words(`abs add ceil divide exp floor ln log log10 multiply pow round sqrt subtract trunc sin cos tan asin acos atan atan2 asinh
    acosh atanh sinh cosh tanh degreesToRadians radiansToDegrees arrayElemAt arrayToObject concatArrays filter first firstN
    indexOfArray isArray last lastN map maxN minN objectToArray range reduce reverseArray sortArray zip cmp cond ifNull switch
    literal let meta rand dateAdd dateDiff dateFromParts dateFromString dateSubtract dateToParts dateToString dateTrunc dayOfMonth
    dayOfWeek dayOfYear hour isoDayOfWeek isoWeek isoWeekYear millisecond minute month second week year toDate mergeObjects
    getField setField unsetField allElementsTrue anyElementTrue setDifference setEquals setIntersection setIsSubset setUnion concat
    indexOfBytes indexOfCP ltrim rtrim trim regexFind regexFindAll regexMatch replaceOne replaceAll split strLenBytes strLenCP
    strcasecmp substr substrBytes substrCP toLower toUpper toString convert isNumber toBool toDecimal toDouble toInt toLong
    toObjectId avg sum stdDevPop stdDevSamp top topN bottom bottomN median percentile denseRank documentNumber expMovingAvg
    derivative integral covariancePop covarianceSamp linearFill locf rank shift tsIncrement tsSecond binarySize bsonSize bitAnd
    bitOr bitNot bitXor`),
]);

/** Highest number of nested levels. MongoDB allows 100, but the command around the value also needs some. */
export const MAX_DEPTH = 80;

/** Operators whose result can be as large as MongoDB lets one value be (16 MB), whatever the size of the document. */
const BUILDERS = new Set(
  words(`concat concatArrays convert filter ltrim map mergeObjects objectToArray range reduce replaceAll replaceOne reverseArray
    rtrim setField setUnion sortArray split substr substrBytes substrCP toLower toString toUpper trim zip`),
);

/**
 * Highest number of operators in one query that build new texts or lists. MongoDB limits each result, not their sum: a
 * list of 256 texts of 8 MB takes 2.1 GB of the memory that all accounts share.
 */
const MAX_BUILDERS = 50;

/**
 * Checks the operators in a filter, update, projection, sort or pipeline, at all levels.
 * @throws {StorageFailure} `storage_rejected` naming the operator or the limit.
 */
export function checkOperators(query: unknown): void {
  checkLevel(query, 0);
  const builders = countBuilders(query);
  if (builders > MAX_BUILDERS) {
    throw rejected(
      `The query has ${builders} operators that build texts or lists, such as $concat and $map. At most ${MAX_BUILDERS} are allowed.`,
    );
  }
}

function countBuilders(value: unknown): number {
  if (value === null || typeof value !== 'object' || '_bsontype' in value) return 0;
  let count = 0;
  for (const [key, inner] of Object.entries(value)) {
    if (BUILDERS.has(key)) count++;
    count += countBuilders(inner);
  }
  return count;
}

function checkLevel(value: unknown, depth: number): void {
  if (typeof value === 'string') checkVariable(value);
  if (value === null || typeof value !== 'object') return;
  checkType(value, depth);
  if ('_bsontype' in value && value._bsontype !== 'DBRef') return;
  for (const [key, inner] of Object.entries(value)) {
    if (key.startsWith('$') && !Array.isArray(value)) {
      checkOperator(key);
      checkOtherCollection(key, inner);
    }
    checkLevel(inner, depth + 1);
  }
}

const PATTERNS = new Set(words('regex regexMatch regexFind regexFindAll expr'));

/** Tells whether a query has a regular expression or an `$expr`. These can take unlimited time for one document. */
export function hasPattern(query: unknown): boolean {
  if (query === null || typeof query !== 'object') return false;
  if (query instanceof RegExp || ('_bsontype' in query && query._bsontype === 'BSONRegExp')) return true;
  return Object.entries(query).some(([key, inner]) => PATTERNS.has(key) || hasPattern(inner));
}

/** @throws {StorageFailure} `storage_rejected` naming the operator, if it is not allowed. */
export function checkOperator(name: string): void {
  if (!ALLOWED.has(name)) throw rejected(`The operator ${name.slice(0, 60)} is not allowed here.`);
}

/** Refuses `$$USER_ROLES`, which would reveal the roles of Trawl's own MongoDB user. */
function checkVariable(text: string): void {
  if (text.startsWith('$$USER_ROLES')) throw rejected('The variable $$USER_ROLES is not allowed here.');
}

/**
 * Checks a document before it is stored.
 * @throws {StorageFailure} `storage_rejected` naming the field.
 */
export function checkDocument(value: unknown, depth = 0): void {
  if (value === null || typeof value !== 'object') return;
  checkType(value, depth);
  if ('_bsontype' in value) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && key.startsWith('$')) {
      throw rejected(
        `A field of a document cannot be named ${key.slice(0, 60)}: names that begin with $ are operators.`,
      );
    }
    checkDocument(inner, depth + 1);
  }
}

function checkType(value: object, depth: number): void {
  if (depth > MAX_DEPTH) throw rejected(`A value is nested more than ${MAX_DEPTH} levels deep.`);
  const type = '_bsontype' in value ? value._bsontype : undefined;
  // A `_bsontype` without bson's symbol comes from a plain object that only pretends to be a BSON value.
  if (type !== undefined && !isBson(value)) throw rejected('A field cannot be named _bsontype.');
  if (type === 'Code') throw rejected('Values of the type Code are not allowed.');
  if (type === 'DBRef' && 'db' in value && value.db) throw rejected('A DBRef to another database is not allowed.');
}

/** Checks a stage that reads a second collection. It must be in the same database, and not one of MongoDB's own. */
function checkOtherCollection(stage: string, value: unknown): void {
  const { from, coll, db } = (value ?? {}) as { from?: unknown; coll?: unknown; db?: unknown };
  if (stage === '$lookup' || stage === '$graphLookup') checkName(stage, from);
  if (stage === '$unionWith') {
    if (db !== undefined) throw rejected('$unionWith cannot reach another database.');
    checkName(stage, typeof value === 'string' ? value : coll);
  }
}

function checkName(stage: string, name: unknown): void {
  if (typeof name !== 'string') throw rejected(`${stage} needs the name of a collection of the same database.`);
  const problem = collectionNameProblem(name);
  if (problem) throw rejected(`${stage}: ${problem}`);
}

const rejected = (message: string): StorageFailure => new StorageFailure('storage_rejected', message);
