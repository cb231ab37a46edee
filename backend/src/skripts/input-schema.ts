import { isNestedDeeper, LIMITS } from '@trawl/contracts';
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Far more than a form has, and few enough for a validator that calls itself. */
const MAX_LEVELS = 64;
// Only the meta-schemas are compiled, never what a user wrote: a schema is checked as data, and nothing is fetched.
const options: Options = { formats: fullFormats, strict: false, logger: false };
const drafts = new Map<unknown, Ajv>([
  ['https://json-schema.org/draft/2020-12/schema', new Ajv2020(options)],
  ['http://json-schema.org/draft-07/schema', new Ajv(options)],
]);
const [DEFAULT_DRAFT] = [...drafts.keys()];
/** What stands in these is an example of a value, not a schema. */
const VALUES = ['const', 'default', 'enum', 'examples'];

/** Why a value cannot be the `input_schema` of a skript, to be read after that name; null when it can. */
export function inputSchemaProblem(schema: unknown): string | null {
  if (schema === null) return null;
  if (typeof schema !== 'object' || Array.isArray(schema)) return 'must be a JSON Schema, which is an object, or null';
  if (isNestedDeeper(schema, MAX_LEVELS)) return `must not be nested deeper than ${MAX_LEVELS} levels`;
  const size = Buffer.byteLength(JSON.stringify(schema));
  if (size > LIMITS.inputSchemaBytes) return `is ${size} bytes as JSON; it may have ${LIMITS.inputSchemaBytes}`;
  const { $schema = DEFAULT_DRAFT } = schema as { $schema?: unknown };
  const ajv = drafts.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema);
  if (!ajv) return `must have one of these as its $schema, or none: ${[...drafts.keys()].join(', ')}`;
  // The library gives a promise only for schemas that ask for it, which these drafts do not know.
  if (ajv.validateSchema(schema) !== true) {
    const [{ instancePath, message } = { instancePath: '', message: 'it is not valid' }] = ajv.errors ?? [];
    return `is not a valid JSON Schema: ${instancePath.slice(0, 200) || 'it'} ${message}`;
  }
  return partProblem(schema);
}

/** What a meta-schema does not say. */
function partProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, part] of Object.entries(value)) {
    if (VALUES.includes(name)) continue;
    if ((name === '$ref' || name === '$dynamicRef') && typeof part === 'string' && !part.startsWith('#')) {
      return `must be complete in itself: a ${name} begins with #, and ${part.slice(0, 200)} does not`;
    }
    const patterns = name === 'pattern' ? [part] : name === 'patternProperties' ? Object.keys(part ?? {}) : [];
    const broken = patterns.find(pattern => typeof pattern === 'string' && !isPattern(pattern));
    if (broken !== undefined) return `has a ${name} that is no regular expression: ${String(broken).slice(0, 200)}`;
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
