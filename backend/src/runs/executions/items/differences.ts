import { isDeepStrictEqual, types } from 'node:util';
import { namesWithSharedPaths } from '@trawl/contracts';
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
  const names = new Set([...Object.keys(was), ...Object.keys(now)]);
  const shareTheirPaths = namesWithSharedPaths(names);
  for (const name of names) {
    if (found.length >= MAX_FIELDS) return;
    const [before, after] = [valueAt(was, name), valueAt(now, name)];
    if (before === after) continue;
    const field = prefix + name;
    const isOwnPath = field.length <= MAX_PATH_CHARS && !shareTheirPaths(name);
    if (isOwnPath && isObject(before) && isObject(after)) compareFields(before, after, `${field}.`, found);
    else if (!isDeepStrictEqual(before, after)) found.push({ field, was: before, now: after });
  }
}

/** A field may be named `__proto__`. */
const valueAt = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;

/** Returns whether a value is an object with fields of its own, not a list or a single value. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !types.isDate(value) && !isBson(value);
