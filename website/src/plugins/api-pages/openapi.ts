import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { API_ERRORS } from '@trawl/contracts';
import { parse } from 'yaml';
import examples from '../../../content/api-examples.json';

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  type?: string;
  format?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  nullable?: boolean;
  readOnly?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

export interface Operation {
  method: string;
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  /** Empty if the route needs no token. */
  security: object[];
  /** All of its error codes except `internal_error`, which any route can return. */
  'x-error-codes': (keyof typeof API_ERRORS)[];
}

/** A request to a route and its response, as recorded by scripts/record-api.mjs. */
export interface Example {
  path: string;
  body?: unknown;
  /** `file` is the zip file that the call sends; `answer_file` is the file in which it saves the response. */
  file?: string;
  answer_file?: string;
  status: number;
  answer: unknown;
}

type Shared<T> = T | { $ref: string };

interface Document {
  tags: { name: string }[];
  /** Of all operations without their own. */
  security: object[];
  paths: Record<
    string,
    Record<
      string,
      Omit<Operation, 'method' | 'path' | 'parameters' | 'responses' | 'security'> & {
        security?: object[];
        parameters?: Shared<Parameter>[];
        responses: Record<string, Shared<Operation['responses'][string]>>;
      }
    >
  >;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Operation['responses'][string]>;
  };
}

export const OPENAPI_FILE = resolve(__dirname, '../../../../openapi.yaml');

export interface Api {
  document: Document;
  schemas: Document['components']['schemas'];
  tags: string[];
  /** All documented operations in their order, with references resolved. */
  operations: Operation[];
}

let parsed: Api | undefined;

/** Parses openapi.yaml at the first call, because this takes two seconds and Docusaurus loads this module twice. */
export function api(): Api {
  parsed ??= readApi();
  return parsed;
}

function readApi(): Api {
  const document = parse(readFileSync(OPENAPI_FILE, 'utf8')) as Document;
  const { schemas, parameters: sharedParameters, responses: sharedResponses } = document.components;
  return {
    document,
    schemas,
    tags: document.tags.map(({ name }) => name),
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], responses, ...operation }]) => ({
        security: document.security,
        ...operation,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map(parameter => own(parameter, sharedParameters)),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, answer]) => [status, own(answer, sharedResponses)]),
        ),
      })),
    ),
  };
}

function own<T extends object>(part: Shared<T>, components: Record<string, T>): T {
  if (!('$ref' in part)) return part;
  const shared = components[part.$ref.split('/').at(-1) as string];
  if (!shared) throw new Error(`openapi.yaml refers to ${part.$ref}, which it does not have.`);
  return shared;
}

export const EXAMPLES = examples as Record<string, Example>;

/** Returns the name of the schema that `$ref` refers to. The `$ref` may also be in an `allOf`. */
export const nameOf = ({ $ref, allOf }: Schema): string | undefined =>
  ($ref ?? allOf?.[0]?.$ref)?.slice('#/components/schemas/'.length);

/**
 * Replaces references by the schemas that they refer to, and keeps the properties beside them. The schemas of an `allOf`
 * are merged.
 */
export function resolved({ $ref, allOf = [], ...own }: Schema): Schema {
  const parts = [...($ref ? [{ $ref }] : []), ...allOf].map(part => {
    const name = nameOf(part);
    if (!name) return part;
    const target = api().schemas[name];
    if (!target) throw new Error(`openapi.yaml refers to a schema ${name} that it does not have.`);
    return resolved(target);
  });
  const whole: Schema = Object.assign({}, ...parts, own);
  if (parts.length < 2) return whole;
  const properties = Object.assign({}, ...parts.map(part => part.properties));
  return { ...whole, properties, required: parts.flatMap(({ required = [] }) => required) };
}

export const isSuccess = (status: string): boolean => status.startsWith('2');

/** Returns the successful responses of an operation. */
export const answersOf = ({ responses }: Operation) =>
  Object.entries(responses)
    .filter(([status]) => isSuccess(status))
    .map(([status, { description, content }]) => ({
      status,
      description,
      type: Object.keys(content ?? {})[0],
      schema: Object.values(content ?? {})[0]?.schema,
    }));

/** Returns the error codes of an operation by status, in the order of the statuses. */
export function errorsOf(operation: Operation): { status: string; codes: string[] }[] {
  const codes = operation['x-error-codes'];
  const statuses = [...new Set(codes.map(code => API_ERRORS[code]))].sort();
  return statuses.map(status => ({ status: String(status), codes: codes.filter(code => API_ERRORS[code] === status) }));
}
