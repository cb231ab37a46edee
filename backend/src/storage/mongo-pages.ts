/**
 * Paging on from where a page ended, at the same cost for the hundredth page as for the first where an index serves the
 * sort. MongoDB sorts across types but compares within one, so "after this value" is a filter of several parts.
 */
import { EJSON, MinKey } from 'bson';
import { ApiError } from '../common/errors.js';
import { badCursor, cursorOf, positionAfter } from '../common/list-cursor.js';
import { type ListQuery, MAX_CURSOR_CHARS, type SortOrder } from '../common/list-query.js';
import { isBson } from './bson-values.js';
import { checkOperators } from './operators.js';

type Filter = Record<string, unknown>;
/** In the order of their weight, `_id` last. */
export type MongoSort = Record<string, 1 | -1>;

/** The types in the order in which MongoDB sorts them, as `$type` calls them. */
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
 * `next` of a page.
 * @param values what its last document has in the fields of the sort, null for one that it lacks.
 */
export function nextOf(query: ListQuery, sort: MongoSort, counted: number, values: unknown[]): string {
  const texts = values.map(value => EJSON.stringify({ value }, { relaxed: false }));
  const cursor = cursorOf(query, orderOf(sort), { counted, values: texts });
  if (cursor.length <= MAX_CURSOR_CHARS) return cursor;
  throw new ApiError('storage_rejected', 'A value of the sorted fields is too long to page by it. Sort by another.');
}

/** The place that `after` names: the total as it was on the first page, and the filter of what comes behind it. */
export interface MongoPlace {
  counted: number;
  beyond: Filter;
}

/**
 * Null when the query names no place.
 * @throws {ApiError} 400 for what is no cursor, or one of another list.
 */
export function placeAfter(query: ListQuery, sort: MongoSort): MongoPlace | null {
  const position = positionAfter(query, orderOf(sort));
  if (!position) return null;
  const values = position.values.map(sortValue);
  return { counted: position.counted, beyond: { $or: branches(Object.entries(sort), values) } };
}

/** It came back from the caller, who may have changed it. */
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

/** Equal in the first fields and beyond in the next one, for each field. */
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
  const isNoNumber = type === 'number' && String(value) === 'NaN';
  if (direction === 1) {
    if (isNoNumber) parts.push({ $gte: Number.NEGATIVE_INFINITY });
    else if (!['null', 'minKey', 'maxKey'].includes(type)) parts.push({ $gt: value });
    const later = namesOf(TYPE_ORDER.slice(at + 1));
    if (type === 'minKey') parts.push({ $in: [null, []] });
    if (later.length > 0) parts.push({ $type: later });
  } else {
    if (!isNoNumber && type !== 'null' && type !== 'minKey') parts.push({ $lt: value });
    if (type === 'number' && !isNoNumber) parts.push({ $eq: Number.NaN });
    const earlier = namesOf(TYPE_ORDER.slice(2, at));
    if (earlier.length > 0) parts.push({ $type: earlier });
    // A field that is missing sorts as null, and so does an empty list.
    if (at > 1) parts.push({ $in: [null, []] });
    if (at > 0) parts.push({ $eq: new MinKey() });
  }
  return parts.map(part => ({ [name]: part }));
}

/** Lists match by the types of what is in them, and null has a part of its own. */
const namesOf = (types: readonly (readonly TypeName[])[]): TypeName[] =>
  types.flat().filter(name => name !== 'array' && name !== 'null');

function typeOf(value: unknown, name: string): TypeName {
  const type = value === null || value === undefined ? 'null' : typeNameOf(value);
  if (type !== null) return type;
  throw new ApiError(
    'storage_rejected',
    `Cannot page by ${name.slice(0, 100)}: a document on this page has a list or a pattern in it. Sort by another field.`,
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

/** Null for a type whose place cannot be told by comparing. */
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

/** @throws {ApiError} 422 when a document of the page cannot have a place in the order: its sorted field is a list. */
export function checkSortValues(sort: MongoSort, values: unknown[]): void {
  for (const [index, name] of Object.keys(sort).entries()) typeOf(values[index], name);
}
