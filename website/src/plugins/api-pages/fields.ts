import { code, element, link, type Node, sentence, strong, text } from './nodes';
import { nameOf, type Parameter, resolved, type Schema } from './openapi';

/** Where on the page an object of the API is described, if it is. */
export type Described = (schemaName: string) => string | undefined;

interface Field {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string;
}

/** Deeper parts of an answer are left to its example. */
const DEEPEST = 2;
/** Limits beyond which a number only says "no limit". */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export const parameterFields = (parameters: Parameter[], describedAt: Described): Node =>
  list(
    requiredFirst(
      parameters.map(({ name, schema, required = false, description }) => ({ name, schema, required, description })),
    ),
    { describedAt, marks: 'required' },
  );

/** The fields of a body that is sent, without those that are ignored: those that must be there are marked. */
export const bodyFields = (schema: Schema, describedAt: Described): Node =>
  list(requiredFirst(propertiesOf(schema).filter(field => !field.schema.readOnly)), { describedAt, marks: 'required' });

/** The fields of an answer: those that may be missing are marked. */
export const answerFields = (schema: Schema, describedAt: Described): Node =>
  list(propertiesOf(schema), { describedAt, marks: 'sometimes' });

/** In their order otherwise; the parts of a field stay below it. */
function requiredFirst(fields: Field[]): Field[] {
  const required = new Set(fields.filter(field => field.required).map(({ name }) => name));
  const place = ({ name }: Field) => (required.has(name.split(/[.[]/)[0] as string) ? 0 : 1);
  return fields.toSorted((one, other) => place(one) - place(other));
}

interface ListOptions {
  describedAt: Described;
  marks: 'required' | 'sometimes';
}

function propertiesOf(schema: Schema, prefix = '', depth = 1): Field[] {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).flatMap(([key, property]) => {
    const field: Field = { name: prefix + key, schema: property, required: required.includes(key) };
    const inner = resolved(property);
    const below = inner.items ? resolved(inner.items) : inner;
    if (!below.properties || depth >= DEEPEST) return [field];
    return [field, ...propertiesOf(below, `${prefix}${key}${inner.items ? '[]' : ''}.`, depth + 1)];
  });
}

function list(fields: Field[], { describedAt, marks }: ListOptions): Node {
  const described = (name: string) => {
    const parent = fields.find(field => name.startsWith(`${field.name}.`) || name.startsWith(`${field.name}[].`));
    const schema = parent && (resolved(parent.schema).items ?? parent.schema);
    return schema !== undefined && describedAt(nameOf(schema) ?? '') !== undefined;
  };
  return element(
    'ul',
    { className: 'api-fields' },
    fields
      // What is described as an object of its own is not described again inside another.
      .filter(({ name }) => !described(name))
      .map(field => element('li', {}, term(field, marks, describedAt), meaning(field))),
  );
}

function term({ name, schema, required }: Field, marks: ListOptions['marks'], describedAt: Described): Node {
  const mark = marks === 'required' ? required && 'required' : !required && 'not always';
  return element(
    'div',
    { className: 'api-field' },
    code(name),
    text(' '),
    type(schema, describedAt),
    mark ? [text(' · '), strong(mark)] : [],
  );
}

function type(schema: Schema, describedAt: Described): (Node | string)[] {
  const full = resolved(schema);
  const name = nameOf(full.items ?? schema);
  const anchor = name && describedAt(name);
  const words = anchor ? link(anchor, name) : full.items ? `${typeWord(resolved(full.items))}s` : typeWord(full);
  return [full.items ? 'list of ' : '', words, full.nullable ? ' or null' : ''];
}

function typeWord({ type, format, oneOf }: Schema): string {
  if (oneOf) return oneOf.map(typeWord).join(' or ');
  if (type === undefined) return 'any JSON value';
  if (format === 'uuid') return 'UUID';
  if (format === 'date-time') return 'ISO time';
  return type === 'boolean' ? 'true or false' : type === 'integer' ? 'whole number' : type;
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
