import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { openapiDocument } from '../src/joint-api/openapi.js';
import type { Answer, Api } from './test-app.js';

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> };

/** The OpenAPI document, asked of each answer whether it is one that the document tells of. */
export class DocumentedApi {
  readonly #called = new Set<string>();
  readonly #validators = new Map<object, ValidateFunction>();
  // Strict: a schema that validators understand differently is an error, not a guess.
  readonly #ajv = new Ajv({ strict: true, allErrors: true, formats: fullFormats });

  private constructor(
    private readonly paths: Record<string, Record<string, Operation>>,
    private readonly components: object,
  ) {
    this.#ajv.addVocabulary(['components', 'example']);
  }

  static async read(): Promise<DocumentedApi> {
    // A field that the document does not know is as wrong as one that is missing.
    const { paths, components } = JSON.parse(JSON.stringify(await openapiDocument()), (_key, value) =>
      value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value,
    );
    return new DocumentedApi(paths, components);
  }

  /** The same calls, each answer checked. */
  checked(api: Api): Api {
    return async (method, path, body, headers) => {
      const answer = await api(method, path, body, headers);
      const problems = this.#problemsOf(method, path, answer);
      if (problems.length > 0) {
        throw new Error(
          `${method} ${path} answered ${answer.status}, which is not as documented: ${problems.join('; ')}. ` +
            `The answer: ${JSON.stringify(answer.body)}`,
        );
      }
      return answer;
    };
  }

  /** `METHOD /path` of the operations that gave no checked answer below 400. */
  uncalled(): string[] {
    return Object.entries(this.paths)
      .flatMap(([path, operations]) => Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`))
      .filter(operation => !this.#called.has(operation));
  }

  #problemsOf(method: string, path: string, { status, headers, body }: Answer): string[] {
    const template = this.#templateOf(method, path);
    if (template === undefined) return ['there is no such operation'];
    if (status < 400) this.#called.add(`${method} ${template}`);
    const response = this.paths[template]?.[method.toLowerCase()]?.responses[status];
    if (!response) return ['there is no such status'];
    const [type] = String(headers.get('content-type')).split(';');
    const schema = response.content?.[String(type)]?.schema;
    if (!schema) return [`there is no such content type as ${type}`];
    const validate = this.#validator(schema);
    return validate(body) ? [] : (validate.errors ?? []).map(problem);
  }

  /** Of several that fit, the one with the fewest parameters: `/skripts/list` is not `/skripts/{skript_id}`. */
  #templateOf(method: string, path: string): string | undefined {
    const [pathname = ''] = path.split('?');
    return Object.keys(this.paths)
      .filter(template => method.toLowerCase() in (this.paths[template] ?? {}))
      .filter(template => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
      .sort((one, other) => one.split('{').length - other.split('{').length)[0];
  }

  #validator(schema: object): ValidateFunction {
    const known = this.#validators.get(schema) ?? this.#ajv.compile({ ...schema, components: this.components });
    this.#validators.set(schema, known);
    return known;
  }
}

const problem = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`;
