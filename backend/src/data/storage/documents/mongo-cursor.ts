/**
 * Cursors for paging: a cursor continues a list after the last document of a page. If the sorted fields have an index,
 * every page takes the same time. MongoDB sorts values of different types, but its comparisons work only within one
 * type. So "after this value" needs several filters.
 */
import { EJSON, MinKey } from 'bson';
import { ApiError } from '../../../platform/common/errors.js';
import { badCursor, cursorOf, positionAfter } from '../../../platform/http/lists/list-cursor.js';
import { type ListQuery, MAX_CURSOR_CHARS, type SortOrder } from '../../../platform/http/lists/list-query.js';
import { isBson } from '../values/is-bson.js';
import { checkOperators } from '../values/operators.js';

type Filter = Record<string, unknown>;
/** Sorted fields with their directions, the most significant first and `_id` last. */
export type MongoSort = Record<string, 1 | -1>;

/** The order in which MongoDB sorts types, by their `$type` names. */
const TYPE_ORDER = [
  ['minKey'],
  ['null'],
  ['number'],
  ['string', 'symbol'],
  ['object'],
  ['array'],
  ['binData'],
  ['objectId'],
  ['bool'],
  ['date'],
  ['timestamp'],
  ['regex'],
  ['maxKey'],
] as const;
type TypeName = (typeof TYPE_ORDER)[number][number];

/**
 * Makes the cursor of the next page.
 * @param values of the sorted fields in this page's last document; null for a missing field.
 */
export function makeCursor(query: ListQuery, sort: MongoSort, counted: number, values: unknown[]): string {
  const texts = values.map(value => EJSON.stringify({ value }, { relaxed: false }));
  const cursor = cursorOf(query, orderOf(sort), { counted, values: texts });
  if (cursor.length <= MAX_CURSOR_CHARS) return cursor;
  throw new ApiError(
    'storage_rejected',
    'A sorted field has a value that is too long for a cursor. Sort by another field.',
  );
}

/** A decoded cursor: the total from the first page, and a filter that matches the documents after the cursor. */
export interface MongoPosition {
  counted: number;
  beyond: Filter;
}

/**
 * Decodes the query parameter `after`. Returns null if there is none.
 * @throws {ApiError} 400 for a malformed cursor or a cursor of another list.
 */
export function parseCursor(query: ListQuery, sort: MongoSort): MongoPosition | null {
  const position = positionAfter(query, orderOf(sort));
  if (!position) return null;
  const values = position.values.map(sortValue);
  return { counted: position.counted, beyond: { $or: branches(Object.entries(sort), values) } };
}

/** Parses a value of the cursor. The value is untrusted, because the client sends the cursor. */
function sortValue(text: string | null): unknown {
  try {
    const { value } = EJSON.parse(String(text), { relaxed: false }) as Filter;
    checkOperators(value);
    return value;
  } catch {
    throw badCursor();
  }
}

const orderOf = (sort: MongoSort): SortOrder =>
  Object.entries(sort).map(([name, direction]) => [name, direction === 1 ? 'ASC' : 'DESC']);

/**
 * Makes filters for the documents after the cursor. For each sorted field: all fields before it have the cursor's
 * values, and the field itself comes after the cursor's value.
 */
function branches(fields: [name: string, direction: 1 | -1][], values: unknown[]): Filter[] {
  return fields.flatMap(([name, direction], at) => {
    const equal = fields.slice(0, at).map(([earlier], index) => ({ [earlier]: { $eq: values[index] } }));
    return beyond(name, direction, values[at]).map(part => ({ $and: [...equal, part] }));
  });
}

function beyond(name: string, direction: 1 | -1, value: unknown): Filter[] {
  const type = typeOf(value, name);
  const at = TYPE_ORDER.findIndex(types => (types as readonly string[]).includes(type));
  const parts: Filter[] = [];
  const isNan = type === 'number' && String(value) === 'NaN';
  if (direction === 1) {
    if (isNan) parts.push({ $gte: Number.NEGATIVE_INFINITY });
    else if (!['null', 'minKey', 'maxKey'].includes(type)) parts.push({ $gt: value });
    const later = namesOf(TYPE_ORDER.slice(at + 1));
    if (type === 'minKey') parts.push({ $in: [null, []] });
    if (later.length > 0) parts.push({ $type: later });
  } else {
    if (!isNan && type !== 'null' && type !== 'minKey') parts.push({ $lt: value });
    if (type === 'number' && !isNan) parts.push({ $eq: Number.NaN });
    const earlier = namesOf(TYPE_ORDER.slice(2, at));
    if (earlier.length > 0) parts.push({ $type: earlier });
    // Missing fields and empty lists have the same place in the sort order as null.
    if (at > 1) parts.push({ $in: [null, []] });
    if (at > 0) parts.push({ $eq: new MinKey() });
  }
  return parts.map(part => ({ [name]: part }));
}

/**
 * Returns the type names without arrays and null. `$type` would match an array by its items; null has its own filter.
 */
const namesOf = (types: readonly (readonly TypeName[])[]): TypeName[] =>
  types.flat().filter(name => name !== 'array' && name !== 'null');

function typeOf(value: unknown, name: string): TypeName {
  const type = value === null || value === undefined ? 'null' : typeNameOf(value);
  if (type !== null) return type;
  throw new ApiError(
    'storage_rejected',
    `Cannot page by ${name.slice(0, 100)}: a document on this page has a list or a regular expression there. Sort by another field.`,
  );
}

const TYPE_OF_BSON: Record<string, TypeName> = {
  ObjectId: 'objectId',
  Long: 'number',
  Int32: 'number',
  Double: 'number',
  Decimal128: 'number',
  Binary: 'binData',
  Timestamp: 'timestamp',
  BSONSymbol: 'symbol',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
  DBRef: 'object',
};

/** Returns null for a type that MongoDB's comparisons cannot place in the sort order. */
function typeNameOf(value: unknown): TypeName | null {
  switch (typeof value) {
    case 'number':
      return 'number';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      if (value instanceof Date) return 'date';
      if (Array.isArray(value) || value instanceof RegExp) return null;
      return isBson(value as object) ? (TYPE_OF_BSON[(value as { _bsontype: string })._bsontype] ?? null) : 'object';
  }
}

/**
 * @throws {ApiError} 422 for a document without a place in the sort order, for example because a sorted field is a
 * list.
 */
export function checkSortValues(sort: MongoSort, values: unknown[]): void {
  for (const [index, name] of Object.keys(sort).entries()) typeOf(values[index], name);
}
