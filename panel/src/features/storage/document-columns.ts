import type { MongoDocument } from '../../api/entities.js';
import { parseJson } from '../../components/json-tree/json-nodes.js';
import { ADDED_FIELDS } from '../../components/values/added-fields.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';

/** Maximum number of columns, because documents can have thousands of fields. The JSON view shows all. */
const MAX_COLUMNS = 60;
const CELL_CHARS = 120;
/** A date with a time and a zone. Without a zone, the moment would be a guess. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moves the fields that Trawl adds to the rows of a dataset behind the fields of the skript. */
export const skriptFieldsFirst = (fields: readonly string[]): string[] => [
  ...fields.filter(field => !ADDED_FIELDS.includes(field)),
  ...fields.filter(field => ADDED_FIELDS.includes(field)),
];

/** Returns the names of the fields to show: `_id` first, then the fields that most documents have. */
export function documentColumns(documents: readonly MongoDocument[]): string[] {
  const counts = new Map<string, number>();
  for (const document of documents)
    for (const field of Object.keys(document)) counts.set(field, (counts.get(field) ?? 0) + 1);
  const others = [...counts.keys()].filter(field => field !== '_id');
  others.sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  return ['_id', ...others].slice(0, MAX_COLUMNS);
}

/** Reads the chosen columns from the address; null if none are chosen. */
export function chosenColumns(text: string): string[] | null {
  const parsed = parseJson(text);
  if ('error' in parsed || !Array.isArray(parsed.value)) return null;
  return (parsed.value as unknown[]).filter(field => typeof field === 'string').slice(0, MAX_COLUMNS);
}

/** Returns a field of a document. Ignores properties that every JavaScript object inherits, such as `constructor`. */
export const fieldOf = (document: MongoDocument, field: string): unknown =>
  Object.hasOwn(document, field) ? document[field] : undefined;

/** Returns the moment that a value is, as an ISO time: a date of MongoDB, or such a text; null for other values. */
export function timeOf(value: unknown): string | null {
  const text = isRecord(value) && Object.keys(value).length === 1 ? value.$date : value;
  return typeof text === 'string' && ISO_TIME.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

/** Formats a value of a document on one line, without the wrappers of relaxed EJSON. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  if (isRecord(value)) {
    const [key, ...more] = Object.keys(value);
    const inner = key === undefined ? undefined : value[key];
    if (more.length === 0 && key?.startsWith('$') && typeof inner === 'string') return inReadingOrder(inner);
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return inReadingOrder(text.length > CELL_CHARS ? `${text.slice(0, CELL_CHARS)}…` : text);
}
