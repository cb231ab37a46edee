import { EJSON, type ObjectId } from 'bson';
import { ApiError } from '../common/errors.js';
import type { IdType } from './mongo-documents.dto.js';

const invalid = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', `${field}: ${message}.`, [{ field, message }]);

/** What the `_id` in a path may be, most likely first. */
export function idCandidates(
  docId: string,
  idType: IdType | undefined,
  objectId: (hex: string) => ObjectId,
): unknown[] {
  const isHex = /^[0-9a-f]{24}$/i.test(docId);
  const number = docId.trim() === '' ? Number.NaN : Number(docId);
  switch (idType) {
    case 'objectId':
      if (!isHex) throw invalid('id_type', 'an ObjectId has 24 hex digits');
      return [objectId(docId)];
    case 'number':
      if (!Number.isFinite(number)) throw invalid('id_type', `${docId.slice(0, 100)} is not a number`);
      return [number];
    case 'string':
      return [docId];
    default:
      if (isHex) return [objectId(docId), docId];
      return Number.isFinite(number) ? [docId, number] : [docId];
  }
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
 * @throws {ApiError} 400 for another `_id` and for names with a `$` in front or a dot, which mean something else to MongoDB.
 */
export function fieldsToSet(body: unknown, docId: string): Record<string, unknown> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new ApiError('validation_failed', 'The body must be an object with the fields to set.');
  }
  let parsed: Record<string, unknown>;
  try {
    parsed = EJSON.parse(JSON.stringify(body), { relaxed: true });
  } catch (error) {
    throw new ApiError('validation_failed', `The body is not Extended JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  const { _id, ...fields } = parsed;
  if (_id !== undefined && String(_id) !== docId) throw invalid('_id', 'cannot change');
  if (Object.keys(fields).length === 0) throw new ApiError('validation_failed', 'The body has no fields to set.');
  refuseOperators(fields, '');
  return fields;
}

function refuseOperators(value: unknown, path: string): void {
  if (value === null || typeof value !== 'object' || '_bsontype' in value || value instanceof Date) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && (key === '' || key.startsWith('$') || key.includes('.') || key.includes('\0'))) {
      throw invalid(`${path}${key}`.slice(0, 200), 'a field name must not be empty, begin with $ or contain a dot');
    }
    refuseOperators(inner, `${path}${key}.`);
  }
}
