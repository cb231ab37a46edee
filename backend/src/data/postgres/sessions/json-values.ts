import { isJsonNestedDeeper, LIMITS } from '@trawl/contracts';
import { isSafeNumber } from 'lossless-json';
import { JsonText, parseNumbers } from '../../storage/values/exact-json.js';
import type { StatementResult } from './session.js';
import type { TextRow } from './statement-cursor.js';

const BOOLEAN = 16;
const JSON_TYPES = new Set([114, 3802]);
const TIMESTAMPTZ = 1184;
/** int2, int4, oid, float4 and float8: the types whose values fit in a JavaScript number. */
const NUMBERS = new Set([21, 23, 26, 700, 701]);

/**
 * Converts a value from PostgreSQL's text to JSON. Values that JSON cannot hold exactly, such as `numeric` and `bigint`,
 * remain text, also inside `json` and `jsonb`.
 */
export function jsonOf(text: string | null, type: number): unknown {
  if (text === null) return null;
  if (type === BOOLEAN) return text === 't';
  if (JSON_TYPES.has(type)) {
    // Deeper JSON cannot be written again.
    return isJsonNestedDeeper(Buffer.from(text), LIMITS.bodyDepth) ? text : parsedOr(text);
  }
  if (NUMBERS.has(type)) return Number.isFinite(Number(text)) ? Number(text) : text;
  // Times are in UTC, because of the settings of the session.
  if (type === TIMESTAMPTZ) return text.replace(/^(\d{4}-\d\d-\d\d) ([\d:.]+)\+00$/, '$1T$2Z');
  return text;
}

/** A number in JSON that may have more digits than a JavaScript number, or a larger exponent. */
const LONG_NUMBER = /[\d.]{16}|[\d.][eE]/;
const numberOrText = (text: string) => (isSafeNumber(text) ? Number(text) : text);

/**
 * Parses JSON. Numbers in it that JavaScript cannot hold become text. Returns the text if it is not JSON, because the
 * statement has changed the encoding.
 */
function parsedOr(text: string): unknown {
  try {
    // The lossless parser takes several times as long.
    return LONG_NUMBER.test(text) ? parseNumbers(text, numberOrText) : JSON.parse(text);
  } catch {
    return text;
  }
}

export const jsonRow = (row: TextRow, fields: StatementResult['fields']): unknown[] =>
  fields.map(({ type }, index) => jsonOf(row[index] ?? null, type));

/** Does the same, but keeps the texts of `json` and `jsonb`. */
export const exactRow = (row: TextRow, fields: StatementResult['fields']): unknown[] =>
  fields.map(({ type }, index) => {
    const text = row[index] ?? null;
    return text !== null && JSON_TYPES.has(type) ? new JsonText(text) : jsonOf(text, type);
  });

/** Converts a parameter from JSON to PostgreSQL's text. Objects and lists become JSON text. */
export function parameterOf(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
