import { Long, type ObjectId } from 'bson';
import { ApiError } from '../common/errors.js';
import { fieldsFromJson, invalid, isInt64 } from './extended-json.js';
import type { IdType } from './mongo-documents.dto.js';

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

export const parseMongoSort = (sort: string | undefined): Record<string, 1 | -1> =>
  Object.fromEntries(fieldNames(sort || '-_id', 'sort').map(([name, minus]) => [name, minus ? -1 : 1]));

export function parseMongoSelect(select: string | undefined): Record<string, 0 | 1> {
  if (!select) return {};
  const fields = fieldNames(select, 'select');
  const excluding = fields.filter(([, minus]) => minus).length;
  if (excluding > 0 && excluding < fields.length)
    throw invalid('select', 'mixes fields to answer with fields to leave out');
  return Object.fromEntries(fields.filter(([name]) => name !== '_id').map(([name, minus]) => [name, minus ? 0 : 1]));
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
