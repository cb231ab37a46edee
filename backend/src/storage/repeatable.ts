import type { StorageMethod } from '@trawl/contracts';
import { EJSON } from 'bson';

/**
 * Whether an operation may be done again when it is not known whether it was done.
 * `when_one_matches`: only if its filter matches at most one document, so that the second time meets the same one.
 */
export type Repeatable = 'always' | 'when_one_matches' | 'never';

type Fields = Record<string, unknown>;

/** Doing these twice leaves the same as doing them once. */
const IDEMPOTENT = new Set(['$set', '$unset', '$setOnInsert', '$min', '$max', '$addToSet', '$pull']);

export function isRepeatable(method: StorageMethod, args: Fields): Repeatable {
  switch (method) {
    case 'updateMany':
      return 'never';
    case 'updateOne':
      return ofUpdate(args.filter as Fields, args.update);
    case 'replaceOne':
      return ofReplacement(args.filter as Fields, args.replacement as Fields);
    case 'deleteOne':
      return isEquality((args.filter as Fields)?._id) ? 'always' : 'never';
    default:
      // Reads; inserts, whose documents carry an _id; deleteMany and createIndex, which find nothing left to do.
      return 'always';
  }
}

function ofUpdate(filter: Fields, update: unknown): Repeatable {
  if (Array.isArray(update) || !isPlain(update) || !isPlain(filter)) return 'never';
  if (!Object.keys(update).every(operator => IDEMPOTENT.has(operator))) return 'never';
  if (isEquality(filter._id)) return 'always';
  const changes = Object.entries(update).flatMap(([operator, fields]) =>
    Object.entries((fields ?? {}) as Fields).map(([path, value]) => ({ operator, path, value })),
  );
  // $setOnInsert changes nothing that a filter could have matched.
  const effective = changes.filter(({ operator }) => operator !== '$setOnInsert');
  return byFilter(filter, ([path, wanted]) =>
    effective.every(
      change =>
        !overlap(change.path, path) ||
        (change.operator === '$set' && change.path === path && same(change.value, wanted)),
    ),
  );
}

function ofReplacement(filter: Fields, replacement: Fields): Repeatable {
  if (!isPlain(filter) || !isPlain(replacement)) return 'never';
  if (isEquality(filter._id)) return 'always';
  return byFilter(filter, ([path, wanted]) => same(valueAt(replacement, path), wanted));
}

/** The filter still matches the same documents afterwards if each of its fields is an equality that `isKept`. */
function byFilter(filter: Fields, isKept: (field: [string, unknown]) => boolean): Repeatable {
  const fields = Object.entries(filter);
  const kept =
    fields.length > 0 && fields.every(field => !field[0].startsWith('$') && isEquality(field[1]) && isKept(field));
  return kept ? 'when_one_matches' : 'never';
}

function isPlain(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !('_bsontype' in value);
}

/** A value that is compared as it is: no operator, no pattern, and nothing that matches in more than one way. */
function isEquality(value: unknown): boolean {
  if (value === undefined || value === null || value instanceof RegExp) return false;
  if (typeof value !== 'object' || value instanceof Date) return true;
  if ('_bsontype' in value) return value._bsontype !== 'BSONRegExp';
  return isPlain(value) && !Object.keys(value).some(key => key.startsWith('$'));
}

/** `a.0.b` and `a.$[].b` are `a.b` for the question which fields an update touches. */
const pathParts = (path: string): string[] =>
  path.split('.').filter(part => !part.startsWith('$') && !/^\d+$/.test(part));

function overlap(one: string, other: string): boolean {
  const [short, long] = [pathParts(one), pathParts(other)].sort((a, b) => a.length - b.length);
  return short?.every((part, index) => part === long?.[index]) ?? true;
}

const valueAt = (document: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, part) => (isPlain(value) ? value[part] : undefined), document);

/** Equal to MongoDB as well: the same type, the same value, the same order of fields. */
function same(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return false;
  return EJSON.stringify({ v: one }, { relaxed: false }) === EJSON.stringify({ v: other }, { relaxed: false });
}
