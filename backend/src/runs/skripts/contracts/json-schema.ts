import { isNestedDeeper, LIMITS } from '@trawl/contracts';
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Deepest nesting of a schema. It protects the recursive validator; real forms have far fewer levels. */
const MAX_LEVELS = 64;
// Ajv compiles only its own meta-schemas. Users' schemas are only data that it checks, so nothing in them is run or
// fetched.
const options: Options = { formats: fullFormats, strict: false, logger: false };
const drafts = new Map<unknown, Ajv>([
  ['https://json-schema.org/draft/2020-12/schema', new Ajv2020(options)],
  ['http://json-schema.org/draft-07/schema', new Ajv(options)],
]);
const [DEFAULT_DRAFT] = [...drafts.keys()];
/** Keywords whose content is a value, not a schema. */
const VALUE_KEYWORDS = ['const', 'default', 'enum', 'examples'];

/**
 * Checks a JSON Schema: of the input, or of rows. Returns null if it is valid, otherwise the reason, as the end of a sentence that
 * begins with the field's name.
 */
export function jsonSchemaProblem(schema: unknown): string | null {
  if (schema === null) return null;
  if (typeof schema !== 'object' || Array.isArray(schema)) return 'must be a JSON Schema object or null';
  if (isNestedDeeper(schema, MAX_LEVELS)) return `must not be nested deeper than ${MAX_LEVELS} levels`;
  const size = Buffer.byteLength(JSON.stringify(schema));
  if (size > LIMITS.inputSchemaBytes) return `is ${size} bytes as JSON; the limit is ${LIMITS.inputSchemaBytes}`;
  const { $schema = DEFAULT_DRAFT } = schema as { $schema?: unknown };
  const ajv = drafts.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema);
  if (!ajv) return `has an unsupported $schema; omit it or use one of ${[...drafts.keys()].join(', ')}`;
  // `validateSchema` returns a promise only for `$async` schemas, which these drafts do not have.
  if (ajv.validateSchema(schema) !== true) {
    const [{ instancePath, message } = { instancePath: '', message: 'it is not valid' }] = ajv.errors ?? [];
    return `is not a valid JSON Schema: ${instancePath.slice(0, 200) || 'it'} ${message}`;
  }
  return partProblem(schema);
}

/** Checks two rules that the meta-schemas do not contain: references are local, and regular expressions are valid. */
function partProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, part] of Object.entries(value)) {
    if (VALUE_KEYWORDS.includes(name)) continue;
    if ((name === '$ref' || name === '$dynamicRef') && typeof part === 'string' && !part.startsWith('#')) {
      return `must be self-contained: the ${name} ${part.slice(0, 200)} must begin with #`;
    }
    const patterns = name === 'pattern' ? [part] : name === 'patternProperties' ? Object.keys(part ?? {}) : [];
    const broken = patterns.find(pattern => typeof pattern === 'string' && !isPattern(pattern));
    if (broken !== undefined)
      return `has a ${name} that is not a valid regular expression: ${String(broken).slice(0, 200)}`;
    const problem = partProblem(part);
    if (problem !== null) return problem;
  }
  return null;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
