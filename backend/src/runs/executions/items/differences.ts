import { isDeepStrictEqual, types } from 'node:util';
import { isBson } from '../../../data/storage/values/is-bson.js';
import type { FieldChange, Fields } from './item-documents.js';

/** A change names at most this many fields. */
const MAX_FIELDS = 200;
/** An object at a longer path is compared as a whole, because each path repeats the names of all objects around it. */
const MAX_PATH_CHARS = 500;

/** Returns the fields that have other values. The order of fields does not matter, and null is no value. */
export function differences(was: Fields, now: Fields): FieldChange[] {
  const found: FieldChange[] = [];
  compareFields(was, now, '', found);
  return found;
}

function compareFields(was: Fields, now: Fields, prefix: string, found: FieldChange[]): void {
  for (const name of new Set([...Object.keys(was), ...Object.keys(now)])) {
    if (found.length >= MAX_FIELDS) return;
    compareValues(valueAt(was, name), valueAt(now, name), prefix + name, found);
  }
}

function compareValues(was: unknown, now: unknown, field: string, found: FieldChange[]): void {
  if (was === now) return;
  if (isObject(was) && isObject(now) && field.length <= MAX_PATH_CHARS) compareFields(was, now, `${field}.`, found);
  else if (!isDeepStrictEqual(was, now)) found.push({ field, was, now });
}

/** A field may be named `__proto__`. */
const valueAt = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;

/** Returns whether a value is an object with fields of its own, not a list or a single value. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !types.isDate(value) && !isBson(value);
