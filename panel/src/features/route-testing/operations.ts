/** A route of the OpenAPI document, with the data that the form for calling it needs. */
export interface Operation {
  /** The operationId. */
  id: string;
  /** In upper case. */
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** The route needs no token. */
  isPublic: boolean;
  parameters: Parameter[];
  body: Body | null;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  isRequired: boolean;
  description: string;
  example: string;
  /** Allowed values, if the schema lists them. */
  choices: string[] | null;
}

/** The one route that takes a form with an archive also takes the archive itself as the body. */
export type Body = { type: 'application/json'; example: string } | { type: 'application/zip' };

interface Referring {
  $ref?: string;
}

interface Schema extends Referring {
  type?: string;
  example?: unknown;
  default?: unknown;
  enum?: unknown[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  readOnly?: boolean;
  required?: string[];
}

interface Media {
  schema?: Schema;
  example?: unknown;
}

interface WrittenParameter extends Referring {
  name: string;
  in: Parameter['in'];
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

interface WrittenOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: WrittenParameter[];
  requestBody?: { content: Record<string, Media> };
}

/** The parts of the OpenAPI document that the panel reads. */
export interface OpenApiDocument {
  /** Of all operations without their own. */
  security?: unknown[];
  paths: Record<string, Partial<Record<Method, WrittenOperation>>>;
  components?: object;
}

const METHODS = ['get', 'post', 'put', 'delete'] as const;
type Method = (typeof METHODS)[number];

type Resolve = <T extends Referring>(value: T) => T;

const resolverOf =
  (document: OpenApiDocument): Resolve =>
  <T extends Referring>(value: T): T => {
    if (value.$ref === undefined) return value;
    const keys = value.$ref.slice(2).split('/');
    return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
  };

/** Maximum depth of an example. It would stop an endless loop if a schema contained itself; so far none does. */
const MAX_DEPTH = 8;

/** Returns the routes of the document in its order. */
export function readOperations(document: OpenApiDocument): Operation[] {
  const resolve = resolverOf(document);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => {
      const operation = item[method];
      return operation ? [readOperation(method, path, { security: document.security, ...operation }, resolve)] : [];
    }),
  );
}

function readOperation(method: string, path: string, operation: WrittenOperation, resolve: Resolve): Operation {
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json'];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags?.[0] ?? '',
    summary: operation.summary ?? operation.operationId,
    description: operation.description ?? '',
    isPublic: (operation.security ?? []).length === 0,
    parameters: (operation.parameters ?? []).map(parameter => readParameter(resolve(parameter), resolve)),
    body: json
      ? { type: 'application/json', example: JSON.stringify(bodyExample(json, resolve), null, 2) }
      : content['multipart/form-data']
        ? { type: 'application/zip' }
        : null,
  };
}

function readParameter(parameter: WrittenParameter, resolve: Resolve): Parameter {
  const { allOf: [named = {}] = [], ...own } = parameter.schema ?? {};
  const schema = { ...resolve(named), ...resolve(own) };
  const example = parameter.example ?? schema.example ?? schema.default ?? '';
  const choices: unknown[] | null = schema.enum ?? (schema.type === 'boolean' ? [true, false] : null);
  return {
    name: parameter.name,
    in: parameter.in,
    isRequired: parameter.required === true,
    description: parameter.description ?? '',
    example: typeof example === 'object' ? JSON.stringify(example) : String(example),
    choices: choices?.map(String) ?? null,
  };
}

const bodyExample = (media: Media, resolve: Resolve): unknown =>
  media.example ?? exampleOf(media.schema ?? {}, resolve);

/** Builds an example value for a schema, from its examples if it has them. */
function exampleOf(schema: Schema, resolve: Resolve, depth = 0): unknown {
  const { example, allOf, type, properties, required = [], items, enum: choices, default: preset } = resolve(schema);
  if (example !== undefined) return example;
  if (depth > MAX_DEPTH) return null;
  if (allOf?.[0]) return exampleOf(allOf[0], resolve, depth + 1);
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([, property]) => !resolve(property).readOnly)
        .sort(([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)))
        .map(([name, property]) => [name, exampleOf(property, resolve, depth + 1)]),
    );
  }
  if (preset !== undefined) return preset;
  if (choices) return choices[0];
  if (type === 'array') return items ? [exampleOf(items, resolve, depth + 1)] : [];
  if (type === 'object' || type === undefined) return {};
  return { string: '', integer: 0, number: 0, boolean: false }[type as string] ?? null;
}
