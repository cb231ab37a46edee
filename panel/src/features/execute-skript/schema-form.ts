/** Reads a skript's `input_schema` as the fields of a form. It knows the common part of JSON Schema. */

import type { JsonValue } from '../../api/entities.js';
import { parseJson } from '../../components/json-tree/json-nodes.js';
import { inexactNumber, parseTyped } from '../../components/json-tree/typed-json.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { checkInput, messageOfProblems } from './schema-check.js';

type Schema = Record<string, unknown>;

export type FieldKind = 'text' | 'long text' | 'number' | 'yes or no' | 'choice' | 'choices' | 'list' | 'json';

export interface SchemaField {
  name: string;
  label: string;
  description: string;
  kind: FieldKind;
  isRequired: boolean;
  /** Labels of the choices; `values` has what they stand for. */
  choices: string[];
  values: JsonValue[];
  isInteger: boolean;
  min: number | undefined;
  max: number | undefined;
  placeholder: string;
  /** `email`, `date` or another type of an HTML input. */
  inputType: string;
  byDefault: Entry;
}

/** The entered value: text, also for numbers and JSON; a list for several values; undefined for nothing. */
export type Entry = string | string[] | boolean | undefined;
export type Entries = Record<string, Entry>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const labelOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const INPUT_TYPES: Record<string, string> = { email: 'email', date: 'date', time: 'time', uri: 'url', url: 'url' };
const LONG_TEXT = 200;

/** Follows a reference within the schema, such as `#/$defs/page`. */
function resolved(part: unknown, root: Schema): Schema {
  if (!isSchema(part)) return {};
  const reference = textOf(part.$ref);
  if (!reference.startsWith('#/')) return part;
  const steps = reference.slice(2).split('/');
  const found = steps.reduce<unknown>(
    (schema, step) => (isSchema(schema) ? schema[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  );
  return isSchema(found) && found.$ref === undefined ? { ...found, ...part, $ref: undefined } : {};
}

function kindOf(schema: Schema, items: Schema): FieldKind {
  if (Array.isArray(schema.enum)) return 'choice';
  const type = Array.isArray(schema.type) ? schema.type.find(name => name !== 'null') : schema.type;
  if (type === 'string') return Number(schema.maxLength ?? 0) > LONG_TEXT ? 'long text' : 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'yes or no';
  if (type === 'array' && Array.isArray(items.enum)) return 'choices';
  if (type === 'array' && items.type === 'string') return 'list';
  return 'json';
}

/** Returns the entry that stands for a value, such as a default or the input of an earlier run. */
export function entryOf({ kind }: Pick<SchemaField, 'kind'>, value: unknown): Entry {
  if (value === undefined || value === null) return undefined;
  if (kind === 'yes or no') return value === true;
  if (kind === 'choices' || kind === 'list') return Array.isArray(value) ? value.map(labelOf) : undefined;
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return labelOf(value);
}

/** Returns the fields of the form; null if the schema describes no object with named properties. */
export function fieldsOf(schema: unknown): SchemaField[] | null {
  if (!isSchema(schema) || !isSchema(schema.properties)) return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).map(([name, part]): SchemaField => {
    const property = resolved(part, schema);
    const items = resolved(property.items, schema);
    const kind = kindOf(property, items);
    const values = (kind === 'choice' ? property.enum : kind === 'choices' ? items.enum : []) as JsonValue[];
    return {
      name,
      label: inReadingOrder(textOf(property.title) || name),
      description: inReadingOrder(textOf(property.description)),
      kind,
      isRequired: required.includes(name),
      choices: values.map(labelOf),
      values,
      isInteger: property.type === 'integer',
      min: numberOf(property.minimum),
      max: numberOf(property.maximum),
      placeholder: Array.isArray(property.examples) ? labelOf(property.examples[0]) : '',
      inputType: INPUT_TYPES[textOf(property.format)] ?? 'text',
      byDefault: entryOf({ kind }, property.default),
    };
  });
  return fields.length > 0 ? fields : null;
}

const isEmpty = (entry: Entry): boolean =>
  entry === undefined || entry === '' || (Array.isArray(entry) && entry.length === 0);

function inputValue(field: SchemaField, entry: Entry): JsonValue {
  const chosen = (label: string) => {
    const at = field.choices.indexOf(label);
    return at < 0 ? label : field.values[at];
  };
  if (Array.isArray(entry)) return entry.map(label => (field.kind === 'choices' ? chosen(label) : label)) as JsonValue;
  if (typeof entry !== 'string') return entry === true;
  if (field.kind === 'number') return Number(entry);
  if (field.kind === 'choice') return chosen(entry) ?? null;
  if (field.kind !== 'json') return entry;
  const parsed = parseJson(entry);
  return 'value' in parsed ? parsed.value : null;
}

/** Returns the input that valid entries make. Empty optional fields are left out. */
export const inputOf = (fields: readonly SchemaField[], entries: Entries): JsonValue =>
  Object.fromEntries(
    fields
      .filter(field => !isEmpty(entries[field.name]) || (field.isRequired && field.kind === 'yes or no'))
      .map(field => [field.name, inputValue(field, entries[field.name])]),
  ) as JsonValue;

/** Returns what is wrong with an entry before the schema can check the value that it makes. */
function problemOf(field: SchemaField, entry: Entry): string | undefined {
  if (isEmpty(entry)) return field.isRequired && field.kind !== 'yes or no' ? 'This field is required' : undefined;
  const text = typeof entry === 'string' ? entry : '';
  if (field.kind === 'number') {
    if (text.trim() === '' || Number.isNaN(Number(text))) return 'Enter a number';
    return inexactNumber(text);
  }
  if (field.kind === 'json') {
    const parsed = parseTyped(text);
    return 'problem' in parsed ? parsed.problem : undefined;
  }
  return undefined;
}

export interface FormProblems {
  /** Messages by the name of their field. */
  fields: Record<string, string>;
  /** Message about the input as a whole, or about values that have no field. */
  whole?: string;
}

/** Returns a message for each field with a missing or invalid entry. */
export function problemsOf(schema: unknown, fields: readonly SchemaField[], entries: Entries): FormProblems {
  const input = inputOf(fields, entries);
  const found = checkInput(schema, input);
  const messages = fields.flatMap((field): [string, string][] => {
    const inside = found
      .filter(({ path: [name] }) => name === field.name)
      .map(({ path: [, ...path], sentence }) => ({ path, sentence }));
    const value = (input as Record<string, JsonValue>)[field.name] ?? null;
    const message = problemOf(field, entries[field.name]) ?? messageOfProblems(inside, value);
    return message === undefined ? [] : [[field.name, message]];
  });
  const names = new Set(fields.map(({ name }) => name));
  const others = found.filter(({ path }) => !names.has(path[0] ?? ''));
  return { fields: Object.fromEntries(messages), whole: messageOfProblems(others, input) };
}

/** Returns the entries to begin with: those of an earlier input, else the defaults of the schema. */
export const entriesOf = (fields: readonly SchemaField[], input?: JsonValue): Entries => {
  const given = isSchema(input) ? input : null;
  return Object.fromEntries(
    fields.map(field => [field.name, given ? entryOf(field, given[field.name]) : field.byDefault]),
  );
};
