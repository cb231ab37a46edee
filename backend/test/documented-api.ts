import type { ApiErrorCode } from '@trawl/contracts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { openapiDocument } from '../src/operation/openapi/openapi.js';
import type { Answer, Api } from './test-app.js';

/** A JSON Schema of the OpenAPI document, of any form. */
export type Schema = Record<string, any>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

/** One route of the OpenAPI document. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** Schema of the JSON body. If it is a reference, this is the schema that the reference names. */
  body: Schema | undefined;
  /** True if the route takes a body of any type, not only JSON. */
  takesBody: boolean;
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
  /** The `error_code` values that are documented for the route. */
  errors: ApiErrorCode[];
  goodStatuses: number[];
}

/** The name under which Ajv knows the components of the document. */
const COMPONENTS = 'openapi';

/** Checks responses against the OpenAPI document. */
export class DocumentedApi {
  readonly operations: Operation[];
  readonly #matchers: [RegExp, Operation][];
  /** By the text of the schema, because many responses have the same one. */
  readonly #validators = new Map<string, ValidateFunction>();
  // In strict mode, an ambiguous schema is an error.
  readonly #ajv = new Ajv({ strict: true, allErrors: true, formats: fullFormats });

  private constructor(
    paths: Record<string, Record<string, any>>,
    private readonly components: Record<'schemas' | 'parameters' | 'responses', Record<string, Schema>>,
  ) {
    this.#ajv.addVocabulary(['components', 'example']);
    this.#ajv.addSchema({ $id: COMPONENTS, components });
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.#operation(method.toUpperCase(), path, operation)),
    );
    // If several paths match, the one with the fewest parameters wins: `/skripts/list` before `/skripts/{skript_id}`.
    this.#matchers = this.operations
      .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)
      .map(operation => [new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operation]);
  }

  static async read(): Promise<DocumentedApi> {
    const document = await openapiDocument();
    const schemas = document.components?.schemas as Record<string, Schema>;
    // Make undocumented fields errors, too. An `allOf` cannot say that, so merge the schemas that it lists.
    const { paths, components } = JSON.parse(JSON.stringify(document), (_key, value) => {
      const whole = merged(value, schemas);
      return whole?.type === 'object' && whole.properties ? { additionalProperties: false, ...whole } : whole;
    });
    return new DocumentedApi(paths, components);
  }

  /** Replaces a reference by the schema, parameter or response that it names. */
  resolve(part: Schema): Schema {
    const [, , kind, name] = part.$ref?.split('/') ?? [];
    return name === undefined ? part : this.resolve(this.components[kind as 'schemas'][name] as Schema);
  }

  /** Returns an API that also checks each response against the document. */
  checked(api: Api): Api {
    return async (method, path, body, headers) => {
      const answer = await api(method, path, body, headers);
      const problems = this.problemsOf(method, path, answer);
      if (problems.length > 0) {
        throw new Error(
          `${method} ${path} answered ${answer.status}, which is not as documented: ${problems.join('; ')}. ` +
            `The answer: ${JSON.stringify(answer.body)}`,
        );
      }
      return answer;
    };
  }

  /** Lists the differences between a response and the document. Empty if there are none. */
  problemsOf(method: string, path: string, { status, headers, body }: Answer): string[] {
    const [pathname = ''] = path.split('?');
    const operation = this.#matchers.find(
      ([pattern, { method: its }]) => its === method && pattern.test(pathname),
    )?.[1];
    if (!operation) return ['there is no such operation'];
    const response = operation.responses[status];
    if (!response) return [`there is no such status of ${operation.id}`];
    const [type] = String(headers.get('content-type')).split(';');
    const schema = response.content?.[String(type)]?.schema;
    if (!schema) return [`there is no such content type as ${type}`];
    const validate = this.#validator(schema);
    if (!validate(body)) return (validate.errors ?? []).map(problem);
    const code = (body as { error_code?: ApiErrorCode } | null)?.error_code;
    const isKnown = status < 400 || code === undefined || operation.errors.includes(code);
    return isKnown ? [] : [`${operation.id} is not said to answer ${code}: add it to its @ApiErrors`];
  }

  #operation(method: string, path: string, operation: any): Operation {
    const { operationId, parameters = [], requestBody } = operation;
    const responses = Object.fromEntries(
      Object.entries<Schema>(operation.responses).map(([status, response]) => [status, this.resolve(response)]),
    ) as Operation['responses'];
    const body = requestBody?.content?.['application/json']?.schema;
    return {
      id: operationId,
      method,
      path,
      parameters: parameters.map((parameter: Schema) => {
        const { schema, ...rest } = this.resolve(parameter);
        return { ...rest, schema: this.#withoutReference(schema) };
      }),
      body: body && this.resolve(body),
      takesBody: requestBody !== undefined,
      responses,
      errors: [...operation['x-error-codes'], 'internal_error'],
      goodStatuses: Object.keys(responses)
        .map(Number)
        .filter(status => status < 400),
    };
  }

  /** Replaces the reference to an enum, which may be in an `allOf`, by the enum. */
  #withoutReference({ allOf = [], ...schema }: Schema): Schema {
    return { ...this.resolve(allOf[0] ?? {}), ...this.resolve(schema) };
  }

  #validator(schema: object): ValidateFunction {
    // The references point to the components, which Ajv then compiles only once.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${COMPONENTS}#/`);
    const known = this.#validators.get(text) ?? this.#ajv.compile(JSON.parse(text));
    this.#validators.set(text, known);
    return known;
  }
}

/** Merges the object schemas of an `allOf`. Returns other values as they are. */
function merged(value: Schema | null, schemas: Record<string, Schema>): Schema | null {
  if (!Array.isArray(value?.allOf) || value.allOf.length < 2) return value;
  const { allOf, ...rest } = value;
  const parts: Schema[] = allOf.map(part => schemas[part.$ref?.split('/').at(-1)] ?? part);
  return {
    ...rest,
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

const problem = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`;
