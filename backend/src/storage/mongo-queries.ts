import { isJsonNestedDeeper } from '@trawl/contracts';
import { Long, type ObjectId } from 'bson';
import { ApiError } from '../common/errors.js';
import { fieldsFromJson, invalid, isInt64, queryFromJson } from './extended-json.js';
import type { IdType } from './mongo-documents.dto.js';
import type { MongoSort } from './mongo-pages.js';
import { MAX_DEPTH } from './operators.js';

type Fields = Record<string, unknown>;

/** MongoDB's indexes have no more. */
const MAX_SORT_FIELDS = 32;

/** What the `_id` in a path may be, most likely first. */
export function idCandidates(
  docId: string,
  idType: IdType | undefined,
  objectId: (hex: string) => ObjectId,
): unknown[] {
  const isHex = /^[0-9a-f]{24}$/i.test(docId);
  const number = exactNumber(docId);
  switch (idType) {
    case 'objectId':
      if (!isHex) throw invalid('id_type', 'an ObjectId has 24 hex digits');
      return [objectId(docId)];
    case 'number':
      if (number === null) throw invalid('id_type', `${docId.slice(0, 100)} is not a number that an _id can be`);
      return [number];
    case 'string':
      return [docId];
    default:
      if (isHex) return [objectId(docId), docId];
      return number === null ? [docId] : [docId, number];
  }
}

/** The number that a text stands for, and no other: a rounded one would name another document. */
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
      throw invalid(parameter, `${JSON.stringify(name.slice(0, 100))} is not the name of a field`);
    }
    return [name, minus];
  });
}

/** `_id` last, so that pages never overlap. */
export function parseMongoSort(sort: string | undefined): MongoSort {
  const fields = fieldNames(sort || '-_id', 'sort');
  if (fields.length > MAX_SORT_FIELDS) throw invalid('sort', `names more than ${MAX_SORT_FIELDS} fields`);
  const order = fields.map(([name, minus]) => [name, minus ? -1 : 1] as const);
  const [[, direction] = ['', 1 as const]] = order;
  return Object.fromEntries(fields.some(([name]) => name === '_id') ? order : [...order, ['_id', direction]]);
}

/** The fields of a projection; null for whole documents. */
export function parseMongoSelect(select: string | undefined): Record<string, 0 | 1> | null {
  if (!select) return null;
  const fields = fieldNames(select, 'select');
  const excluding = fields.filter(([, minus]) => minus).length;
  if (excluding > 0 && excluding < fields.length)
    throw invalid('select', 'mixes fields to answer with fields to leave out');
  if (excluding === 0) return Object.fromEntries([...fields.map(([name]) => [name, 1]), ['_id', 1]]);
  const without = fields.filter(([name]) => name !== '_id');
  return without.length === 0 ? null : Object.fromEntries(without.map(([name]) => [name, 0]));
}

/**
 * The filter in a query parameter; `{}` when there is none.
 * @throws {ApiError} 400 naming the place, 422 `storage_rejected` naming the operator.
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

/** The filter in a body. @throws as `parseFilter` does. */
export function checkedFilter(filter: unknown, field = 'filter'): Fields {
  if (filter === null || typeof filter !== 'object' || Array.isArray(filter)) {
    throw invalid(field, 'must be an object');
  }
  return queryFromJson(filter as Fields, field);
}

/**
 * The fields of a PUT, as MongoDB's own types.
 * @throws {ApiError} 400 for another `_id`, for no fields, and as `fieldsFromJson` does.
 */
export function fieldsToSet(body: unknown, docId: string): Record<string, unknown> {
  const { _id, ...fields } = fieldsFromJson(body);
  if (_id !== undefined && String(_id) !== docId) throw invalid('_id', 'cannot change');
  if (Object.keys(fields).length === 0) throw new ApiError('validation_failed', 'The body has no fields to set.');
  return fields;
}
