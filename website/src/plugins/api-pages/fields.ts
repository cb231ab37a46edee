import { code, element, link, type Node, sentence, strong, text } from './nodes';
import { nameOf, type Parameter, resolved, type Schema } from './openapi';

/** Function that returns the URL at which the docs describe a schema, or undefined if they do not. */
export type ObjectUrl = (schemaName: string) => string | undefined;

interface Field {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string;
}

/** Number of levels of nested fields that a list shows. Deeper fields appear only in the example. */
const MAX_DEPTH = 2;
/** A `maxLength` of at least this value means that the length is not limited. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export const parameterFields = (parameters: Parameter[], objectUrl: ObjectUrl): Node =>
  list(
    requiredFirst(
      parameters.map(({ name, schema, required = false, description }) => ({ name, schema, required, description })),
    ),
    { objectUrl, marks: 'required' },
  );

/** Lists the fields of a request body. Required fields come first and are marked. Read-only fields are omitted. */
export const bodyFields = (schema: Schema, objectUrl: ObjectUrl): Node =>
  list(requiredFirst(propertiesOf(schema).filter(field => !field.schema.readOnly)), { objectUrl, marks: 'required' });

/** Lists the fields of a response and marks optional ones. */
export const answerFields = (schema: Schema, objectUrl: ObjectUrl): Node =>
  list(propertiesOf(schema), { objectUrl, marks: 'sometimes' });

/** Sorts required fields first, with nested fields below their parent. */
function requiredFirst(fields: Field[]): Field[] {
  const required = new Set(fields.filter(field => field.required).map(({ name }) => name));
  const place = ({ name }: Field) => (required.has(name.split(/[.[]/)[0] as string) ? 0 : 1);
  return fields.toSorted((one, other) => place(one) - place(other));
}

interface ListOptions {
  objectUrl: ObjectUrl;
  marks: 'required' | 'sometimes';
}

function propertiesOf(schema: Schema, prefix = '', depth = 1): Field[] {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).flatMap(([key, property]) => {
    const field: Field = { name: prefix + key, schema: property, required: required.includes(key) };
    const inner = resolved(property);
    const below = inner.items ? resolved(inner.items) : inner;
    if (!below.properties || depth >= MAX_DEPTH) return [field];
    return [field, ...propertiesOf(below, `${prefix}${key}${inner.items ? '[]' : ''}.`, depth + 1)];
  });
}

function list(fields: Field[], { objectUrl, marks }: ListOptions): Node {
  const described = (name: string) => {
    const parent = fields.find(field => name.startsWith(`${field.name}.`) || name.startsWith(`${field.name}[].`));
    const schema = parent && (resolved(parent.schema).items ?? parent.schema);
    return schema !== undefined && objectUrl(nameOf(schema) ?? '') !== undefined;
  };
  return element(
    'ul',
    { className: 'api-fields' },
    fields
      // Omit nested fields of an object that the docs describe elsewhere. The list has a link to it.
      .filter(({ name }) => !described(name))
      .map(field => element('li', {}, term(field, marks, objectUrl), meaning(field))),
  );
}

function term({ name, schema, required }: Field, marks: ListOptions['marks'], objectUrl: ObjectUrl): Node {
  const mark = marks === 'required' ? required && 'required' : !required && 'optional';
  return element(
    'div',
    { className: 'api-field' },
    code(name),
    text(' '),
    type(schema, objectUrl),
    mark ? [text(' · '), strong(mark)] : [],
  );
}

function type(schema: Schema, objectUrl: ObjectUrl): (Node | string)[] {
  const full = resolved(schema);
  const name = nameOf(full.items ?? schema);
  const anchor = name && objectUrl(name);
  const words = anchor ? link(anchor, name) : full.items ? `${typeWord(resolved(full.items))}s` : typeWord(full);
  return [full.items ? 'list of ' : '', words, full.nullable ? ' or null' : ''];
}

function typeWord({ type, format, oneOf }: Schema): string {
  if (oneOf) return oneOf.map(typeWord).join(' or ');
  if (type === undefined) return 'any JSON value';
  if (format === 'uuid') return 'UUID';
  if (format === 'date-time') return 'ISO time';
  return type;
}

function meaning({ schema, description }: Field): Node[] {
  const full = resolved(schema);
  const about = description ?? full.description;
  const parts: Node[][] = [];
  if (about) parts.push(sentence(about));
  const values = (full.enum ?? full.items?.enum ?? []).filter(value => value !== null);
  if (values.length > 0) {
    parts.push([
      text('One of '),
      ...values.flatMap((value, index) => [text(index > 0 ? ', ' : ''), code(String(value))]),
      text('.'),
    ]);
  }
  const limits = limitsOf(full);
  if (limits) parts.push([text(`${limits}.`)]);
  if (full.default !== undefined) parts.push([text('Default '), code(String(full.default)), text('.')]);
  if (parts.length === 0) return [];
  return [
    element(
      'div',
      {},
      parts.flatMap((part, index) => (index > 0 ? [text(' '), ...part] : part)),
    ),
  ];
}

function limitsOf({ minimum, maximum, minLength, maxLength }: Schema): string | undefined {
  const number = (value: number) => value.toLocaleString('en-GB');
  if (minimum !== undefined && maximum !== undefined) return `${number(minimum)} to ${number(maximum)}`;
  if (maxLength === undefined || maxLength >= NO_LIMIT) return undefined;
  return minLength
    ? `${number(minLength)} to ${number(maxLength)} characters`
    : `At most ${number(maxLength)} characters`;
}
