/** Checks an input against a skript's `input_schema`, and says in sentences what is wrong. */
import { format as formats, type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonValue } from '../../api/entities.js';

export interface InputProblem {
  /** Keys and indexes that lead to the value; empty for the whole input. */
  path: string[];
  /** Says what to enter instead, or why the value is refused. It has neither the place nor a period. */
  sentence: string;
}

type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const draftOf = ({ $schema }: Schema): SchemaDraft => (String($schema).includes('draft-07') ? '7' : '2020-12');

/** Splits a JSON Pointer of the validator, such as `#/shops/0/name`. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(step => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));

const childOf = (value: unknown, step: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? (value as Schema)[step] : undefined;

/** Returns the value of the keyword that the input violates. `$ref` in the location leads to another part of the schema. */
function violated(schema: Schema, { keyword, keywordLocation }: OutputUnit): unknown {
  const part = stepsOf(keywordLocation)
    .slice(0, -1)
    .reduce<unknown>((found, step) => {
      const child = childOf(found, step);
      return step === '$ref' && typeof child === 'string' ? stepsOf(child).reduce(childOf, schema) : child;
    }, schema);
  return childOf(part, keyword);
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const FORMAT_NAMES: Record<string, string> = {
  uri: 'a URL, such as https://example.com/',
  url: 'a URL, such as https://example.com/',
  email: 'an e-mail address, such as name@example.com',
  date: 'a date, such as 2026-01-31',
  time: 'a time, such as 12:30:00Z',
  'date-time': 'a date and a time, such as 2026-01-31T12:30:00Z',
  duration: 'a duration, such as PT15M',
  uuid: 'a UUID',
  hostname: 'a host name',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  regex: 'a regular expression',
};

/** Choices that an error lists. */
const SHOWN_CHOICES = 5;

const jsonOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const count = (value: unknown, noun: string, plural = `${noun}s`): string => `${value} ${value === 1 ? noun : plural}`;

function choicesOf(values: unknown): string {
  const [all, rest] = [values as unknown[], (values as unknown[]).length - SHOWN_CHOICES];
  const shown = all.slice(0, SHOWN_CHOICES).map(jsonOf).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** Sentences by keyword. Their parameter is the keyword's value in the schema. */
const SENTENCES: Record<string, (value: unknown) => string> = {
  type: types =>
    `Enter ${[types]
      .flat()
      .map(name => TYPE_NAMES[String(name)] ?? name)
      .join(' or ')}`,
  enum: choices => `Enter one of these: ${choicesOf(choices)}`,
  const: value => `Enter ${jsonOf(value)}`,
  minimum: least => `Enter ${least} or more`,
  maximum: most => `Enter ${most} or less`,
  exclusiveMinimum: limit => `Enter more than ${limit}`,
  exclusiveMaximum: limit => `Enter less than ${limit}`,
  multipleOf: step => `Enter a multiple of ${step}`,
  minLength: least => `Enter at least ${count(least, 'character')}`,
  maxLength: most => `Enter at most ${count(most, 'character')}`,
  pattern: pattern => `This does not match the pattern ${pattern}`,
  format: name => `Enter ${FORMAT_NAMES[String(name)] ?? `a value of the format ${name}`}`,
  minItems: least => `Enter at least ${count(least, 'item')}`,
  maxItems: most => `Enter at most ${count(most, 'item')}`,
  uniqueItems: () => 'Enter each item only once',
  minProperties: least => `Enter at least ${count(least, 'property', 'properties')}`,
  maxProperties: most => `Enter at most ${count(most, 'property', 'properties')}`,
  false: () => 'The skript takes no such value',
};
const OTHERWISE = 'The skript takes another value: see its input_schema';

/** Keywords whose errors only introduce those of the parts. */
const WITH_PARTS = new Set([
  ...['$ref', 'allOf', 'if', 'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'dependentSchemas', 'dependencies'],
]);

/** Keywords of which each error has errors of parts that do not help: no single part has to match. */
const ALTERNATIVES = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames']);

/**
 * Returns whether the panel accepts a text that the validator refuses: the time of the browser's field has no time zone,
 * and the validator's pattern for `url`, which is not in the specification, knows no `localhost`.
 */
function isAccepted(format: unknown, text: string): boolean {
  if (format === 'url') return formats.uri?.(text) === true;
  return format === 'time' && ['Z', ':00Z'].some(end => formats.time?.(text + end) === true);
}

const missing = (value: unknown, path: string[], keys: unknown): InputProblem[] =>
  (keys as string[])
    .filter(key => isObject(value) && !Object.hasOwn(value, key))
    .map(key => ({ path: [...path, key], sentence: 'This field is required' }));

function problemsOfError(schema: Schema, input: JsonValue, error: OutputUnit): InputProblem[] {
  const { keyword, instanceLocation } = error;
  if (WITH_PARTS.has(keyword)) return [];
  const path = stepsOf(instanceLocation);
  const value = path.reduce<unknown>(childOf, input);
  const limit = violated(schema, error);
  if (keyword === 'required' && Array.isArray(limit)) return missing(value, path, limit);
  if (keyword === 'dependentRequired' && isObject(limit))
    return Object.keys(limit).flatMap(key =>
      childOf(value, key) === undefined ? [] : missing(value, path, limit[key]),
    );
  if (keyword === 'format' && isAccepted(limit, String(value))) return [];
  const sentence = limit === undefined && keyword !== 'false' ? undefined : SENTENCES[keyword]?.(limit);
  return [{ path, sentence: sentence ?? OTHERWISE }];
}

/** Returns what is wrong with an input, at most one problem for each value. */
export function checkInput(schema: unknown, input: JsonValue): InputProblem[] {
  if (!isObject(schema)) return [];
  let errors: OutputUnit[];
  try {
    // The validator writes into the schema.
    errors = new Validator(structuredClone(schema), draftOf(schema), false).validate(input).errors;
  } catch {
    // The API accepts references that lead nowhere, or to themselves. Such a schema cannot be used for a check.
    return [];
  }
  const alternatives = errors.filter(({ keyword }) => ALTERNATIVES.has(keyword)).map(error => error.keywordLocation);
  const found = errors
    .filter(error => !alternatives.some(location => error.keywordLocation.startsWith(`${location}/`)))
    .flatMap(error => problemsOfError(schema, input, error));
  const seen = new Set<string>();
  return found.filter(({ path }) => seen.size < seen.add(JSON.stringify(path)).size);
}

/** Names the place of a value in the input, such as `shops[0].name`. */
function placeOf(path: readonly string[], input: JsonValue): string {
  if (Array.isArray(input) && path.length === 1) return `Item ${Number(path[0]) + 1}`;
  let value: unknown = input;
  return path
    .map(step => {
      const isIndex = Array.isArray(value);
      value = childOf(value, step);
      if (isIndex) return `[${step}]`;
      return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./, '');
}

/** Problems that one message lists. */
const SHOWN_PROBLEMS = 5;

/** Joins problems to a message that names the place of each. Returns undefined if there are none. */
export function messageOfProblems(problems: readonly InputProblem[], input: JsonValue): string | undefined {
  if (problems.length === 0) return undefined;
  const rest = problems.length - SHOWN_PROBLEMS;
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ path, sentence }) => {
    const place = placeOf(path, input);
    return place === '' ? sentence : `${place}: ${sentence}`;
  });
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}
