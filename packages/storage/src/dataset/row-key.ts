import { inspect } from 'node:util';
import type { Document } from '../protocol/document.js';

/** Maximum length of the part of a row that an error shows. */
const MAX_SHOWN_CHARS = 120;

/** @throws {TypeError} unless `key` is a path or a list of paths */
export function keyPaths(key: unknown): string[] {
  const paths = Array.isArray(key) ? key : [key];
  if (paths.length > 0 && paths.every(path => typeof path === 'string' && path.split('.').every(part => part !== ''))) {
    // Neither the order nor a repetition of the fields makes a different key.
    return [...new Set(paths as string[])].sort();
  }
  throw new TypeError(
    `dataset.push: \`key\` must be a field such as 'sku', a path such as 'product.sku', or a list of them; you sent ${shown(key)}.`,
  );
}

/**
 * Returns the key of a row: JSON of the paths and their values, such as `{"sku":"B01"}`. `1` and `"1"` are different
 * keys, `1` and a 64-bit 1 are the same.
 *
 * @param index of the row, for errors
 * @throws {TypeError} if the row has no value at a path, or one that cannot be a key
 */
export function rowKey(row: Document, index: number, paths: string[]): string {
  const values = paths.map(path => {
    const value = path
      .split('.')
      .reduce<unknown>((inner, part) => (isObject(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined), row);
    const text = textOf(value);
    if (text !== undefined) return `${JSON.stringify(path)}:${text}`;
    const problem = isMissing(value) ? 'has no value' : `has ${shown(value)}, which cannot be a key,`;
    throw new TypeError(
      `dataset.push: rows[${index}] ${problem} at the key path "${path}": ${shown(row)}. Expected a text that is not empty, a number, a boolean, a Date or an ObjectId.`,
    );
  });
  return `{${values.join()}}`;
}

const isObject = (value: unknown): value is Document => typeof value === 'object' && value !== null;

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Returns the value as JSON; undefined if it cannot be a key. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : JSON.stringify(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : `{"$date":${JSON.stringify(value)}}`;
  return isObject(value) ? bsonText(value) : undefined;
}

function bsonText(value: Document): string | undefined {
  switch (value._bsontype) {
    case 'Int32':
    case 'Double':
      return textOf(Number(value));
    case 'Long':
      return String(value);
    case 'Decimal128':
      return `{"$numberDecimal":"${value}"}`;
    case 'ObjectId':
      return `{"$oid":"${value}"}`;
    default:
      return undefined;
  }
}

const shown = (value: unknown): string => inspect(value, { depth: 1, breakLength: Infinity }).slice(0, MAX_SHOWN_CHARS);
