import { parseJson } from '../json-tree/json-nodes.js';
import { parseTyped } from '../json-tree/typed-json.js';

export const COMPARISONS = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  at_least: 'is at least',
  at_most: 'is at most',
  filled: 'has a value',
  empty: 'has no value',
} as const;
export type Comparison = keyof typeof COMPARISONS;

export interface Condition {
  field: string;
  comparison: Comparison;
  value: string;
}

export const needsValue = (comparison: Comparison): boolean => comparison !== 'filled' && comparison !== 'empty';

const isComparison = (value: unknown): value is Comparison =>
  typeof value === 'string' && Object.hasOwn(COMPARISONS, value);

/** Reads the conditions from the address; ignores what a person may have broken there. */
export function conditionsFrom(text: string): Condition[] {
  const parsed = parseJson(text);
  if ('error' in parsed || !Array.isArray(parsed.value)) return [];
  return (parsed.value as unknown[]).flatMap(item => {
    if (!Array.isArray(item)) return [];
    const [field, comparison, value = ''] = item as unknown[];
    return typeof field === 'string' && isComparison(comparison) ? [{ field, comparison, value: String(value) }] : [];
  });
}

export const conditionsText = (conditions: readonly Condition[]): string =>
  conditions.length === 0
    ? ''
    : JSON.stringify(conditions.map(({ field, comparison, value }) => [field, comparison, value]));

export const conditionWords = ({ field, comparison, value }: Condition): string =>
  `${field} ${COMPARISONS[comparison]}${needsValue(comparison) ? ` ${value}` : ''}`;

/** Returns the values that a text can mean: the text itself, a number, a truth value, an ObjectId or a date. */
function valuesOf(text: string): unknown[] {
  const trimmed = text.trim();
  const values: unknown[] = [text];
  if (trimmed !== '' && Number.isFinite(Number(trimmed))) values.push(Number(trimmed));
  if (trimmed === 'true' || trimmed === 'false') values.push(trimmed === 'true');
  if (/^[0-9a-f]{24}$/i.test(trimmed)) values.push({ $oid: trimmed });
  const date = /^\d{4}-\d\d-\d\d/.test(trimmed) ? new Date(trimmed) : null;
  if (date && !Number.isNaN(date.getTime())) values.push({ $date: date.toISOString() });
  return values;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function matcherOf({ comparison, value }: Condition): unknown {
  switch (comparison) {
    case 'is':
      return { $in: valuesOf(value) };
    case 'is_not':
      return { $nin: valuesOf(value) };
    case 'contains':
      return { $regex: escaped(value), $options: 'i' };
    case 'filled':
      return { $nin: [null, ''] };
    case 'empty':
      return { $in: [null, ''] };
    case 'at_least':
    case 'at_most':
      return null;
  }
}

function filterOfCondition(condition: Condition): Record<string, unknown> {
  const { field, comparison, value } = condition;
  if (comparison !== 'at_least' && comparison !== 'at_most') return { [field]: matcherOf(condition) };
  const operator = comparison === 'at_least' ? '$gte' : '$lte';
  // MongoDB compares values of one type only, so each meaning of the text is a comparison of its own. A text that is a
  // number or a date is rarely meant as text.
  const [text, ...others] = valuesOf(value);
  const meanings = others.length > 0 ? others : [text];
  const filters = meanings.map(meaning => ({ [field]: { [operator]: meaning } }));
  return filters.length === 1 ? (filters[0] as Record<string, unknown>) : { $or: filters };
}

/** Returns why a text is not a MongoDB filter, or null if it is one or empty. */
export function filterProblem(text: string): string | null {
  if (text.trim() === '') return null;
  const parsed = parseTyped(text);
  if ('problem' in parsed) return parsed.problem;
  const isObject = typeof parsed.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value);
  return isObject ? null : 'Enter a filter in { and }, such as { "price": { "$lt": 20 } }.';
}

/** Returns one MongoDB filter of all conditions and of a filter that the user wrote; undefined if there are none. */
export function filterText(conditions: readonly Condition[], written: string): string | undefined {
  const filters = conditions.map(filterOfCondition);
  if (written.trim() !== '' && filterProblem(written) === null)
    filters.push(JSON.parse(written) as Record<string, unknown>);
  if (filters.length === 0) return undefined;
  return JSON.stringify(filters.length === 1 ? filters[0] : { $and: filters });
}
