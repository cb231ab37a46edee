import { valueAt } from '../../verdicts/judgement/value-at.js';
import { plain } from './page-elements.js';
import { hasCurrency, numbersIn } from './value-texts.js';

/** More rows do not make suggestions better. */
const MAX_ROWS = 1_000;
const MAX_TEXT_CHARS = 2_000;
/** A field names its row if nearly all its values are different, and no prices. */
const DISTINCT_SHARE = 0.9;
const MIN_KEY_CHARS = 4;
const MAX_KEYS = 3;
/** Fields that the platform sets. */
export const RESERVED = new Set(['_id', '_run', '_at']);

export type Scalar = string | number;

/** Values that the last good run stored in a field. */
export interface OldValues {
  field: string;
  values: Scalar[];
  /** Value by a text that names its row, such as its URL or article number. */
  byKey: Map<string, Scalar>;
}

/** Returns the values of a field in rows of a good run. Leaves out values that no page shows as one text. */
export function oldValues(rows: readonly object[], field: string): OldValues {
  const filled = rows.slice(0, MAX_ROWS).flatMap(row => {
    const value = scalarOf(valueAt(row, field));
    return value === null ? [] : [{ row, value }];
  });
  const byKey = new Map<string, Scalar>();
  const names = keyFields(
    filled.map(({ row }) => row),
    field,
  );
  for (const { row, value } of filled) for (const key of keysOf(row, names)) byKey.set(key, value);
  return { field, values: filled.map(({ value }) => value), byKey };
}

/** Returns a text as it is compared with keys. The origin of a URL and its case may be another on the page. */
export const keyOf = (text: string): string => plain(text).replace(/^https?:\/\/[^/]+/, '');

/**
 * Returns fields whose texts name a row.
 *
 * @param without a field that is none of them
 */
export function keyFields(rows: readonly object[], without: string | null = null): string[] {
  const names = new Set(rows.slice(0, 10).flatMap(row => Object.keys(row)));
  const keys = [...names].filter(name => {
    if (RESERVED.has(name) || name === without) return false;
    const values = rows.map(row => (row as Record<string, unknown>)[name]);
    const texts = values.filter(
      (value): value is string => typeof value === 'string' && value.length >= MIN_KEY_CHARS && !isPrice(value),
    );
    return texts.length > 0 && new Set(texts).size >= rows.length * DISTINCT_SHARE;
  });
  return keys.slice(0, MAX_KEYS);
}

const isPrice = (text: string): boolean => hasCurrency(text) && numbersIn(text).length > 0;

/** Returns the texts of a row in some of its fields. */
export const keysOf = (row: object, names: readonly string[]): string[] =>
  names.flatMap(name => {
    const key = (row as Record<string, unknown>)[name];
    return typeof key === 'string' && key !== '' ? [keyOf(key)] : [];
  });

function scalarOf(value: unknown): Scalar | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return Array.isArray(value) ? scalarOf(value[0]) : null;
  const text = plain(value);
  return text === '' || text.length > MAX_TEXT_CHARS ? null : text;
}
