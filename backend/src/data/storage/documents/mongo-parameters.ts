import { isJsonNestedDeeper } from '@trawl/contracts';
import { Long, type ObjectId } from 'bson';
import { ApiError } from '../../../platform/common/errors.js';
import { fieldsFromJson, invalid, isInt64, queryFromJson } from '../values/extended-json.js';
import { MAX_DEPTH } from '../values/operators.js';
import type { MongoSort } from './mongo-cursor.js';
import type { IdType } from './mongo-documents.dto.js';

type Fields = Record<string, unknown>;

/** MongoDB allows at most this number of fields in an index. */
const MAX_SORT_FIELDS = 32;

/** Lists the values that an `_id` in a path may mean, the most likely one first: ObjectId, string or number. */
export function idCandidates(
  docId: string,
  idType: IdType | undefined,
  objectId: (hex: string) => ObjectId,
): unknown[] {
  const isHex = /^[0-9a-f]{24}$/i.test(docId);
  const number = exactNumber(docId);
  switch (idType) {
    case 'objectId':
      if (!isHex) throw invalid('id_type', 'an ObjectId must have 24 hex digits');
      return [objectId(docId)];
    case 'number':
      if (number === null) throw invalid('id_type', `${docId.slice(0, 100)} is not a valid number for an _id`);
      return [number];
    case 'string':
      return [docId];
    default:
      if (isHex) return [objectId(docId), docId];
      return number === null ? [docId] : [docId, number];
  }
}

/**
 * Parses a number exactly. Returns null if it would be rounded, because the rounded number could be the `_id` of
 * another document.
 */
function exactNumber(text: string): number | Long | null {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return null;
  if (isInt64(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : Long.fromString(text);
  const number = Number(text);
  const isSmall = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return isSmall || String(number) === text ? number : null;
}

function fieldNames(text: string, parameter: string): [name: string, minus: boolean][] {
  return text.split(',').map(part => {
    const minus = part.trim().startsWith('-');
    const name = part.trim().replace(/^[-+]/, '');
    if (name === '' || name.startsWith('$') || name.includes('\0') || name.split('.').includes('')) {
      throw invalid(parameter, `${JSON.stringify(name.slice(0, 100))} is not a valid field name`);
    }
    return [name, minus];
  });
}

/** Parses `sort`. Adds `_id` as the last field, so that the order is always definite and pages never overlap. */
export function parseMongoSort(sort: string | undefined): MongoSort {
  const fields = fieldNames(sort || '-_id', 'sort');
  if (fields.length > MAX_SORT_FIELDS) throw invalid('sort', `must not name more than ${MAX_SORT_FIELDS} fields`);
  const order = fields.map(([name, minus]) => [name, minus ? -1 : 1] as const);
  const [[, direction] = ['', 1 as const]] = order;
  return Object.fromEntries(fields.some(([name]) => name === '_id') ? order : [...order, ['_id', direction]]);
}

/** Converts `select` to a projection. Returns null if it selects whole documents. */
export function parseMongoSelect(select: string | undefined): Record<string, 0 | 1> | null {
  if (!select) return null;
  const fields = fieldNames(select, 'select');
  const excluding = fields.filter(([, minus]) => minus).length;
  if (excluding > 0 && excluding < fields.length)
    throw invalid('select', 'must not mix fields to return with fields to leave out');
  if (excluding === 0) return Object.fromEntries([...fields.map(([name]) => [name, 1]), ['_id', 1]]);
  const without = fields.filter(([name]) => name !== '_id');
  return without.length === 0 ? null : Object.fromEntries(without.map(([name]) => [name, 0]));
}

/** Returns the top-level fields that `select` names to be returned, in its order. */
export function selectedFields(select: string | undefined): string[] {
  const fields = select ? fieldNames(select, 'select') : [];
  return fields.flatMap(([name, minus]) => (minus ? [] : (name.split('.')[0] ?? [])));
}

/**
 * Parses the filter in a query parameter. Returns `{}` if there is none.
 * @throws {ApiError} 400 naming the field, 422 `storage_rejected` naming the operator.
 */
export function parseFilter(text: string | undefined): Fields {
  if (!text) return {};
  if (isJsonNestedDeeper(Buffer.from(text), MAX_DEPTH)) {
    throw invalid('filter', `is nested more than ${MAX_DEPTH} levels deep`);
  }
  let filter: unknown;
  try {
    filter = JSON.parse(text);
  } catch {
    throw invalid('filter', 'is not valid JSON');
  }
  return checkedFilter(filter);
}

/**
 * Checks the filter in a request body.
 * @throws the same errors as `parseFilter`.
 */
export function checkedFilter(filter: unknown, field = 'filter'): Fields {
  if (filter === null || typeof filter !== 'object' || Array.isArray(filter)) {
    throw invalid(field, 'must be an object');
  }
  return queryFromJson(filter as Fields, field);
}

/**
 * Converts the fields in the body of a PUT to MongoDB's types.
 * @throws {ApiError} 400 if there are no fields or `_id` would change; also the errors of `fieldsFromJson`.
 */
export function fieldsToSet(body: unknown, docId: string): Record<string, unknown> {
  const { _id, ...fields } = fieldsFromJson(body);
  if (_id !== undefined && String(_id) !== docId) throw invalid('_id', 'cannot change');
  if (Object.keys(fields).length === 0)
    throw new ApiError('validation_failed', 'The body must have at least one field to set.');
  return fields;
}
