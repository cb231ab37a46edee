import { readRowContract } from '@trawl/contracts';
import { ApiError } from '../../../platform/common/errors.js';
import { jsonSchemaProblem } from './json-schema.js';

/** Tries a schema. Returns null, or why it cannot check rows, as the end of a sentence that begins with the schema. */
export type TrySchema = (schema: object) => Promise<string | null>;

/**
 * Checks the contract of a skript.
 *
 * @throws {ApiError} 400, also for a schema that would take too long
 */
export async function checkContract(value: unknown, trySchema: TrySchema): Promise<void> {
  if (value === null) return;
  const read = readRowContract(value);
  const problem =
    'problem' in read ? read.problem : (textProblem(value) ?? (await schemaProblem(read.contract.schema, trySchema)));
  if (problem === null) return;
  const field = /^rows(\.\w+)?/.exec(problem)?.[0] ?? 'rows';
  throw new ApiError('validation_failed', `${problem}.`, [{ field, message: problem.slice(field.length + 1) }]);
}

async function schemaProblem(schema: object | undefined, trySchema: TrySchema): Promise<string | null> {
  if (schema === undefined) return null;
  const problem = jsonSchemaProblem(schema) ?? (await trySchema(schema));
  return problem === null ? null : `rows.schema ${problem}`;
}

const HALF_OF_A_PAIR = /\p{Surrogate}/u;

/** PostgreSQL cannot read fields of JSON with a NUL character or half of a surrogate pair. */
function textProblem(value: unknown): string | null {
  let problem: string | null = null;
  JSON.stringify(value, (name, part: unknown) => {
    for (const text of [name, part]) {
      if (typeof text !== 'string') continue;
      if (text.includes('\u0000')) problem = 'rows must not contain a NUL character';
      else if (HALF_OF_A_PAIR.test(text)) problem = 'rows must not contain half of a surrogate pair, such as \\ud800';
    }
    return part;
  });
  return problem;
}
