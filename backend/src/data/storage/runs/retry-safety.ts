import type { StorageMethod } from '@trawl/contracts';
import { EJSON } from 'bson';

/**
 * Whether an operation may be repeated when its outcome is unknown. `when_one_matches`: only if its filter matches at
 * most one document, because the repeat then finds the same document.
 */
export type RetrySafety = 'always' | 'when_one_matches' | 'never';

type Fields = Record<string, unknown>;

/** Update operators with the same effect whether they are applied once or twice. */
const IDEMPOTENT = new Set(['$set', '$unset', '$setOnInsert', '$min', '$max', '$addToSet', '$pull']);

export function retrySafetyOf(method: StorageMethod, args: Fields): RetrySafety {
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
      // These may be repeated: reads; inserts and upsertRows, because their documents have an _id; deleteMany and
      // createIndex, because the repeat finds nothing to do.
      return 'always';
  }
}

function ofUpdate(filter: Fields, update: unknown): RetrySafety {
  if (Array.isArray(update) || !isPlain(update) || !isPlain(filter)) return 'never';
  if (!Object.keys(update).every(operator => IDEMPOTENT.has(operator))) return 'never';
  if (isEquality(filter._id)) return 'always';
  const changes = Object.entries(update).flatMap(([operator, fields]) =>
    Object.entries((fields ?? {}) as Fields).map(([path, value]) => ({ operator, path, value })),
  );
  // Ignore `$setOnInsert`: it changes only a new document, which the filter did not match.
  const effective = changes.filter(({ operator }) => operator !== '$setOnInsert');
  return byFilter(filter, ([path, wanted]) =>
    effective.every(
      change =>
        !overlap(change.path, path) ||
        (change.operator === '$set' && change.path === path && same(change.value, wanted)),
    ),
  );
}

function ofReplacement(filter: Fields, replacement: Fields): RetrySafety {
  if (!isPlain(filter) || !isPlain(replacement)) return 'never';
  if (isEquality(filter._id)) return 'always';
  return byFilter(filter, ([path, wanted]) => same(valueAt(replacement, path), wanted));
}

/**
 * A repeat is safe with one match if the filter still matches the same document after the write. This is so if every
 * field of the filter is compared for equality and `isKept` says that the write keeps its value.
 */
function byFilter(filter: Fields, isKept: (field: [string, unknown]) => boolean): RetrySafety {
  const fields = Object.entries(filter);
  const kept =
    fields.length > 0 && fields.every(field => !field[0].startsWith('$') && isEquality(field[1]) && isKept(field));
  return kept ? 'when_one_matches' : 'never';
}

function isPlain(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !('_bsontype' in value);
}

/** Tells whether a filter value is a plain equality: no operator, no regular expression, not null. */
function isEquality(value: unknown): boolean {
  if (value === undefined || value === null || value instanceof RegExp) return false;
  if (typeof value !== 'object' || value instanceof Date) return true;
  if ('_bsontype' in value) return value._bsontype !== 'BSONRegExp';
  return isPlain(value) && !Object.keys(value).some(key => key.startsWith('$'));
}

/** Splits a path into its field names, without array positions: an update of `a.0.b` or `a.$[].b` changes `a.b`. */
const pathParts = (path: string): string[] =>
  path.split('.').filter(part => !part.startsWith('$') && !/^\d+$/.test(part));

function overlap(one: string, other: string): boolean {
  const [short, long] = [pathParts(one), pathParts(other)].sort((a, b) => a.length - b.length);
  return short?.every((part, index) => part === long?.[index]) ?? true;
}

const valueAt = (document: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, part) => (isPlain(value) ? value[part] : undefined), document);

/** Compares two values as MongoDB does: by type, value and order of fields. */
function same(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return false;
  return EJSON.stringify({ v: one }, { relaxed: false }) === EJSON.stringify({ v: other }, { relaxed: false });
}
