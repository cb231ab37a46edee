import type { ValueType } from '../profile/field-profile.js';
import { valueAt } from './value-at.js';
import type { Finding } from './verdict.js';

const MAX_ROWS = 3;

/** A row of a run that may show a finding. */
export interface ExampleRow {
  row: object;
  /** Whether it is the same as an earlier row. */
  is_repeated?: boolean;
  /** Whether fields of it were left out because it is large. */
  lacks_fields?: boolean;
  /** Fields that have no value in it; not all of them. */
  empty?: string[];
}

/** Chooses up to three of a run's rows that show a finding. */
export function rowsThatShow(finding: Finding, examples: ExampleRow[]): object[] {
  const shown = finding.field === null ? ofRows(finding, examples) : ofField(finding, finding.field, examples);
  return shown.slice(0, MAX_ROWS).map(({ row }) => row);
}

const ofRows = ({ what }: Finding, examples: ExampleRow[]): ExampleRow[] =>
  what === 'duplicates' ? examples.filter(example => example.is_repeated) : [];

function ofField(finding: Finding, path: string, examples: ExampleRow[]): ExampleRow[] {
  const { what, now } = finding;
  if (what === 'filled') {
    return examples.filter(({ row, empty = [], lacks_fields }) => {
      const value = valueAt(row, path);
      return isEmpty(value) && (value !== undefined || !lacks_fields || empty.includes(path) || now === 0);
    });
  }
  const filled = examples
    .map(example => ({ example, value: valueAt(example.row, path) }))
    .filter(({ value }) => !isEmpty(value));
  const chosen = {
    type: () => filled.filter(({ value }) => typeOf(value) !== finding.usualType),
    variety: () => mostFrequent(filled),
    number: () => nearest(filled, finding, value => (typeof value === 'number' ? Math.abs(value) : Number.NaN)),
    length: () =>
      nearest(filled, finding, value => (typeof value === 'string' ? lengthOf(value, finding) : Number.NaN)),
  }[what as string];
  return chosen?.().map(({ example }) => example) ?? [];
}

interface Filled {
  example: ExampleRow;
  value: unknown;
}

/** Those whose size is nearer to that of this run than to the usual one, the nearest first. */
function nearest(filled: Filled[], { was, now }: Finding, sizeOf: (value: unknown) => number): Filled[] {
  const distance = (value: unknown, size: number) => Math.abs(Math.log(sizeOf(value) / Math.abs(size)));
  return filled
    .filter(({ value }) => distance(value, now) <= distance(value, was))
    .sort((a, b) => distance(a.value, now) - distance(b.value, now));
}

/** A text of a large row that was cut may have been as long as those of this run. */
const lengthOf = (text: string, { was, now }: Finding): number =>
  text.endsWith('…') && now > was ? now : Buffer.byteLength(text);

function mostFrequent(filled: Filled[]): Filled[] {
  const byText = new Map<string, Filled[]>();
  for (const one of filled) {
    const text = JSON.stringify(one.value);
    byText.set(text, [...(byText.get(text) ?? []), one]);
  }
  return [...byText.values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** The type of a value of extended JSON. */
function typeOf(value: unknown): ValueType {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'object') return typeof value as 'number' | 'boolean';
  const [name = ''] = Object.keys(value as object);
  return EXTENDED[name] ?? (name.startsWith('$') ? 'other' : 'object');
}

const EXTENDED: Record<string, ValueType> = { $date: 'date', $numberDecimal: 'number', $numberDouble: 'number' };

/** Whether the profile of a run counts a value of extended JSON as none. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return (
    typeof value === 'object' && (Object.keys(value).length === 0 || Reflect.get(value, '$numberDouble') === 'NaN')
  );
}
