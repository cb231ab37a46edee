import { types } from 'node:util';
import { type Binary, type BSONRegExp, type DBRef, EJSON, type Long } from 'bson';
import { ExactNumber } from './exact-json.js';
import { isBson } from './is-bson.js';

type Fields = Record<string, unknown>;

const UUID_SUBTYPE = 4;

/**
 * Converts a document to plain JSON: types that JSON lacks become text, such as an ObjectId its hex digits and a date
 * its ISO time. The types are lost, so the result is for reading only.
 */
export const toPlain = (document: object): Fields => plain(document) as Fields;

/**
 * Converts one value.
 * @param onNumberAsText is called for each number that JSON lacks, which becomes text: NaN, Infinity and -Infinity.
 */
export function plain(value: unknown, onNumberAsText?: () => void): unknown {
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    onNumberAsText?.();
    return String(value);
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(item => plain(item, onNumberAsText));
  if (isBson(value)) return plainBson(value);
  if (value instanceof ExactNumber) return value.plain;
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (types.isRegExp(value)) return String(value);
  // `fromEntries` defines properties, so a field named `__proto__` stays a field.
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner, onNumberAsText)]));
}

function plainBson(value: { _bsontype: string }): unknown {
  switch (value._bsontype) {
    // The driver returns a Long only for an integer beyond the safe range, which a number would round.
    case 'Long':
      return String(value as Long);
    case 'ObjectId':
    case 'Decimal128':
    case 'BSONSymbol':
    case 'Timestamp':
      return String(value);
    case 'Binary': {
      const binary = value as Binary;
      return binary.sub_type === UUID_SUBTYPE && binary.position === 16
        ? binary.toUUID().toString()
        : binary.toString('base64');
    }
    case 'BSONRegExp': {
      const { pattern, options } = value as BSONRegExp;
      return `/${pattern}/${options}`;
    }
    case 'DBRef': {
      const { collection, oid } = value as DBRef;
      return { collection, id: plain(oid) };
    }
    case 'MinKey':
    case 'MaxKey':
      return value._bsontype;
    default:
      return plain((EJSON.serialize({ value }, { relaxed: true }) as Fields).value);
  }
}
